// The rules in the page: games, their legal moves, records. Everything here returns at once.
//
// `loadEngine` makes an engine of the module that `python -m cacao_env.play.build` builds from the package's
// compiled functions. Offsets stay in here and in module.js; what is decided, the module decides.
//
// - `game.move(action)` has `type, cell` and, of a placement, `tile, turn, edges`, of a fill `tile, turn`, of
//   an act `worker, edge, workers` (its `cell` is the jungle tile's); cells are [row, column].
// - `game.actionOf` and `engine.moveOf` take such a move or the list that a record has.
// - `game.elementary()` gives the game with every decision asked, and which of its actions were not asked.
// - `readRecord` gives a game with every decision asked, and `auto` as the record says.

import { Module, viewsOf } from "./module.js";
import { asName, readRecord, writeRecord } from "./record.js";

const NONE = -1;
const EXPLICIT = "explicit";
const FNV = [0xcbf29ce484222325n, 0x100000001b3n];
export const GOODS = ["gold", "cacao", "sun", "water", "temples"];

/** Make an engine of the module's bytes and of `fields.json`. */
export async function loadEngine(wasm, fields) {
  return new Engine(await Module.load(wasm, fields), fields);
}

/** The 64 bits that an integer or a text starts random numbers with; an integer does as in Python. */
export function seedOf(seed) {
  if (typeof seed === "bigint" || Number.isInteger(seed)) return BigInt.asUintN(64, BigInt(seed));
  if (/^-?\d+$/.test(seed)) return BigInt.asUintN(64, BigInt(seed));
  let bits = FNV[0];
  for (const byte of new TextEncoder().encode(String(seed))) {
    bits = BigInt.asUintN(64, (bits ^ BigInt(byte)) * FNV[1]);
  }
  return bits;
}

const list = (view, from, to) => Array.from(view.subarray(from, to), Number);

export class Engine {
  constructor(module, fields) {
    this.module = module;
    this.version = fields.version;
    this.sourceHash = fields.sources;
    this.agents = fields.agents;
    this.tables = fields.tables;
    this.codes = fields.codes;
    this.settings = fields.settings;
    this.hasNetwork = false;
    this.stateLayout = fields.state;
    this.stateSize = fields.memory.states[2];
    this.seats = fields.state.gold[2];
    this.variantOf = new Map(this.tables.variants.map(({ tile, turn }, number) => [`${tile}/${turn}`, number]));
  }

  /** Call an entry point for the state in `bytes`, which changes with it. */
  call(bytes, entry, ...numbers) {
    this.module.memory.states.set(bytes);
    const found = this.module.call(entry, ...numbers);
    bytes.set(this.module.memory.states);
    return found;
  }

  /** Deal a game: the drawing orders, as records have them. The same seed deals the same as in Python. */
  deal({ players, volcanoes = false, seed }) {
    const state = this.blank({ players, volcanoes });
    this.module.memory.rng[0] = seedOf(seed);
    this.call(state.bytes, "begin", 0);
    const each = state.tiles_each[0];
    const row = state.worker_draws.length / this.seats;
    return {
      worker_draws: Array.from({ length: players }, (_, seat) =>
        list(state.worker_draws, seat * row, seat * row + each).map((k) => this.tables.worker_kinds[k]),
      ),
      jungle_draws: list(state.jungle_draws, 0, state.num_jungle[0]).map((code) => this.jungleKind(code)),
    };
  }

  /** Begin a game with a deal; Error says in one sentence what is wrong with it. */
  game({ players, volcanoes = false, decisions = "auto", tableSize }, deal) {
    const options = { players, volcanoes, decisions, tableSize };
    const state = this.blank(options);
    const { worker_kinds, jungle_kinds, worker_supply, jungle_supply } = this.tables;
    const row = state.worker_draws.length / this.seats;
    if (!Array.isArray(deal.worker_draws) || deal.worker_draws.length !== players) {
      throw new Error(`worker_draws is not a list for each of ${players} players`);
    }
    deal.worker_draws.forEach((draws, seat) => {
      checkSupply(`worker_draws of player ${seat}`, draws, worker_kinds, worker_supply[players]);
      state.worker_draws.set(
        draws.map((kind) => worker_kinds.indexOf(kind)),
        seat * row,
      );
    });
    const kinds = jungle_kinds.map((kind) => kind.name);
    checkSupply("jungle_draws", deal.jungle_draws, kinds, jungle_supply[players][Number(volcanoes)]);
    state.jungle_draws.set(deal.jungle_draws.map((kind) => kinds.indexOf(kind) + 1));
    this.call(state.bytes, "begin", 1);
    return new Game(this, options, deal, state, []);
  }

  /** A state with nothing but its options. */
  blank({ players, volcanoes, decisions = "auto", tableSize }) {
    const { codes } = this;
    if (!this.tables.players.includes(players)) throw new Error(`players is ${players}, expected 2, 3 or 4`);
    const number = codes.decisions.indexOf(decisions);
    if (number < 0) throw new Error(`decisions is ${decisions}, expected one of ${codes.decisions.join(", ")}`);
    const state = this.stateOf(new Uint8Array(this.stateSize));
    state.num_players[0] = players;
    state.volcanoes[0] = Number(volcanoes);
    state.decisions[0] = number;
    state.table_size[0] = tableSize || codes.table_size[players];
    return state;
  }

  stateOf(bytes) {
    return Object.assign(viewsOf(bytes.buffer, bytes.byteOffset, this.stateLayout), { bytes });
  }

  jungleKind(code) {
    const { jungle_kinds } = this.tables;
    return jungle_kinds[Math.min(code, jungle_kinds.length) - 1].name;
  }

  /** A move as an object, of the list that a record has. */
  moveOf(parts) {
    if (!Array.isArray(parts)) return parts;
    const [type, one, two, three] = parts;
    if (type === "act") return { type, worker: one, edge: two, workers: three, cell: beside(one, two) };
    const move = { type, tile: one, turn: two, cell: three };
    if (type !== "fill") move.edges = this.tables.variants[this.variantOf.get(`${one}/${two}`)]?.edges;
    return move;
  }

  /** A move as text, in the notation of records. */
  notation(move) {
    if (move.type === "act") {
      return `act ${move.worker} ${this.tables.sides[move.edge]} with ${move.workers}`;
    }
    const turned = move.type === "fill" && move.turn === 0 ? "" : `/${move.turn}`;
    return `${move.type} ${move.tile}${turned} at ${move.cell}`;
  }

  /** The move that a text means. */
  moveOfText(text) {
    const words = text.trim().replace(/\s+/g, " ");
    let found = /^act (-?\d{1,4}),(-?\d{1,4}) (\w+) with (\d)$/.exec(words);
    const edge = found ? this.tables.sides.indexOf(found[3]) : -1;
    if (edge >= 0) return this.moveOf(["act", [+found[1], +found[2]], edge, +found[4]]);
    found = /^(place|overbuild|fill) (\w+?)(?:\/(\d))? at (-?\d{1,4}),(-?\d{1,4})$/.exec(words);
    if (found) return this.moveOf([found[1], found[2], Number(found[3] || 0), [+found[4], +found[5]]]);
    throw new Error(
      `'${text}' is not a move; moves look like 'place 2101/1 at 0,1', 'overbuild 1111/0 at 2,1', ` +
        "'fill water at 0,2' or 'act 0,1 south with 1'",
    );
  }

  /** The game in a record's text, with every decision asked: {options, deal, actions, auto, players, game}. */
  readRecord(text) {
    return readRecord(this, text);
  }

  /** The record of a finished game as text; `players`: names. */
  writeRecord({ options, deal, actions }, players) {
    return writeRecord(this.replay({ options, deal, actions }), players);
  }

  /** A text as a name that a record may have. */
  asName = asName;

  /** The game of plain data {options, deal, actions}. */
  replay({ options, deal, actions }) {
    const game = this.game(options, deal);
    for (const action of actions) game.play(action);
    return game;
  }
}

export class Game {
  constructor(engine, options, deal, state, actions) {
    Object.assign(this, { engine, options, deal, actions });
    this.record = state;
  }

  /** What another page or a worker needs to have this game. */
  get data() {
    return { options: this.options, deal: this.deal, actions: this.actions };
  }

  get over() {
    return this.phase === "over";
  }

  get phase() {
    return this.engine.codes.phases[this.record.phase[0]];
  }

  get seat() {
    return this.over ? null : this.record.seat[0];
  }

  get state() {
    return this.position(null);
  }

  call(entry, ...numbers) {
    return this.engine.call(this.record.bytes, entry, ...numbers);
  }

  /** Play an action; Error says in one sentence why it is illegal, and nothing changes. */
  play(action) {
    if (!Number.isInteger(action)) throw new Error(`${action} is no action id`);
    const code = Math.abs(action) < 2 ** 31 ? this.call("play", action) : 1;
    if (code) throw this.refusal(action, code);
    this.actions.push(action);
  }

  /** The ids of the legal actions, ascending. */
  legal() {
    return this.ids(this.call("legal")).sort();
  }

  ids(count) {
    return Int32Array.from(this.engine.module.memory.ids.subarray(0, count), Number);
  }

  /** "", or why an action is illegal: {code, phase, sentence}. */
  whyIllegal(action) {
    const code = this.call("why", action);
    return code ? this.reason(code) : "";
  }

  reason(code) {
    const { name, sentence } = this.engine.codes.reasons[code];
    const { phase } = this;
    return { code: name, phase, sentence: sentence || `the decision to make now is to ${phase}` };
  }

  refusal(action, number) {
    const { code, sentence } = this.reason(number);
    return Object.assign(new Error(`illegal action ${action}: ${sentence}`), { code });
  }

  // --- Moves ---------------------------------------------------------------------------------

  at(cell) {
    const { torus } = this.engine.codes;
    const near = (value, least) => least + ((value - least) & (torus - 1));
    return [
      near(Math.floor(cell / torus), this.record.row_min[0] - 2),
      near(cell % torus, this.record.column_min[0] - 2),
    ];
  }

  cellOf([row, column]) {
    const { torus } = this.engine.codes;
    return (row & (torus - 1)) * torus + (column & (torus - 1));
  }

  get blocks() {
    const { codes, tables } = this.engine;
    const size = this.record.table_size[0];
    const fills = Math.floor((size * size) / 2) * tables.variants.length;
    return { size, fills, acts: fills + codes.fill_actions, end: fills + codes.fill_actions + codes.act_actions };
  }

  /** What an action means now, as the list that a record has. */
  parts(action) {
    const { variants } = this.engine.tables;
    const { size, fills, acts, end } = this.blocks;
    const state = this.record;
    if (!(action >= 0 && action < end)) throw new Error(`action ${action} is not in 0..${end - 1}`);
    if (action < fills) {
      const index = Math.floor(action / variants.length);
      let [row, column] = [Math.floor((2 * index) / size), (2 * index) % size];
      if ((row + column) % 2 === 0) [row, column] = [Math.floor((2 * index + 1) / size), (2 * index + 1) % size];
      const cell = [row + state.corner_row[0], column + state.corner_column[0]];
      const { tile, turn } = variants[action % variants.length];
      return [state.board[this.cellOf(cell)] > 0 ? "overbuild" : "place", tile, turn, cell];
    }
    if (state.last[0] < 0) throw new Error(`action ${action} fills or acts, and no tile was placed yet`);
    const last = this.at(state.last[0]);
    if (action < acts) {
      const [side, slot, turn] = [(action - fills) >> 2, ((action - fills) >> 1) & 1, (action - fills) & 1];
      const code = state.display[slot];
      return ["fill", code > 0 ? this.engine.jungleKind(code) : "nothing", turn, beside(last, side)];
    }
    const [side, facing, workers] = [(action - acts) >> 4, ((action - acts) >> 2) & 3, (action - acts) & 3];
    return ["act", beside(beside(last, side), facing), facing ^ 2, workers];
  }

  /** What an action means now. */
  move(action) {
    return this.engine.moveOf(this.parts(action));
  }

  notation(action) {
    return this.engine.notation(this.move(action));
  }

  parse(text) {
    return this.actionOf(this.engine.moveOfText(text));
  }

  /** The id of a legal move; Error says why it is none. */
  actionOf(given) {
    const move = this.engine.moveOf(given);
    const action = this.idOf(move);
    const why = this.whyIllegal(action);
    if (why) throw new Error(why.sentence);
    if (move.type === "place" || move.type === "overbuild") {
      const { type } = this.move(action);
      if (type !== move.type) {
        throw new Error(`the cell is ${type === "place" ? "empty" : "taken"}: ${move.type} is not the word`);
      }
    }
    return action;
  }

  idOf(move) {
    const { reasons, torus } = this.engine.codes;
    const because = (name) => new Error(Object.values(reasons).find((reason) => reason.name === name).sentence);
    const { size, fills, acts } = this.blocks;
    const state = this.record;
    if (this.over) throw because("game_over");
    const phase = move.type === "fill" || move.type === "act" ? move.type : "place";
    if (phase !== this.phase) throw new Error(`the decision to make now is to ${this.phase}`);
    const sideOf = (cell, otherwise) => {
      const last = this.at(state.last[0]);
      const side = [0, 1, 2, 3].find((s) => String(beside(last, s)) === String(cell));
      if (side === undefined) throw because(otherwise);
      return side;
    };
    if (phase === "place") {
      const variant = this.engine.variantOf.get(`${move.tile}/${move.turn}`);
      if (variant === undefined) throw new Error(`there is no worker tile '${move.tile}' with rotation ${move.turn}`);
      const row = move.cell[0] - state.corner_row[0];
      const column = move.cell[1] - state.corner_column[0];
      const inside = row >= 0 && column >= 0 && row < size && column < size && size <= torus;
      if (!inside || (row + column) % 2 === 0) throw because("not_a_place");
      return ((row * size + column) >> 1) * this.engine.tables.variants.length + variant;
    }
    if (phase === "fill") {
      const slot = [...state.display].findIndex((code) => code > 0 && this.engine.jungleKind(code) === move.tile);
      if (slot < 0) throw because("no_such_tile");
      return fills + (sideOf(move.cell, "not_to_fill") * 2 + slot) * 2 + move.turn;
    }
    const side = sideOf(beside(move.worker, move.edge), "not_pending");
    return acts + (side * 4 + (move.edge ^ 2)) * 4 + move.workers;
  }

  // --- Results -------------------------------------------------------------------------------

  /** Scores as if the game ended now. */
  scores() {
    this.call("result");
    return list(this.engine.module.memory.scores, 0, this.options.players);
  }

  /** Shares of the win as if the game ended now. */
  winShares() {
    this.call("result");
    return list(this.engine.module.memory.win_shares, 0, this.options.players);
  }

  /** The seats that share the win; [] until the game is over. */
  winners() {
    return this.over ? this.leaders() : [];
  }

  leaders() {
    return this.winShares().flatMap((share, seat) => (share > 0 ? [seat] : []));
  }

  /** Each seat's gold by source: it adds up to the score. */
  goldBySource() {
    const { tables, module } = this.engine;
    module.memory.actions.set(this.actions.map(BigInt));
    const again = this.clone();
    again.record.decisions[0] = this.engine.codes.decisions.indexOf(EXPLICIT);
    again.call("sources", this.record.decisions[0], this.actions.length);
    const width = tables.sources.length;
    return Array.from({ length: this.options.players }, (_, seat) => {
      const row = list(module.memory.sources, seat * width, (seat + 1) * width);
      return Object.fromEntries(tables.sources.map((name, i) => [name, row[i]]));
    });
  }

  // --- Other games ---------------------------------------------------------------------------

  clone() {
    const { engine, options, deal, actions } = this;
    return new Game(engine, options, deal, engine.stateOf(this.record.bytes.slice()), [...actions]);
  }

  /** Take back the last action. */
  undo() {
    if (!this.actions.length) throw new Error("there is no action to undo");
    const again = this.engine.replay({ ...this.data, actions: this.actions.slice(0, -1) });
    Object.assign(this, { record: again.record, actions: again.actions });
  }

  /** The game with every decision asked; `auto[i]`: whether this game made action i without asking. */
  elementary() {
    const game = this.engine.game({ ...this.options, decisions: EXPLICIT }, this.deal);
    const auto = [];
    let asked = 0;
    for (;;) {
      const played = game.over ? NONE : game.call("not_asked", this.record.decisions[0]);
      if (game.over || (played === NONE && asked === this.actions.length)) return { game, auto };
      game.play(played === NONE ? this.actions[asked++] : played);
      auto.push(played !== NONE);
    }
  }

  /** The game as agents are asked about it: forced decisions are left to it where the next one is real. */
  asked() {
    const one = this.clone();
    const [explicit, auto] = [EXPLICIT, "auto"].map((name) => this.engine.codes.decisions.indexOf(name));
    if (!one.over && one.record.decisions[0] === explicit && one.call("not_asked", auto) === NONE) {
      one.record.decisions[0] = auto;
    }
    return one;
  }

  /** The certain effect of a legal action and of the forced moves that follow it.
   *
   * `gains[seat]`: goods that change (`water` in fields, `temples` in gold as if the game ended then); `worth[seat]`:
   * the change of the score; `fills`, `acts`: cells to fill and edges to decide next; `draws`: a hidden tile comes
   * next; `ends`: the turn is over.
   */
  effects(action) {
    const one = this.clone();
    const state = one.record;
    const goods = () => GOODS.map((good) => [...state[good]]);
    const [before, scores] = [goods(), one.scores()];
    const [turn, drawn] = [state.turn[0], state.jungle_drawn[0]];
    const { decisions } = this.engine.codes;
    const automatic = this.options.decisions === "auto";
    state.decisions[0] = decisions.indexOf(EXPLICIT);
    one.play(action);
    while (automatic && !one.over && state.turn[0] === turn && state.jungle_drawn[0] === drawn) {
      const follows = one.call("not_asked", decisions.indexOf("auto"));
      if (follows === NONE) break;
      one.play(follows);
    }
    const after = goods();
    const ends = one.over || state.turn[0] !== turn;
    const effect = { gains: {}, worth: {}, fills: 0, acts: 0, draws: false, ends };
    one.scores().forEach((score, seat) => {
      const changes = GOODS.flatMap((good, i) =>
        after[i][seat] === before[i][seat] ? [] : [[good, after[i][seat] - before[i][seat]]],
      );
      if (changes.length) effect.gains[seat] = Object.fromEntries(changes);
      if (score !== scores[seat]) effect.worth[seat] = score - scores[seat];
    });
    if (!ends) {
      if (one.phase === "fill") effect.fills = bits(state.to_fill[0]);
      if (one.phase === "act") effect.acts = state.pending.reduce((sum, edges) => sum + bits(edges), 0);
      effect.draws = state.jungle_drawn[0] !== drawn;
    }
    return effect;
  }

  // --- The position --------------------------------------------------------------------------

  /** The position as plain data; `viewer`: a seat that sees no other hands, -1 for nobody, null for all hands. */
  position(viewer = null) {
    const state = this.record;
    const { tables } = this.engine;
    const { players } = this.options;
    const scores = this.scores();
    const phase = this.phase;
    const pile = {};
    tables.jungle_kinds.forEach(({ name }, number) => {
      if (state.jungle_pile[number + 1] > 0) pile[name] = state.jungle_pile[number + 1];
    });
    return {
      players,
      volcanoes: Boolean(state.volcanoes[0]),
      turn: state.turn[0],
      turns: players * state.tiles_each[0],
      phase,
      seat: this.seat,
      active: this.over ? null : state.active[0],
      overbuilding: Boolean(state.overbuilding[0]),
      tiles: [...this.jungleTiles(), ...this.workerTiles()],
      open: this.over ? [] : list(state.open_cells, 0, state.open_count[0]).map((cell) => this.at(cell)),
      fill: phase === "fill" ? this.cellsToFill() : [],
      display: [...state.display].filter((code) => code > 0).map((code) => this.engine.jungleKind(code)),
      pile,
      pile_size: state.num_jungle[0] - state.jungle_drawn[0],
      seats: scores.map((score, seat) => this.seatOf(seat, score, viewer)),
      pending: phase === "act" ? this.pending() : [],
      winners: this.winners(),
    };
  }

  jungleTiles() {
    const state = this.record;
    const { memory } = this.engine.module;
    const { players } = this.options;
    const volcano = this.engine.tables.jungle_kinds.length;
    return list(state.jungle_cells, 0, state.jungle_count[0]).map((cell) => {
      const [row, column] = this.at(cell);
      const code = state.board[cell];
      const tile = { row, column, last: false, kind: this.engine.jungleKind(code), turned: code > volcano };
      if (tile.kind === "temple") {
        this.call("temple", cell);
        tile.workers = list(memory.ids, 0, players);
        tile.gold = list(memory.scores, 0, players);
      }
      return tile;
    });
  }

  workerTiles() {
    const state = this.record;
    const { variants } = this.engine.tables;
    return list(state.worker_cells, 0, state.worker_count[0]).map((cell, i) => {
      const [row, column] = this.at(cell);
      const number = (state.board[cell] & (this.engine.codes.overbuilt - 1)) - 1;
      const owner = Math.floor(number / variants.length);
      const edges = (variant) => [...variants[variant].edges];
      const under = state.under[i] > 0 ? [{ owner, edges: edges(state.under[i] - 1) }] : [];
      return { row, column, last: cell === state.last[0], owner, edges: edges(number % variants.length), under };
    });
  }

  cellsToFill() {
    const last = this.at(this.record.last[0]);
    return [0, 1, 2, 3].filter((side) => (this.record.to_fill[0] >> side) & 1).map((side) => beside(last, side));
  }

  pending() {
    const state = this.record;
    const { variants } = this.engine.tables;
    const last = this.at(state.last[0]);
    const found = [];
    for (let seat = 0; seat < this.options.players; seat++) {
      for (let bit = 0; bit < 16; bit++) {
        if (!((state.pending[seat] >> bit) & 1)) continue;
        const cell = beside(last, bit >> 2);
        const worker = beside(cell, bit & 3);
        const number = (state.board[this.cellOf(worker)] & (this.engine.codes.overbuilt - 1)) - 1;
        const edge = (bit & 3) ^ 2;
        found.push({ seat, worker, cell, edge, workers: variants[number % variants.length].edges[edge] });
      }
    }
    return found;
  }

  seatOf(seat, score, viewer) {
    const state = this.record;
    const { worker_kinds, water_track } = this.engine.tables;
    const kinds = worker_kinds.length;
    const hand = worker_kinds.flatMap((kind, i) => Array(state.hand[seat * kinds + i]).fill(kind));
    const left = {};
    worker_kinds.forEach((kind, i) => {
      if (state.unplaced[seat * kinds + i] > 0) left[kind] = state.unplaced[seat * kinds + i];
    });
    return {
      gold: state.gold[seat],
      score,
      cacao: state.cacao[seat],
      sun: state.sun[seat],
      water: state.water[seat],
      worth: water_track[state.water[seat]],
      hand: viewer === null || viewer === seat ? hand : null,
      held: hand.length,
      left,
      pile: state.tiles_each[0] - state.drawn[seat],
    };
  }
}

const STEPS = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
];

/** The cell beside another: on its north (0), east, south or west. */
export function beside([row, column], side) {
  return [row + STEPS[side][0], column + STEPS[side][1]];
}

function bits(number) {
  let count = 0;
  for (let rest = number; rest; rest &= rest - 1) count++;
  return count;
}

function checkSupply(name, draws, kinds, supply) {
  if (!Array.isArray(draws)) throw new Error(`${name} is not a list of kinds of tiles`);
  const unknown = draws.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined) {
    throw new Error(`${name} has ${String(JSON.stringify(unknown)).slice(0, 80)}, which is not a kind of tile`);
  }
  kinds.forEach((kind, number) => {
    const copies = draws.filter((one) => one === kind).length;
    if (copies !== supply[number]) throw new Error(`${name} has ${copies} of ${kind}, expected ${supply[number]}`);
  });
}
