// What the page shows, and the person's settings.  Every change ends in update().

import { LEVELS, levelsFor } from "./levels.js";
import { chooseLanguage, LANGUAGES, t } from "./words.js";

/** @import { Saved, Cell, Move, Puzzle } from "./types.js" */
/** @import { Session } from "./session.js" */

export const SETTINGS = {
  language: "",
  theme: /** @type {"auto" | "light" | "dark"} */ ("auto"),
  oneClick: false,
  motion: true,
  pace: 1, // of SECONDS
  sound: false,
  heat: true,
  zoom: 0, // pixels of a cell; 0: all is shown
  name: "", // in what is shared
  newGame: { players: 2, level: "grower", volcanoes: false, seconds: 1 },
};

export const SECONDS = [0.9, 0.5, 0.2, 0]; // that each move of others is shown

export const app = {
  engine: /** @type {import("./types.js").Engine} */ (/** @type {unknown} */ (null)),
  client: /** @type {import("./types.js").Client | null} */ (null),
  store: /** @type {import("./save.js").Store} */ (/** @type {unknown} */ (null)),
  puzzles: /** @type {Puzzle[]} */ ([]),
  settings: structuredClone(SETTINGS),
  progress: {
    solved: /** @type {Record<string, string>} */ ({}), // puzzles, and the day
    tried: /** @type {Record<string, boolean>} */ ({}), // puzzles that are in the rating
    rating: 1200,
    streak: 0,
    taught: false, // the lesson was opened or a game begun
    step: 0, // of the lesson
  },

  session: /** @type {Session | null} */ (null),
  ply: 0, // the frame shown
  pick: noPick(),
  hover: /** @type {Cell | null} */ (null),
  cursor: /** @type {Cell | null} */ (null),
  preview: /** @type {(Move & { seat: number }) | null} */ (null), // shown on the table without being played
  marked: /** @type {number | null} */ (null), // the seat whose tiles stand out
  opened: /** @type {number | null} */ (null), // the seat whose score is broken down
  about: /** @type {Cell | null} */ (null),
  lifted: /** @type {Set<string>} */ (new Set()), // overbuilt tiles that show what lies below
  allHands: true,

  dialog: /** @type {string | null} */ (null),
  panel: /** @type {string | null} */ (null), // open on a small screen
  message: /** @type {{ text: string, good?: boolean, act?: () => void, label?: string } | null} */ (null),
  spoken: "",
  told: "", // of the others' moves, since a person was asked
  games: /** @type {Saved[]} */ ([]),

  paused: false,
  deciding: false, // an agent is asked
  playing: false, // frames run by themselves
  showing: false, // moves of others are shown one by one
  run: 0, // counts runs of agents and of frames; only the latest goes on
  shownTo: /** @type {number | null} */ (null), // the person who sees the screen, of several
  noCurtain: false,
  floats: /** @type {{ id: number, from: Cell, cell: Cell, seat: number, good: string, text: string }[]} */ ([]),
  counting: /** @type {{ at: number, cells: Cell[] } | null} */ (null), // temples, one by one

  agent: "jaguar", // the level that thinks and hints
  thought: /** @type {(import("./types.js").Analysis & { ply: number, cells: Cell[] }) | null} */ (null),
  thinking: /** @type {AbortController | null} */ (null),
  asked: /** @type {AbortController | null} */ (null), // for the move of an agent
  everyStep: false,
  hint: "",
  reviewing: /** @type {{ done: number, total: number, abort: AbortController } | null} */ (null),
  curve: /** @type {"scores" | "chances"} */ ("scores"),
  trying:
    /** @type {{ of: Saved, ply: number, text: string, solved: boolean, best?: number, reason: string[], why?: string[] } | null} */ (
      null
    ),
  puzzle: /** @type {{ at: number, text: string, why?: string[], solved: boolean, shown: boolean } | null} */ (null),
  lesson: /** @type {{ step: number, text: string, solved: boolean } | null} */ (null),
  coach: /** @type {{ text: string, more?: string, at?: Cell } | null} */ (null), // what it says now, and of which space
};

/** @returns {{ tile: string | null, action: number | null, turn: number }} */
export function noPick() {
  return { tile: null, action: null, turn: 0 };
}

/** @type {() => void} */
let draw = () => undefined;
/** @param {() => void} drawing */
export const onUpdate = (drawing) => {
  draw = drawing;
};

/** @param {Partial<typeof app>} changes */
export function update(changes = {}) {
  Object.assign(app, changes);
  draw();
}

/** @param {number} seconds */
export const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

export const isStill = () => !app.settings.motion || matchMedia("(prefers-reduced-motion: reduce)").matches;
export const frame = () => app.session?.frames[app.ply] ?? null;
export const atEnd = () => app.ply === app.session?.last;

/** The person whom the screen is to be handed to, of several; else null. */
export function curtainFor() {
  const { session } = app;
  if (!session || session.people.length < 2 || app.noCurtain || session.awaits !== "person" || !atEnd()) return null;
  const { seat } = session.now;
  return seat === app.shownTo ? null : seat;
}

/** Return the seat whose hand the page shows: the person's, else the deciding seat's; null if it is hidden. */
export function handSeat() {
  const { session } = app;
  const now = frame()?.position;
  if (!session || !now || curtainFor() !== null) return null;
  const { viewer } = session;
  const seat = viewer ?? now.seat ?? session.people[0] ?? 0;
  return seat >= 0 && session.hand(app.ply, seat, app.allHands) ? seat : null;
}

/** An exercise: a puzzle, a move that is tried again, a step of the lesson. */
export const exercise = () => app.trying ?? app.puzzle ?? app.lesson;

/** Whether the game shown goes on here, or has just ended: no record, no exercise, nothing looked back at. */
export const isLive = () => app.session?.saved.kind === "game" && (!app.session.over || atEnd());

/** The levels that can play such a game. @param {number} players @param {boolean} volcanoes */
export const levels = (players, volcanoes) => levelsFor(app.engine.agents, players, volcanoes);

/** The strongest level that can play it, none of one's own. @param {import("./types.js").Options} options */
export const strongest = ({ players, volcanoes }) =>
  /** @type {import("./levels.js").Level} */ (levels(players, volcanoes).findLast((one) => LEVELS.includes(one))).id;

/** The name of a seat. @param {number} seat */
export function nameOf(seat) {
  return app.session ? namesOf(app.session.players)[seat] : t.player(seat + 1);
}
/** The names of players; a person alone is "You". @param {import("./types.js").Player[]} players */
export const namesOf = (players) => {
  const isAlone = players.filter(({ person }) => person).length === 1;
  return players.map(({ name, person }, seat) => name || (isAlone && person ? t.you : t.player(seat + 1)));
};
export const names = () => (app.session?.players ?? []).map((_, seat) => nameOf(seat));

/** @param {string} text */
export const speak = (text) => update({ spoken: text });

let telling = 0;
/** @param {string} text @param {{ good?: boolean, act?: () => void, label?: string }} more */
export function say(text, more = {}) {
  clearTimeout(telling);
  telling = Number(setTimeout(() => update({ message: null }), more.good ? 4000 : 12000));
  update({ message: { text, ...more } });
}

// --- Settings ------------------------------------------------------------------------------------

/** @param {Partial<typeof SETTINGS>} changes */
export function set(changes) {
  Object.assign(app.settings, changes);
  applySettings();
  void app.store.set("settings", app.settings);
  update();
}

export function applySettings() {
  const { language, theme } = app.settings;
  chooseLanguage([language, ...navigator.languages].filter(Boolean));
  document.documentElement.lang = Object.keys(LANGUAGES).find((key) => LANGUAGES[key] === t) ?? "en";
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.motion = isStill() ? "off" : "on";
}
