// The shapes that the page's modules share; engine.js gives the first ones.

export type Cell = [number, number];
export type Phase = "place" | "fill" | "act" | "over";
export type Options = { players: number; volcanoes: boolean; decisions: "auto" | "explicit" };
export type Deal = { worker_draws: string[][]; jungle_draws: string[] };
export type GameData = { options: Options; deal: Deal; actions: number[] };
export type Sources = { sales: number; mines: number; volcanoes: number; water: number; sun: number; temples: number };
export type Goods = { gold?: number; cacao?: number; sun?: number; water?: number; temples?: number };

export type Move = {
  type: "place" | "overbuild" | "fill" | "act";
  cell: Cell;
  tile?: string;
  turn?: number;
  edges?: number[];
  worker?: Cell;
  edge?: number;
  workers?: number;
};
export type Effects = {
  gains: Record<string, Goods>;
  worth: Record<string, number>;
  fills: number;
  acts: number;
  draws: boolean;
  ends: boolean;
};
export type Layer = { owner: number; edges: number[] | null };
export type Tile = {
  row: number;
  column: number;
  last: boolean;
  kind?: string;
  turned?: boolean;
  workers?: number[];
  gold?: number[];
  owner?: number;
  edges?: number[];
  under?: Layer[];
};
export type Seat = {
  gold: number;
  score: number;
  cacao: number;
  sun: number;
  water: number;
  worth: number;
  hand: string[] | null;
  held: number;
  left: Record<string, number>;
  pile: number;
};
export type Pending = { seat: number; worker: Cell; cell: Cell; edge: number; workers: number };
export type Position = {
  players: number;
  volcanoes: boolean;
  turn: number;
  turns: number;
  phase: Phase;
  seat: number | null;
  active: number | null;
  overbuilding: boolean;
  tiles: Tile[];
  open: Cell[];
  fill: Cell[];
  display: string[];
  pile: Record<string, number>;
  pile_size: number;
  seats: Seat[];
  pending: Pending[];
  winners: number[];
};
export type Step = { seat: number; auto: boolean; action: number };
export interface Game {
  options: Options;
  deal: Deal;
  actions: number[];
  play(action: number): void;
  legal(): Int32Array;
  move(action: number): Move;
  effects(action: number): Effects;
  position(viewer: number | null): Position;
  goldBySource(): Sources[];
  /** The game with every decision asked, and which of its actions were not asked. */
  elementary(): { game: Game; auto: boolean[] };
  seat: number | null;
  scores(): number[];
  winners(): number[];
}
export type AgentInfo = {
  name: string;
  players: number[];
  volcanoes: boolean[];
  search?: boolean;
  network?: boolean;
  own?: boolean; // of the command line: a server decides for it
};
export interface Engine {
  version: string;
  agents: AgentInfo[];
  tables: Record<string, unknown>;
  deal(options: { players: number; volcanoes: boolean; seed: number | string }): Deal;
  game(options: Options, deal: Deal): Game;
  readRecord(text: string): GameData & { auto: boolean[]; players?: string[] };
  writeRecord(game: GameData, names?: string[]): string;
  asName(text: string): string;
}
export type Analysis = {
  seat: number;
  actions: number[];
  weights: number[];
  values: number[] | null;
  unit: string;
  visits: number[] | null;
  win_shares: number[] | null;
  scores: number[] | null;
  lead: number | null;
  lines?: Line[];
};
export type Judged = {
  ply: number;
  seat: number;
  action: number;
  best: number;
  gold: number;
  low: number;
  high: number;
  exact: boolean;
  grade: "" | "inaccuracy" | "blunder";
  shares: number[];
  sources: Partial<Sources>; // of the loss: gold of the seat less the mean of the others'
  own?: Partial<Sources>; // of the seat's gold alone
  follows?: { move: Move; kind: string }[]; // the rest of the turn after the best move, with the tile of its workers
  brings?: Goods[]; // to each seat by the best move and the rest of its turn
};
export type Summary = {
  decisions: number;
  mean_loss: number;
  total_loss: number;
  inaccuracies: number;
  blunders: number;
  best: number | null;
  worst: number | null;
  luck: number;
};
export type Line = {
  action: number;
  loss: number; // of gold, against the best line
  shares: number[];
  follows: { seat: number; move: Move }[];
};
export type Review = {
  judge: string;
  decisions: Judged[];
  seats: Summary[];
  result: number[];
  thresholds: { inaccuracy: number; blunder: number };
};
export interface Client {
  choose(game: GameData, wish: Wish): Promise<{ action: number }>;
  analyze(game: GameData, wish: Wish): Promise<Analysis>;
  /** An analysis with lines of play. */
  lines(game: GameData, wish: Wish): Promise<Analysis>;
  /** What an action at a place of a game lost, the one that was played if none is given. */
  judge(game: GameData, wish: JudgeWish): Promise<Judged | null>;
  review(game: GameData, wish: ReviewWish): Promise<Review>;
}
export type JudgeWish = { ply: number; action?: number; best?: number; signal?: AbortSignal };
export type ReviewWish = {
  known: Judged[]; // are not judged again
  first: number | null; // the seat whose decisions are judged first
  onJudged: (found: Judged[], total: number) => void;
  signal?: AbortSignal;
};
export type Wish = { agent: string; made?: number; seed: number; ms?: number; sims?: number; signal?: AbortSignal };

// --- Of the page itself

export type Player =
  | { person: true; name: string }
  | { person: false; name: string; level: string; agent: string; ms?: number; sims?: number; slips?: number };
export type Saved = GameData & {
  id: string;
  players: Player[];
  kind: "game" | "record" | "puzzle";
  seed: number;
  created: number;
  changed: number;
  over: boolean;
  scores: number[];
  winners: number[];
  turn: number;
  turns: number;
  coached?: boolean;
  told?: string[]; // what the coach has said
  judged?: Judged[]; // the decisions that are judged so far
  review?: Review | null;
  from?: string;
  viewer?: number; // who looks at an exercise, if not whoever decides
};
export type Frame = { position: Position; sources: Sources[]; step: Step | null; move: Move | null; at: Cell[] };
export type Choice = { action: number; move: Move; effects: Effects; worth: number };
export type Puzzle = GameData & { number: number; best: number; level: number; losses: Record<string, number> };
