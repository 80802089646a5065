// A game on the page: its players, its positions so far, the legal choices, and undo.
// It asks the engine and knows no rule itself.

/** @typedef {import("./types.js").Engine} Engine @typedef {import("./types.js").Saved} Saved
 * @typedef {import("./types.js").Frame} Frame @typedef {import("./types.js").Choice} Choice
 * @typedef {import("./types.js").Player} Player @typedef {import("./types.js").Cell} Cell */

const NOBODY = -1; // a viewer who sees no hand
/** @param {any} one */
const isPlayer = (one) =>
  typeof one?.person === "boolean" && typeof one.name === "string" && (one.person || typeof one.agent === "string");

export class Session {
  /** @param {Engine} engine @param {Saved} saved */
  constructor(engine, saved) {
    const { options, deal, players } = saved;
    if (!Array.isArray(players) || players.length !== options?.players || !players.every(isPlayer))
      throw new Error("a game has a player with a name for each seat");
    this.engine = engine;
    this.saved = saved;
    this.players = players;
    /** @type {Frame[]} one for each elementary move, and the deal */
    this.frames = [];
    /** @type {number[]} the frame at which each action was chosen */
    this.asked = [];
    /** @type {Choice[]} of a person, or of whoever decides */
    this.offered = [];
    /** @type {number[]} actions that were taken back */
    this.undone = [];
    this.game = engine.game(options, deal);
    this.shown = engine.game({ ...options, decisions: "explicit" }, deal);
    this.replay(saved.actions);
  }

  /** @param {number[]} actions */
  replay(actions) {
    const { options, deal } = this.saved;
    this.game = this.engine.game(options, deal);
    this.shown = this.engine.game({ ...options, decisions: "explicit" }, deal);
    this.frames = [this.frame(null)];
    this.asked = [];
    this.follow();
    for (const action of actions) this.add(action);
    this.changed();
  }

  /** @param {number} action */
  play(action) {
    this.undone = [];
    this.add(action);
    this.changed();
  }

  /** @param {number} action */
  add(action) {
    const at = this.frames.length - 1;
    this.game.play(action);
    this.asked.push(at);
    this.follow();
  }

  // Add the elementary moves that the game has made since, forced ones included.
  follow() {
    const { game, auto } = this.game.elementary();
    for (let k = this.frames.length - 1; k < auto.length; k += 1) {
      const action = game.actions[k];
      const step = { seat: this.shown.seat ?? 0, auto: auto[k], action };
      const move = this.shown.move(action);
      this.shown.play(action);
      this.frames.push(this.frame(step, move));
    }
  }

  /** @param {import("./types.js").Step | null} step @param {import("./types.js").Move | null} move @returns {Frame} */
  frame(step, move = null) {
    const at = move ? (move.worker ? [move.worker, move.cell] : [move.cell]) : [];
    return { position: this.shown.position(null), sources: this.shown.goldBySource(), step, move, at };
  }

  changed() {
    const { position } = this.frames[this.last];
    const actions = [...this.game.actions];
    Object.assign(this.saved, {
      changed: String(actions) === String(this.saved.actions) ? this.saved.changed : Date.now(),
      actions,
      over: position.phase === "over",
      scores: position.seats.map((seat) => seat.score),
      winners: position.winners,
      turn: position.turn,
      turns: position.turns,
    });
    this.offered = this.saved.over ? [] : this.choicesNow();
  }

  get last() {
    return this.frames.length - 1;
  }

  get over() {
    return this.saved.over;
  }

  get now() {
    return this.frames[this.last].position;
  }

  /** The seats of people. */
  get people() {
    return this.players.flatMap((one, seat) => (one.person ? [seat] : []));
  }

  /** Return who decides: "person", "agent", or null at the end and in a record. @returns {"person" | "agent" | null} */
  get awaits() {
    if (this.over || this.saved.kind !== "game") return null;
    return this.players[this.now.seat ?? 0].person ? "person" : "agent";
  }

  /** Whose hand may be shown: a seat, NOBODY, or null for all. */
  get viewer() {
    if (this.saved.kind === "record" || this.over || !this.people.length) return null;
    if (this.saved.kind === "puzzle") return this.saved.viewer ?? this.now.seat;
    if (this.people.length === 1) return this.people[0];
    return this.awaits === "person" ? this.now.seat : NOBODY;
  }

  /** The hand of a seat as it may be shown at a frame; null where it is hidden.
   * @param {number} ply @param {number} seat @param {boolean} all whether a spectator sees all hands */
  hand(ply, seat, all = true) {
    const { position } = this.frames[ply];
    const { viewer } = this;
    const mayLook =
      viewer === null
        ? all || seat === position.seat
        : viewer === seat && (this.saved.kind === "puzzle" || this.people.length === 1 || ply === this.last);
    return mayLook ? position.seats[seat].hand : null;
  }

  // Every legal choice; of choices with the same effect at one edge only the first.
  choicesNow() {
    const seat = this.now.seat ?? 0;
    /** @type {Map<string, Choice>} */
    const found = new Map();
    for (const action of this.game.legal()) {
      const move = this.game.move(action);
      const effects = this.game.effects(action);
      const key = move.type === "act" ? JSON.stringify([move.worker, move.cell, effects]) : String(action);
      const before = found.get(key);
      if (!before || (before.move.workers ?? 0) > (move.workers ?? 0))
        found.set(key, { action, move, effects, worth: effects.worth[seat] ?? 0 });
    }
    const choices = [...found.values()];
    if (choices[0]?.move.type === "act")
      choices.sort((a, b) => b.worth - a.worth || (b.move.workers ?? 0) - (a.move.workers ?? 0));
    return choices;
  }

  get canUndo() {
    return this.saved.kind !== "record" && this.undoTo() !== null;
  }

  /** The number of actions before a person's last decision. */
  undoTo() {
    for (let k = this.asked.length - 1; k >= 0; k -= 1) {
      const step = this.frames[this.asked[k] + 1]?.step;
      if (step && this.players[step.seat].person) return k;
    }
    return null;
  }

  /** Take back a person's last decision and everything after it. */
  undo() {
    const { actions } = this.saved;
    const to = this.undoTo();
    if (to === null) return;
    this.undone = [...actions.slice(to), ...this.undone];
    this.replay(actions.slice(0, to));
  }

  /** Play again what was taken back, until a person decides. */
  redo() {
    do {
      this.add(/** @type {number} */ (this.undone.shift()));
      this.changed();
    } while (this.undone.length && this.awaits === "agent");
  }

  /** The game as agents take it, at the decision at or after a frame. @param {number} ply */
  dataAt(ply) {
    const { options, deal, actions } = this.saved;
    const count = this.asked.filter((at) => at < ply).length;
    return { options, deal, actions: actions.slice(0, count) };
  }

  /** The number of the decision at a frame, or -1. @param {number} ply */
  decisionAt(ply) {
    return this.asked.indexOf(ply);
  }

  /** The kind of the jungle tile that the move to a frame used. @param {number} ply */
  kindAt(ply) {
    const { move, position } = this.frames[ply];
    return move?.type === "act" ? kindOn(position, move.cell) : "";
  }

  /** What the move to a frame changed, by seat. @param {number} ply @param {number} from */
  gains(ply, from = ply - 1) {
    const [before, after] = [this.frames[from], this.frames[ply]];
    return after.position.seats.map((seat, number) => {
      const old = before.position.seats[number];
      return {
        gold: seat.gold - old.gold,
        cacao: seat.cacao - old.cacao,
        sun: seat.sun - old.sun,
        water: seat.water - old.water,
        temples: after.sources[number].temples - before.sources[number].temples,
      };
    });
  }

  /** Cells of the last placement and fills: what is new on the table at a frame, at most four. @param {number} ply */
  newCells(ply) {
    const turn = this.frames[ply].position.turn;
    const isNew = (/** @type {number} */ k) => this.frames[k - 1].position.turn === turn;
    let from = ply;
    while (from > 0 && isNew(from)) from -= 1;
    if (from === ply) {
      // A turn has just begun: show the one before it.
      while (from > 0 && this.frames[from - 1].position.turn === this.frames[ply - 1]?.position.turn) from -= 1;
    }
    return this.frames.slice(from + 1, ply + 1).flatMap(({ move }) => (move && move.type !== "act" ? [move.cell] : []));
  }
}

const STEPS = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
];
/** The cell on a side of another: north, east, south, west. @param {readonly number[]} cell @param {number} side
 * @returns {Cell} */
export const beside = ([row, column], side) => [row + STEPS[side][0], column + STEPS[side][1]];

/** @param {import("./types.js").Position} position @param {readonly number[]} cell */
export const tileOn = (position, cell) =>
  position.tiles.find((tile) => tile.row === cell[0] && tile.column === cell[1]);

/** @param {import("./types.js").Position} position @param {readonly number[]} cell */
export const kindOn = (position, cell) => tileOn(position, cell)?.kind ?? "";

/** @param {readonly number[] | null | undefined} a @param {readonly number[] | null | undefined} b */
export const same = (a, b) => Boolean(a && b && a[0] === b[0] && a[1] === b[1]);
