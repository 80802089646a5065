// The game goes on: others decide, their moves are shown, people look back, tabs follow each other.

import { showBest, think } from "./advice.js";
import { tilesOffered } from "./choose.js";
import { coach } from "./coach.js";
import { keep, remember, tabs } from "./kept.js";
import { headline, toldMoves } from "./said.js";
import { sound } from "./sound.js";
import { app, atEnd, isStill, nameOf, noPick, SECONDS, say, sleep, speak, update } from "./state.js";
import { plus, t } from "./words.js";

/** @import { Player } from "./types.js" */
/** @import { Session } from "./session.js" */

export function stopAll() {
  app.run += 1;
  Object.assign(app, { playing: false, deciding: false, showing: false });
  app.thinking?.abort();
  app.reviewing?.abort.abort();
  app.asked?.abort();
  Object.assign(app, { thinking: null, reviewing: null });
}

// Show the frames after one: each for a moment where others move and motion is wanted, else the last at once.
/** @param {number} from @param {boolean} slowly */
export async function show(from, slowly) {
  const session = /** @type {Session} */ (app.session);
  app.run += 1;
  const { run } = app;
  const seconds = slowly && !isStill() ? SECONDS[app.settings.pace] : 0;
  Object.assign(app, {
    pick: noPick(),
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
    if (app.ply === session.last) break; // the next player may choose at once
    update({ showing: true });
    await sleep(seconds);
    if (app.run !== run) return;
  }
  settle();
}

/** The last frame is reached: people choose, agents are asked, temples are counted. */
export function settle() {
  const { session } = app;
  app.showing = false;
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
  if (atEnd() && (isDone || session.awaits === "person")) {
    speak([app.told, headline()].filter(Boolean).join(" "));
    app.told = "";
  }
  if (session.awaits === "agent" && !app.paused) void letAgentDecide();
  if (app.everyStep && session.awaits !== "agent") void think();
  void coach();
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
    // What others did is said once: when a person is asked, or at once where nobody is.
    const told = `${toldMoves(from)}.`;
    if (session.people.length) app.told = `${app.told} ${told}`.trim();
    else speak(told);
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
    for (const good of /** @type {const} */ (["gold", "cacao", "sun", "water"])) {
      if (!goods[good]) continue;
      floated += 1;
      ids.add(floated);
      app.floats = [...app.floats, { id: floated, from: at[0], cell, seat, good, text: plus(goods[good]) }];
    }
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
      won
        ? [{ id: -1 - at - 10 * seat, from: [row, column], cell: [row, column], seat, good: "gold", text: plus(won) }]
        : [],
    );
    sound("gold");
    update();
    await sleep(1);
    if (app.session !== session || !app.counting) return update({ counting: null, floats: [] });
  }
  update({ counting: null, floats: [] });
}

// --- Looking back --------------------------------------------------------------------------------

/** @param {number} ply */
export function go(ply) {
  const { session } = app;
  if (!session) return;
  const to = Math.max(0, Math.min(session.last, ply));
  if (to === app.ply) return;
  if (app.deciding === false) app.run += 1; // frames that were shown one by one stop
  app.showing = false;
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

// --- Other tabs ----------------------------------------------------------------------------------

if (tabs)
  tabs.onmessage = async ({ data }) => {
    const { session } = app;
    if (!session || session.saved.id !== data) return;
    const saved = await app.store.game(data);
    if (!saved || app.session !== session || String(saved.actions) === String(session.saved.actions)) return;
    stopAll();
    session.saved = saved;
    session.replay(saved.actions);
    session.undone = []; // after another line
    update({ ply: session.last });
    settle();
  };
