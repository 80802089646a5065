// What the page shows, and everything that can be done to it.  Every change ends in update().

import { LEVELS, levelsFor, namesFor } from "./levels.js";
import { packed, unpacked, wantedBy } from "./link.js";
import { exported, imported } from "./save.js";
import { kindOn, Session, same } from "./session.js";
import { sound } from "./sound.js";
import {
  capital,
  cellWords,
  choiceWords,
  chooseLanguage,
  effectWords,
  goodsWords,
  kindWords,
  LANGUAGES,
  moveWords,
  namesWords,
  num,
  reasonWords,
  t,
} from "./words.js";

/** @typedef {import("./types.js").Saved} Saved @typedef {import("./types.js").Choice} Choice
 * @typedef {import("./types.js").Cell} Cell @typedef {import("./types.js").Move} Move
 * @typedef {import("./types.js").Player} Player @typedef {import("./types.js").Puzzle} Puzzle */

export const SETTINGS = {
  language: "",
  theme: /** @type {"auto" | "light" | "dark"} */ ("auto"),
  oneClick: false,
  motion: true,
  pace: 1, // of SECONDS
  sound: false,
  heat: true,
  zoom: 0, // pixels of a cell; 0: all is shown
  newGame: { players: 2, level: "grower", volcanoes: false, seconds: 1 },
};
const BETWEEN = 8; // seconds between two games that are watched
const SECONDS = [0.9, 0.5, 0.2, 0]; // that each move of others is shown

export const app = {
  engine: /** @type {import("./types.js").Engine} */ (/** @type {unknown} */ (null)),
  client: /** @type {import("./types.js").Client | null} */ (null),
  store: /** @type {import("./save.js").Store} */ (/** @type {unknown} */ (null)),
  puzzles: /** @type {Puzzle[]} */ ([]),
  settings: structuredClone(SETTINGS),
  progress: { solved: /** @type {Record<string, string>} */ ({}), seen: /** @type {string[]} */ ([]) },

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
  games: /** @type {Saved[]} */ ([]),

  paused: false,
  deciding: false, // an agent is asked
  playing: false, // frames run by themselves
  run: 0, // counts runs of agents and of frames; only the latest goes on
  shownTo: /** @type {number | null} */ (null), // the person who sees the screen, of several
  noCurtain: false,
  floats: /** @type {{ id: number, cell: Cell, seat: number, text: string }[]} */ ([]),
  counting: /** @type {{ at: number, cells: Cell[] } | null} */ (null), // temples, one by one

  agent: "jaguar", // the level that thinks and hints
  thought: /** @type {(import("./types.js").Analysis & { ply: number }) | null} */ (null),
  thinking: /** @type {AbortController | null} */ (null),
  asked: /** @type {AbortController | null} */ (null), // for the move of an agent
  everyStep: false,
  hint: "",
  reviewing: /** @type {{ done: number, total: number, abort: AbortController } | null} */ (null),
  curve: /** @type {"scores" | "chances"} */ ("scores"),
  trying: /** @type {{ of: Saved, ply: number, text: string, solved: boolean } | null} */ (null),
  puzzle: /** @type {{ at: number, text: string, solved: boolean } | null} */ (null),
};

/** @returns {{ tile: string | null, action: number | null, turn: number }} */
function noPick() {
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
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

export const isStill = () => !app.settings.motion || matchMedia("(prefers-reduced-motion: reduce)").matches;
export const frame = () => app.session?.frames[app.ply] ?? null;
export const atEnd = () => app.ply === app.session?.last;

/** The seat whose hand lies beside the table: of the person, else of who decides; null where it is hidden. */
export function handSeat() {
  const { session } = app;
  const now = frame()?.position;
  if (!session || !now || curtainFor() !== null) return null;
  const { viewer } = session;
  const seat = viewer ?? now.seat ?? session.people[0] ?? 0;
  return seat >= 0 && session.hand(app.ply, seat, app.allHands) ? seat : null;
}

/** The name of a seat. @param {number} seat */
export function nameOf(seat) {
  const one = app.session?.players[seat];
  if (!one) return t.player(seat + 1);
  return one.name || (app.session?.people.length === 1 && one.person ? t.you : t.player(seat + 1));
}
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

// --- Opening games -------------------------------------------------------------------------------

/** Show a game. @param {Saved} saved @param {{ ply?: number, keep?: boolean }} how */
export function open(saved, { ply = -1, keep = true } = {}) {
  stopAll();
  const session = new Session(app.engine, saved);
  Object.assign(app, {
    session,
    ply: ply >= 0 ? Math.min(ply, session.last) : saved.kind === "record" ? 0 : session.last,
    pick: noPick(),
    hover: null,
    cursor: null,
    preview: null,
    marked: null,
    opened: null,
    about: null,
    lifted: new Set(),
    dialog: null,
    panel: null,
    paused: false,
    shownTo: null,
    noCurtain: false,
    floats: [],
    counting: null,
    thought: null,
    hint: "",
    curve: saved.review ? "chances" : "scores",
    trying: null,
    puzzle: null,
  });
  if (keep && saved.kind !== "puzzle") void app.store.keep(saved);
  showBest();
  settle();
}

const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(9)), (n) => n.toString(36).padStart(2, "0")).join("");

/** A game that has just been dealt.
 * @param {{ players: Player[], volcanoes?: boolean, seed?: number | string, coached?: boolean, watched?: boolean }} wish */
export function begin({ players, volcanoes = false, seed, coached = false, watched = false }) {
  const given = seed ?? crypto.getRandomValues(new Uint32Array(1))[0];
  const deal = app.engine.deal({ players: players.length, volcanoes, seed: given });
  const options = { players: players.length, volcanoes, decisions: /** @type {const} */ ("auto") };
  open(made({ options, deal, actions: [] }, players, { coached, watched, seed: asNumber(given) }));
}

/** @param {number | string} seed */
const asNumber = (seed) => [...String(seed)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);

/** @param {import("./types.js").GameData} data @param {Player[]} players @param {Partial<Saved>} more @returns {Saved} */
function made({ options, deal, actions }, players, more = {}) {
  const id = newId();
  const now = Date.now();
  const start = { over: false, scores: [], winners: [], turn: 0, turns: 0 };
  return {
    id,
    kind: "game",
    seed: asNumber(id),
    options,
    deal,
    actions,
    players,
    created: now,
    changed: now,
    ...start,
    ...more,
  };
}

/** @param {string} level @param {string} name @param {number} seconds of the strongest @returns {Player} */
export function opponent(level, name, seconds = 1) {
  const one = levels(2, false).find(({ id }) => id === level) ?? LEVELS.find(({ id }) => id === level) ?? LEVELS[1];
  return {
    person: false,
    name,
    level: one.id,
    agent: one.agent,
    slips: one.slips,
    sims: one.sims,
    ms: one.ms && 1000 * seconds,
  };
}

/** @param {number} players @param {boolean} volcanoes */
export const levels = (players, volcanoes) => levelsFor(app.engine.agents, players, volcanoes);

/** A first game, with a coach. */
export function beginFirst() {
  begin({ players: [{ person: true, name: "" }, opponent("seedling", namesFor(1, Date.now())[0])], coached: true });
}

/** Games of a run's newest checkpoint against an earlier one, one after the other. */
export function watch() {
  const seat = (/** @type {string} */ agent) => ({
    person: /** @type {const} */ (false),
    name: agent,
    level: "own",
    agent,
  });
  const seats = [seat("newest"), seat("earlier")];
  begin({ players: app.session ? seats.reverse() : seats, watched: true });
}

/** The same players again; their seats move on by some. @param {number} by */
export function rematch(by) {
  const { players, options } = /** @type {Session} */ (app.session).saved;
  begin({ players: players.map((_, seat) => players[(seat + by) % players.length]), volcanoes: options.volcanoes });
}

/** Play on from a frame, against the same players or, of a record, against the strongest. @param {number} ply */
export function playFrom(ply) {
  const session = /** @type {Session} */ (app.session);
  const { saved } = session;
  const seat = session.frames[ply].position.seat ?? 0;
  const best = levels(saved.options.players, saved.options.volcanoes).at(-1)?.id ?? "grower";
  const isPlayed = saved.players.some((one) => one.person);
  const others = namesFor(saved.players.length, Date.now());
  const players = isPlayed
    ? saved.players
    : saved.players.map((_, k) =>
        k === seat ? { person: /** @type {const} */ (true), name: "" } : opponent(best, others[k]),
      );
  open(made(session.dataAt(ply), players, { from: saved.id, seed: saved.seed }));
}

/** Open a game of a file's text: a record, a saved game, or a list of games. @param {string} text */
export async function openText(text) {
  try {
    const data = JSON.parse(text);
    if (data?.format === "cacao-games") return await takeGames(data);
    const found = app.engine.readRecord(text);
    const given = found.players ?? [];
    const players = Array.from({ length: found.options.players }, (_, seat) => ({
      person: /** @type {const} */ (true),
      name: given[seat] ?? t.player(seat + 1),
    }));
    const { decisions } = data.rules;
    const actions = found.actions.filter((_, k) => decisions === "explicit" || !found.auto[k]);
    open(
      made({ ...found, actions, options: { ...found.options, decisions } }, players, {
        kind: "record",
        review: data.review ?? null,
      }),
    );
  } catch (error) {
    say(t.badFile(/** @type {Error} */ (error).message));
  }
}

/** @param {any} data */
async function takeGames(data) {
  const games = imported(data);
  for (const one of games) new Session(app.engine, one); // refuses what the rules refuse
  for (const one of games) await app.store.keep(one);
  say(t.imported(games.length), { good: true });
  if (games.length === 1) return open(games[0]);
  await showGames();
}

export async function showGames() {
  update({ dialog: "games", games: await app.store.games() });
}

export async function exportGames() {
  download("cacao-games.json", exported(await app.store.games()));
}

/** @param {Saved} saved */
export async function removeGame(saved) {
  await app.store.remove(saved.id);
  update({ games: await app.store.games() });
  say(t.deleted, {
    good: true,
    label: t.undoDelete,
    act: async () => {
      await app.store.keep(saved);
      update({ games: await app.store.games(), message: null });
    },
  });
}

/** Open what the address names. */
export async function openWanted() {
  const wanted = wantedBy(location.hash);
  if (wanted.data) {
    try {
      const { kind, ...found } = await unpacked(wanted.data);
      return open(made(found, found.players, { ...found.more, kind: kind ?? "game", id: newId() }), {
        ply: wanted.ply,
      });
    } catch {
      say(t.badLink);
    }
  } else if (wanted.game) {
    if (app.session?.saved.id === wanted.game) return wanted.ply >= 0 ? go(wanted.ply) : undefined;
    const saved = await app.store.game(wanted.game);
    if (saved) return open(saved, { ply: wanted.ply, keep: false });
    say(t.lostGame);
  }
  if (!app.session) update({ dialog: "new" });
}

function remember() {
  const { session } = app;
  if (!session || session.saved.kind === "puzzle") return;
  const ply = atEnd() && session.saved.kind === "game" ? "" : `&ply=${app.ply}`;
  const hash = `#game=${session.saved.id}${ply}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

// --- Choosing ------------------------------------------------------------------------------------

/** Whether a person chooses now. */
export function isChoosing() {
  const { session } = app;
  return Boolean(session && choosers() && atEnd() && curtainFor() === null && !app.counting);
}

/** The choices of a person at the frame shown. */
export const offered = () => (isChoosing() ? (app.session?.offered ?? []) : []);

function choosers() {
  const { session, trying, puzzle } = app;
  if (trying || puzzle) return !(trying ?? puzzle)?.solved;
  return session?.awaits === "person";
}

/** The person whom the screen is to be handed to, of several; else null. */
export function curtainFor() {
  const { session } = app;
  if (!session || session.people.length < 2 || app.noCurtain || session.awaits !== "person" || !atEnd()) return null;
  const { seat } = session.now;
  return seat === app.shownTo ? null : seat;
}

export const tilesOffered = () => [...new Set(offered().flatMap(({ move }) => (move.tile ? [move.tile] : [])))];

/** The choices at a cell, with the tile picked. @param {Cell | null} cell */
export function choicesAt(cell) {
  if (!cell) return [];
  return offered().filter(({ move }) =>
    move.type === "act"
      ? same(move.cell, cell) || same(move.worker, cell)
      : same(move.cell, cell) && move.tile === app.pick.tile,
  );
}

export const picked = () => offered().find(({ action }) => action === app.pick.action) ?? null;

/** What the table shows as a ghost: the choice picked, or the one under the pointer. */
export function ghost() {
  const one = picked();
  if (one) return one;
  const there = choicesAt(app.hover);
  return there.find(({ move }) => move.turn === app.pick.turn) ?? there[0] ?? null;
}

/** @param {Choice} choice */
export function choose(choice) {
  const { move, action } = choice;
  app.pick = { tile: move.tile ?? app.pick.tile, action, turn: move.turn ?? app.pick.turn };
  update({ about: null, preview: null });
  speak(spokenChoice(choice));
}

/** @param {string} tile */
export function pickTile(tile) {
  const before = picked();
  app.pick = { ...app.pick, tile, action: null };
  const cells = [...new Map(offered().map(({ move }) => [String(move.cell), move.cell])).values()];
  const cell = before?.move.cell ?? (frame()?.position.phase === "fill" && cells.length === 1 ? cells[0] : null);
  const there = choicesAt(cell);
  const next = there.find(({ move }) => move.turn === app.pick.turn) ?? there[0];
  if (next) choose(next);
  else update();
}

/** A click on the table: choose there, turn what is chosen there, or tell what lies there. @param {Cell} cell */
export function clickCell(cell) {
  const there = choicesAt(cell);
  const now = picked();
  if (!there.length) return update({ about: same(app.about, cell) ? null : cell, pick: { ...app.pick, action: null } });
  const kept = now && there.includes(now);
  if (kept) return turn(1);
  const next = there.find(({ move }) => move.turn === app.pick.turn) ?? there[0];
  choose(next);
  if (app.settings.oneClick && next.move.type !== "act") confirm();
}

/** Turn the tile chosen, or go to the next choice there. @param {number} by */
export function turn(by) {
  const now = ghost();
  if (!now) return;
  const there = choicesAt(now.move.cell).filter(({ move }) => move.type === now.move.type);
  if (there.length < 2) return;
  const next = there[(there.indexOf(now) + by + there.length) % there.length];
  if (picked()) return choose(next);
  update({ pick: { ...app.pick, turn: next.move.turn ?? 0 } });
}

/** @param {Choice} choice */
export function chooseOrPlay(choice) {
  choose(choice);
  if (app.settings.oneClick) confirm();
}

export function cancel() {
  update({ pick: { ...app.pick, action: null }, about: null, preview: null, panel: null });
}

/** Play what is chosen. */
export function confirm() {
  const choice = picked();
  const { session } = app;
  if (!choice || !session) return;
  if (app.trying) return judgeTry(choice);
  if (app.puzzle) return judgePuzzle(choice);
  const from = session.last;
  session.play(choice.action);
  sound(choice.move.type);
  void keep();
  void show(from, false);
}

export function undo() {
  const { session } = app;
  if (!session?.canUndo) return;
  stopAll();
  session.undo();
  Object.assign(app, {
    ply: session.last,
    hint: "",
    thought: null,
    preview: null,
    about: null,
    floats: [],
    counting: null,
    curve: "scores",
  });
  app.shownTo = session.now.seat;
  void keep();
  settle();
}

async function keep() {
  const { session } = app;
  if (!session || session.saved.kind === "puzzle") return;
  await app.store.keep(session.saved);
  tabs?.postMessage(session.saved.id);
}

// --- Other tabs ----------------------------------------------------------------------------------

const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("cacao");
if (tabs)
  tabs.onmessage = async ({ data }) => {
    const { session } = app;
    if (!session || session.saved.id !== data) return;
    const saved = await app.store.game(data);
    if (!saved || app.session !== session || String(saved.actions) === String(session.saved.actions)) return;
    stopAll();
    session.saved = saved;
    session.replay(saved.actions);
    update({ ply: session.last });
    settle();
  };

// --- The others' turns ---------------------------------------------------------------------------

function stopAll() {
  app.run += 1;
  Object.assign(app, { playing: false, deciding: false });
  app.thinking?.abort();
  app.reviewing?.abort.abort();
  app.asked?.abort();
  Object.assign(app, { thinking: null, reviewing: null });
}

// Show the frames after one: each for a moment where others move and motion is wanted, else the last at once.
/** @param {number} from @param {boolean} slowly */
async function show(from, slowly) {
  const session = /** @type {Session} */ (app.session);
  app.run += 1;
  const { run } = app;
  const seconds = slowly && !isStill() ? SECONDS[app.settings.pace] : 0;
  Object.assign(app, {
    pick: { ...noPick(), turn: app.pick.turn },
    preview: null,
    thought: null,
    hint: "",
    about: null,
  });
  if (!seconds) {
    app.ply = session.last;
    float(from, session.last);
  }
  while (app.ply < session.last) {
    app.ply += 1;
    float(app.ply - 1, app.ply);
    if (app.ply === session.last) break; // who decides next may choose at once
    update();
    await sleep(seconds);
    if (app.run !== run) return;
  }
  settle();
}

/** The last frame is reached: people choose, agents are asked, temples are counted. */
export function settle() {
  const { session } = app;
  const tiles = tilesOffered();
  app.pick = {
    ...app.pick,
    action: null,
    tile: tiles.includes(app.pick.tile ?? "") ? app.pick.tile : (tiles[0] ?? null),
  };
  if (session && session.people.length === 1) app.shownTo = session.people[0];
  update();
  remember();
  if (!session) return;
  const isDone = session.over && session.saved.kind === "game";
  if (atEnd() && (isDone || session.awaits === "person")) speak(headline());
  if (session.awaits === "agent" && !app.paused) void letAgentDecide();
  if (session.over && session.saved.watched && atEnd())
    setTimeout(() => app.session === session && atEnd() && watch(), 1000 * BETWEEN);
  if (app.everyStep && session.awaits !== "agent") void think();
}

async function letAgentDecide() {
  const session = /** @type {Session} */ (app.session);
  app.run += 1;
  const { run } = app;
  const seat = session.now.seat ?? 0;
  const player = session.players[seat];
  if (player.person) return;
  update({ deciding: true });
  const begun = performance.now();
  try {
    const action = await decision(session, player);
    if (app.run !== run) return;
    const rest = (isStill() ? 0 : 0.6 * SECONDS[app.settings.pace]) - (performance.now() - begun) / 1000;
    if (rest > 0) await sleep(rest);
    if (app.run !== run) return;
    const [from, wasAtEnd] = [session.last, atEnd()];
    session.play(action);
    app.deciding = false;
    void keep();
    speak(toldMoves(from));
    sound("place");
    if (wasAtEnd) return await show(from, true);
    settle();
  } catch (error) {
    if (app.run !== run || /** @type {Error} */ (error).name === "AbortError") return;
    Object.assign(app, { deciding: false, paused: true });
    say(t.agentFailed(nameOf(seat), /** @type {Error} */ (error).message), { label: t.retry, act: resume });
  }
}

/** @param {Session} session @param {Extract<Player, { person: false }>} player */
async function decision(session, player) {
  const { agent, ms, sims, slips } = player;
  const random = mulberry(session.saved.seed + 7919 * session.saved.actions.length);
  if (slips && random() < slips) {
    const all = session.game.legal();
    return all[Math.floor(random() * all.length)];
  }
  const seed = Math.floor(random() * 2 ** 31);
  if (!app.client) throw new Error(t.noAgents);
  app.asked = new AbortController();
  const wish = { agent, ms, sims, seed, signal: app.asked.signal };
  return (await app.client.choose(session.dataAt(session.last), wish)).action;
}

/** Random numbers of a seed, so that a game can be played again. @param {number} seed */
function mulberry(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let x = Math.imul(a ^ (a >>> 15), 1 | a);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pause() {
  stopAll();
  update({ paused: true });
}

export function resume() {
  update({ paused: false, message: null, ply: app.session?.last ?? 0 });
  settle();
}

let floated = 0;
// Let the gains between two frames rise from the table, and count the temples at the end.
/** @param {number} from @param {number} to */
function float(from, to) {
  const { session } = app;
  if (!session) return;
  if (isStill()) return;
  const { at } = session.frames[to];
  const cell = at[at.length - 1];
  if (!cell) return;
  const ids = new Set();
  session.gains(to, from).forEach((goods, seat) => {
    const { temples: _, ...now } = goods;
    const text = goodsWords(now).join(" ");
    if (!text) return;
    floated += 1;
    ids.add(floated);
    app.floats = [...app.floats, { id: floated, cell, seat, text }];
    if (goods.gold > 0) sound("gold");
  });
  if (ids.size) setTimeout(() => update({ floats: app.floats.filter(({ id }) => !ids.has(id)) }), 1800);
  if (session.frames[to].position.phase === "over" && session.saved.kind === "game" && to === session.last)
    void countTemples();
}

async function countTemples() {
  const session = /** @type {Session} */ (app.session);
  const { tiles } = session.now;
  const temples = tiles.filter((tile) => tile.gold?.some((gold) => gold > 0));
  for (let at = 0; at < temples.length; at += 1) {
    const { row, column, gold = [] } = temples[at];
    app.counting = { at, cells: temples.map((one) => [one.row, one.column]) };
    app.floats = gold.flatMap((won, seat) =>
      won ? [{ id: -1 - at - 10 * seat, cell: [row, column], seat, text: t.goods.gold(`+${won}`) }] : [],
    );
    sound("gold");
    update();
    await sleep(1);
    if (app.session !== session || !app.counting) return update({ counting: null, floats: [] });
  }
  update({ counting: null, floats: [] });
}

// --- Several people at one screen ----------------------------------------------------------------

export function liftCurtain(noMore = false) {
  app.noCurtain = noMore;
  app.shownTo = app.session?.now.seat ?? null;
  settle();
}

// --- Looking back --------------------------------------------------------------------------------

/** @param {number} ply */
export function go(ply) {
  const { session } = app;
  if (!session) return;
  const to = Math.max(0, Math.min(session.last, ply));
  if (to === app.ply) return;
  if (app.deciding === false) app.run += 1; // frames that were shown one by one stop
  const from = app.ply;
  Object.assign(app, { ply: to, about: null, thought: null, preview: null, floats: [], counting: null });
  if (to === from + 1) float(from, to);
  showBest();
  speak(toldMoves(to - 1, to));
  if (atEnd()) return settle();
  update();
  remember();
  if (app.everyStep) void think();
}

export async function playOn() {
  const { session } = app;
  if (!session || app.playing) return update({ playing: false });
  update({ playing: true });
  if (atEnd()) go(0);
  while (app.playing && app.session === session && !atEnd()) {
    await sleep(0.9);
    if (app.playing && app.session === session) go(app.ply + 1);
  }
  update({ playing: false });
}

/** The moves after a frame in words. @param {number} from */
export function toldMoves(from, to = app.session?.last ?? 0) {
  const { session } = app;
  if (!session) return "";
  return session.frames
    .slice(from + 1, to + 1)
    .map((_, k) => told(from + 1 + k))
    .join(". ");
}

/** The move to a frame in words, with who made it. @param {number} ply */
export function told(ply) {
  const { step, move } = app.session?.frames[ply] ?? {};
  if (!move || !step) return t.deal;
  const kind = app.session?.kindAt(ply);
  const name = nameOf(step.seat);
  const choice = choiceWords(move, kind);
  return name === t.you
    ? t.youTold(moveWords(move, kind), choice.charAt(0).toLowerCase() + choice.slice(1))
    : t.told(name, moveWords(move, kind));
}

export function headline() {
  const now = frame()?.position;
  if (!now) return "";
  if (now.phase === "over") {
    const mine = app.session?.people ?? [];
    if (now.winners.length === 1 && mine.length === 1 && mine[0] === now.winners[0] && nameOf(mine[0]) === t.you)
      return t.youWin;
    const won = namesWords(now.winners.map(nameOf));
    return now.winners.length > 1 ? t.win(won) : t.wins(won);
  }
  const seat = now.seat ?? 0;
  const whose = nameOf(seat) === t.you ? t.yourTurn : t.isTurn(nameOf(seat));
  return `${whose}: ${t.ask[now.phase]}`;
}

/** @param {Choice} choice */
export function spokenChoice(choice) {
  const now = /** @type {import("./types.js").Frame} */ (frame()).position;
  const kind = kindOn(now, choice.move.cell);
  return `${choiceWords(choice.move, kind)}: ${effectWords(choice.effects, now.seat ?? 0, names())}`;
}

/** A cell as it is said. @param {Cell} cell */
export function spokenCell(cell) {
  const tile = frame()?.position.tiles.find((one) => one.row === cell[0] && one.column === cell[1]);
  const offers = choicesAt(cell).length ? `, ${t.canChoose}` : "";
  if (!tile) return `${cellWords(cell)}: ${t.empty}${offers}`;
  const what = tile.kind ? kindWords(tile.kind) : `${nameOf(tile.owner ?? 0)} ${tile.edges?.join("-")}`;
  return `${cellWords(cell)}: ${what}${offers}`;
}

// --- Think and hint ------------------------------------------------------------------------------

/** Whether an agent may be asked about the frame shown: not about another's hand in a game that goes on. */
export function mayThink() {
  const { session } = app;
  if (!session || !app.client || frame()?.position.phase === "over") return false;
  if (session.awaits === null) return true;
  return session.awaits === "person" && atEnd() && curtainFor() === null;
}

/** @param {string} id of a level */
function wishOf(id) {
  const level = LEVELS.find((one) => one.id === id);
  return level ? { agent: level.agent, ms: level.ms, sims: level.sims } : { agent: id };
}

export async function think() {
  const session = /** @type {Session} */ (app.session);
  if (!mayThink() || !app.client) return;
  app.thinking?.abort();
  const asked = new AbortController();
  const { ply } = app;
  update({ thinking: asked, thought: null });
  try {
    const found = await app.client.analyze(session.dataAt(ply), {
      ...wishOf(app.agent),
      seed: 1,
      signal: asked.signal,
    });
    if (app.thinking !== asked) return;
    update({ thought: app.ply === ply ? { ...found, ply } : null, thinking: null });
  } catch (error) {
    if (app.thinking !== asked) return;
    update({ thinking: null, everyStep: false });
    say(/** @type {Error} */ (error).message);
  }
}

export async function hint() {
  const session = /** @type {Session} */ (app.session);
  if (!mayThink() || !app.client || app.thinking) return;
  const asked = new AbortController();
  update({ thinking: asked });
  const best = levels(session.saved.options.players, session.saved.options.volcanoes).at(-1)?.id ?? "grower";
  try {
    const found = await app.client.analyze(session.dataAt(app.ply), { ...wishOf(best), seed: 1, signal: asked.signal });
    if (app.thinking !== asked) return;
    const choice = offered().find(({ action }) => action === found.actions[0]);
    update({ thinking: null });
    if (!choice) return;
    choose(choice);
    const kind = kindOn(/** @type {any} */ (frame()).position, choice.move.cell);
    update({ hint: t.hintIs(choiceWords(choice.move, kind)) });
    speak(app.hint);
  } catch (error) {
    if (app.thinking !== asked) return;
    update({ thinking: null });
    say(/** @type {Error} */ (error).message);
  }
}

// --- Review --------------------------------------------------------------------------------------

/** The judged decision that led to a frame. @param {number} ply */
export const judgedAt = (ply) => app.session?.saved.review?.decisions.find((one) => one.ply === ply - 1) ?? null;

/** A move of an action at a frame, as it would have been. @param {number} ply @param {number} action */
export function moveAt(ply, action) {
  const session = /** @type {Session} */ (app.session);
  const { options, deal, actions } = session.dataAt(ply);
  const game = app.engine.game(options, deal);
  for (const one of actions) game.play(one);
  return game.move(action);
}

// Show the best move beside the one that led to the frame.
function showBest() {
  const one = judgedAt(app.ply);
  app.preview = one && one.best !== one.action ? { ...moveAt(one.ply, one.best), seat: one.seat } : null;
}

export async function review() {
  const { session, client } = app;
  if (!session?.over || !client || app.reviewing) return;
  const abort = new AbortController();
  const onProgress = (/** @type {number} */ done, /** @type {number} */ total) =>
    update({ reviewing: { done, total, abort } });
  update({ reviewing: { done: 0, total: session.asked.length, abort } });
  try {
    const found = await client.review(session.dataAt(session.last), { seed: 1, onProgress, signal: abort.signal });
    if (app.session !== session) return;
    session.saved.review = found;
    await app.store.keep(session.saved);
    showBest();
    update({ reviewing: null, curve: "chances" });
  } catch (error) {
    if (app.session !== session || abort.signal.aborted) return;
    update({ reviewing: null });
    say(/** @type {Error} */ (error).message);
  }
}

/** The frame after the next mistake, or null. @param {number | null} seat whose; null: anybody's */
export function nextMistake(seat = null) {
  const found = app.session?.saved.review?.decisions.filter(
    (one) => one.grade && (seat === null || one.seat === seat) && one.ply + 1 > app.ply,
  );
  return found?.[0] ? found[0].ply + 1 : null;
}

export function reason() {
  const one = judgedAt(app.ply);
  return one?.sources ? reasonWords(one.sources.best, one.sources.played) : "";
}

/** Let the person find a better move where one lost gold. @param {number} ply after the move */
export function tryAgain(ply) {
  const session = /** @type {Session} */ (app.session);
  const { saved } = session;
  open({ ...saved, ...session.dataAt(ply - 1), id: newId(), kind: "puzzle" }, { keep: false });
  app.trying = { of: saved, ply, text: t.tryNow, solved: false };
  settle();
}

/** @param {Choice} choice */
function judgeTry(choice) {
  const { trying } = app;
  const one = trying?.of.review?.decisions.find(({ ply }) => ply === trying.ply - 1);
  if (!trying || !one) return;
  const isBest = choice.action === one.best;
  const isPlayed = choice.action === one.action;
  const text = isBest ? t.tryRight : isPlayed ? t.tryWrong(num(one.gold, 1)) : t.tryUnknown;
  update({ trying: { ...trying, text, solved: isBest } });
  speak(text);
  sound(isBest ? "gold" : "no");
}

export function backToReview() {
  const { trying } = app;
  if (trying) open(trying.of, { ply: trying.ply, keep: false });
}

// --- Puzzles -------------------------------------------------------------------------------------

export const today = () => new Date().toISOString().slice(0, 10);
/** The puzzle of a day. @param {string} day */
export const puzzleOf = (day) =>
  [...day].reduce((sum, letter) => (sum * 33 + letter.charCodeAt(0)) >>> 0, 5) % app.puzzles.length;

/** @param {number} at */
export function openPuzzle(at) {
  const puzzle = app.puzzles[at];
  const players = Array.from({ length: puzzle.options.players }, (_, seat) => ({
    person: /** @type {const} */ (true),
    name: t.player(seat + 1),
  }));
  open(made(puzzle, players, { kind: "puzzle" }), { keep: false });
  app.puzzle = { at, text: t.puzzleAsk, solved: false };
  settle();
}

/** Another puzzle of a level, one that is not solved if there is one. @param {number} level */
export function nextPuzzle(level) {
  const some = app.puzzles.flatMap((one, at) => (one.level === level ? [at] : []));
  const fresh = some.filter((at) => !app.progress.solved[at] && at !== app.puzzle?.at);
  const from = fresh.length ? fresh : some;
  openPuzzle(from[Math.floor(Math.random() * from.length)]);
}

/** @param {Choice} choice */
function judgePuzzle(choice) {
  const { puzzle, session } = app;
  if (!puzzle || !session) return;
  const { best, gap } = app.puzzles[puzzle.at];
  const solved = choice.action === best;
  const text = solved ? t.puzzleRight(num(gap, 1)) : t.puzzleWrong;
  if (solved) {
    app.progress.solved[puzzle.at] ??= today();
    void app.store.set("progress", app.progress);
    session.play(choice.action);
    app.ply = session.last;
  }
  sound(solved ? "gold" : "no");
  update({ puzzle: { ...puzzle, text, solved } });
  if (solved) settle();
  speak(text);
}

export function showAnswer() {
  const { puzzle } = app;
  const best = offered().find(({ action }) => puzzle && action === app.puzzles[puzzle.at].best);
  if (best) choose(best);
}

// --- Sharing -------------------------------------------------------------------------------------

/** @param {string} name @param {string | Blob} content */
export function download(name, content, type = "application/json") {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The game as a file: a record at its end, else a game to go on with. */
export function saveFile() {
  const { session } = app;
  if (!session) return;
  const { saved } = session;
  const text = saved.over
    ? app.engine.writeRecord(
        session.dataAt(session.last),
        names().map((name) => name.slice(0, 60)),
      )
    : exported([saved]);
  download(`cacao-${new Date(saved.created).toISOString().slice(0, 10)}-${saved.id.slice(0, 4)}.json`, text);
}

/** A link that has the whole game. */
export async function linkOf() {
  const { options, deal, actions, players, kind, seed, review: judged } = /** @type {Session} */ (app.session).saved;
  const data = await packed({ options, deal, actions, players, kind, more: { seed, review: judged } });
  return `${location.href.split("#")[0]}#g=${data}&ply=${app.ply}`;
}

export async function copyLink() {
  const link = await linkOf();
  await navigator.clipboard?.writeText(link).catch(() => undefined);
  say(t.copied, { good: true });
  return link;
}

export const title = () => (app.session ? names().map(capital).join(" – ") : "");
