// Games: begun, opened from files, links and the list, kept, shared.

import { showBest } from "./advice.js";
import { LEVELS, namesFor } from "./levels.js";
import { packed } from "./link.js";
import { exported, imported } from "./save.js";
import { Session } from "./session.js";
import { app, levels, names, noPick, say, strongest, update } from "./state.js";
import { settle, stopAll } from "./turns.js";
import { capital, t } from "./words.js";

/** @import { Saved, Player } from "./types.js" */

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
    lesson: null,
    coach: null,
    everyStep: false,
    told: "",
  });
  if (keep && saved.kind !== "puzzle") void app.store.keep(saved).catch(() => say(t.notSaved));
  showBest();
  settle();
}

export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(9)), (n) => n.toString(36).padStart(2, "0")).join("");

/** A game that has just been dealt.
 * @param {{ players: Player[], volcanoes?: boolean, seed?: number | string, coached?: boolean }} wish */
export function begin({ players, volcanoes = false, seed, coached = false }) {
  Object.assign(app.progress, { taught: true, step: 0 });
  void app.store.set("progress", app.progress);
  const given = seed ?? crypto.getRandomValues(new Uint32Array(1))[0];
  const deal = app.engine.deal({ players: players.length, volcanoes, seed: given });
  const options = { players: players.length, volcanoes, decisions: /** @type {const} */ ("auto") };
  open(made({ options, deal, actions: [] }, players, { coached, seed: asNumber(given) }));
}

/** @param {number | string} seed */
export const asNumber = (seed) => [...String(seed)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);

/** @param {import("./types.js").GameData} data @param {Player[]} players @param {Partial<Saved>} more @returns {Saved} */
export function made({ options, deal, actions }, players, more = {}) {
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
  const all = [2, 3, 4].flatMap((players) => [false, true].flatMap((volcanoes) => levels(players, volcanoes)));
  const one = all.find(({ id }) => id === level) ?? LEVELS[1];
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

/** A first game, with a coach. */
export function beginFirst() {
  begin({ players: [{ person: true, name: "" }, opponent("seedling", namesFor(1, Date.now())[0])], coached: true });
}

/** The same players again; their seats move on by some. @param {number} by */
export function rematch(by) {
  const { players, options } = /** @type {Session} */ (app.session).saved;
  begin({ players: players.map((_, seat) => players[(seat + by) % players.length]), volcanoes: options.volcanoes });
}

/** Play on from a frame, against the same players or, where only people were, against the strongest.
 * @param {number} ply */
export function playFrom(ply) {
  const session = /** @type {Session} */ (app.session);
  const { saved } = session;
  const seat = session.frames[ply].position.seat ?? 0;
  const others = namesFor(saved.players.length, Date.now(), names());
  const isOwn = saved.kind === "game" && session.people.length > 0;
  const people = session.people.length === 1 ? session.people : [seat];
  const players = isOwn
    ? saved.players
    : saved.players.map((one, k) => {
        if (people.includes(k)) return { person: /** @type {const} */ (true), name: "" };
        return one.person ? opponent(strongest(saved.options), others[k]) : one;
      });
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
    // What a game by turns does not ask is shown move by move.
    const decisions = /** @type {"auto" | "explicit"} */ (data.rules.decisions === "auto" ? "auto" : "explicit");
    const actions = found.actions.filter((_, k) => decisions === "explicit" || !found.auto[k]);
    const game = { ...found, actions, options: { ...found.options, decisions } };
    // One record is one game here, however often it is opened: its name comes from its content.
    const id = `r${asNumber(JSON.stringify([game.deal, actions, given]))}`;
    const kept = await app.store.game(id);
    open(kept ?? made(game, players, { id, kind: "record" }));
  } catch (error) {
    say(t.badFile(/** @type {Error} */ (error).message));
  }
}

/** @param {any} data */
async function takeGames(data) {
  const games = imported(data);
  for (const one of games) {
    const { changed, kind } = one;
    new Session(app.engine, one); // refuses what the rules refuse
    Object.assign(one, { changed: Number(changed) || Date.now(), kind: kind === "puzzle" ? "game" : kind });
  }
  for (const one of games) {
    const there = await app.store.game(one.id);
    if (!there || there.changed < one.changed) await app.store.keep(one);
  }
  say(t.imported(games.length), { good: true });
  if (games.length !== 1) return showGames();
  const [one] = games;
  open((await app.store.game(one.id)) ?? one); // as it was kept, if that is newer
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
        sharedNames().map((name, seat) => app.engine.asName(name) || t.player(seat + 1)),
      )
    : exported([saved]);
  download(`cacao-${new Date(saved.created).toISOString().slice(0, 10)}-${saved.id.slice(0, 4)}.json`, text);
}

/** Names as others read them: nobody else is "You". */
export const sharedNames = () =>
  names().map((name, seat) => (name === t.you ? app.settings.name || t.player(seat + 1) : name));

/** A link that has the whole game. */
export async function linkOf() {
  const { options, deal, actions, seed, review } = /** @type {Session} */ (app.session).saved;
  const called = sharedNames();
  const players = app.session?.players.map((one, seat) => ({ ...one, name: called[seat] }));
  const data = await packed({ options, deal, actions, players, more: { seed, review } });
  return `${location.href.split("#")[0]}#g=${data}&ply=${app.ply}`;
}

export async function copyLink() {
  const link = await linkOf();
  try {
    await navigator.clipboard.writeText(link);
    say(t.copied, { good: true });
  } catch {
    // The dialog shows the link, to be copied by hand.
  }
  return link;
}

export const title = () => (app.session ? names().map(capital).join(" – ") : "");
