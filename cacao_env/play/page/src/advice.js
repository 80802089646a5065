// Agents are asked: Think, hints, the review of a finished game.

import { choose, offered } from "./choose.js";
import { LEVELS } from "./levels.js";
import { hintsOf, hintWords } from "./said.js";
import { app, atEnd, curtainFor, nameOf, say, speak, strongest, update } from "./state.js";
import { capital, choiceWords, goodsWords, namesWords, num, partsOf, partsWords, t } from "./words.js";

/** @import { Session } from "./session.js" */

/** Whether an agent may be asked about the frame shown: not about another's hand in a game that goes on. */
export function mayThink() {
  const { session } = app;
  if (!session || !app.client || session.saved.kind === "puzzle") return false;
  if (session.awaits === null) return session.frames[decisionShown()].position.phase !== "over";
  return session.awaits === "person" && atEnd() && curtainFor() === null;
}

// The frame that is thought about: where the move shown was made if it is judged.
const decisionShown = () => judgedAt(app.ply)?.ply ?? app.ply;

/** @param {string} id of a level */
function wishOf(id) {
  const level = LEVELS.find((one) => one.id === id);
  return level ? { agent: level.agent, ms: level.ms, sims: level.sims } : { agent: id };
}

/** Ask an agent about a frame. Returns null if a newer question replaces this one, or if the agent fails; the page says so.
 * @param {string} level @param {number} at @param {number} [made] action to be told of too */
async function linesOf(level, at, made) {
  const { session, client } = app;
  if (!session || !client) return null;
  app.thinking?.abort();
  const asked = new AbortController();
  update({ thinking: asked });
  try {
    const found = await client.lines(session.dataAt(at), { ...wishOf(level), made, seed: 1, signal: asked.signal });
    return app.thinking === asked ? found : null;
  } catch (error) {
    if (app.thinking !== asked) return null;
    app.everyStep = false;
    say(/** @type {Error} */ (error).message);
    return null;
  } finally {
    if (app.thinking === asked) update({ thinking: null });
  }
}

export async function think() {
  if (!mayThink()) return;
  const { ply } = app;
  const [at, made] = [decisionShown(), judgedAt(ply)?.action];
  app.thought = null;
  const found = await linesOf(app.agent, at, made);
  if (!found || app.ply !== ply) return;
  const cells = (found.lines ?? []).map(({ action }) => moveAt(at, action).cell);
  update({ thought: { ...found, ply: at, cells } });
}

export async function hint() {
  const { session, ply } = app;
  if (!mayThink() || !session || app.thinking) return;
  const found = await linesOf(strongest(session.saved.options), ply);
  const choice = app.ply === ply ? offered().find(({ action }) => action === found?.lines?.[0].action) : null;
  if (!choice) return;
  choose(choice);
  const [most] = hintsOf(session.now, session.now.seat ?? 0, choice.move);
  update({ hint: t.hintIs(most ? hintWords(most) : t.wasBest) });
  speak(app.hint);
}

// --- Review --------------------------------------------------------------------------------------

/** What an action at the end of a game loses, against the best found or a given one.
 * @param {Session} session @param {number} action @param {number} [best] */
export function judge(session, action, best) {
  const { client } = app;
  if (!client) return Promise.reject(new Error(t.noAgents));
  const game = session.dataAt(session.last);
  return client.judge({ ...game, actions: [...game.actions, action] }, { ply: session.last, best });
}

/** The decisions of a game that are judged. @param {Session | null} session */
const judgedIn = (session) => session?.saved.review?.decisions ?? session?.saved.judged ?? [];

/** The judged decision that led to a frame. @param {number} ply */
export const judgedAt = (ply) =>
  app.session?.awaits === null ? (judgedIn(app.session).find((one) => one.ply === ply - 1) ?? null) : null;

/** The game as it was at a frame. @param {number} ply */
function gameAt(ply) {
  const session = /** @type {Session} */ (app.session);
  const { options, deal, actions } = session.dataAt(ply);
  const game = app.engine.game(options, deal);
  for (const one of actions) game.play(one);
  return game;
}

/** A move of an action at a frame, as it would have been. @param {number} ply @param {number} action */
export const moveAt = (ply, action) => gameAt(ply).move(action);

/** Gold; a move that loses less is as good as the best. */
export const LEAST = 0.05;

// Show the best move beside the one that led to the frame.
export function showBest() {
  const one = judgedAt(app.ply);
  app.preview =
    one && one.best !== one.action && one.gold >= LEAST ? { ...moveAt(one.ply, one.best), seat: one.seat } : null;
}

/** Judge what is not judged yet: the person's decisions first. One that is left goes on there later. */
export async function review() {
  const { session, client } = app;
  if (!session?.over || !client || app.reviewing) return;
  const { saved, frames } = session;
  const abort = new AbortController();
  update({ reviewing: { done: 0, total: session.asked.length, abort } });
  const known = (saved.judged ?? []).filter(({ ply, action }) => frames[ply + 1]?.step?.action === action);
  try {
    const found = await client.review(session.dataAt(session.last), {
      known,
      first: session.people.length === 1 ? session.people[0] : null,
      signal: abort.signal,
      onJudged: (judged, total) => {
        saved.judged = [...judged];
        if (judged.length % 8 === 0) void app.store.keep(saved);
        if (app.session === session) update({ reviewing: { done: judged.length, total, abort } });
      },
    });
    saved.review = found;
    delete saved.judged;
    if (app.session !== session) return;
    showBest();
    update({ reviewing: null, curve: "chances" });
  } catch (error) {
    if (app.session !== session || abort.signal.aborted) return;
    update({ reviewing: null });
    say(/** @type {Error} */ (error).message);
  } finally {
    await app.store.keep(saved);
  }
}

/** The frames after mistakes: those of the only person, or everybody's. */
export function mistakes() {
  const { session } = app;
  const seat = session?.people.length === 1 ? session.people[0] : null;
  return judgedIn(session)
    .filter((one) => one.grade && (seat === null || one.seat === seat))
    .map((one) => one.ply + 1)
    .sort((a, b) => a - b);
}

/** Why a move is better than another, in short: what its turn brings beside another, what it is worth, and above all by
 * what. And in full: the rest of its turn, and what each player has more or less at the end.
 * @param {import("./types.js").Judged} judged @param {{ made?: string, than?: string }} how @returns {[string, string]} */
export function why({ seat, follows = [], brings, gold, sources, own = {} }, { made = "", than = "" }) {
  const mine = Math.round(10 * Object.values(own).reduce((sum, by) => sum + by, 0)) / 10;
  const theirs = Object.entries(own).map(([name, by]) => [name, by - (sources[/** @type {"sun"} */ (name)] ?? 0)]);
  if (!theirs.length) return ["", ""]; // an older review
  const names = app.session?.players.length === 2 ? nameOf(1 - seat) : t.theOthers;
  const rest = (Math.round(10 * mine) - Math.round(10 * gold)) / 10; // what is shown adds up
  const shares = [
    { who: nameOf(seat), n: mine, parts: partsOf(own, mine), sign: 1 },
    { who: names, n: rest, parts: partsOf(Object.fromEntries(theirs), rest), sign: -1 },
  ];
  const most = shares
    .flatMap(({ who, parts, sign }) => parts.map(({ by, words }) => ({ worth: sign * by, words: t.gets(who, words) })))
    .sort((a, b) => b.worth - a.worth);
  const above = most.slice(0, 2).filter(({ worth }) => worth >= 0.75 && worth > most[0].worth / 2);
  const next = follows.map(({ move, kind }) => choiceWords(move, kind)).join(". ");
  const better = brings ? goodsOf(brings, seat) : made;
  const because = t.because(num(gold, 1), than, namesWords(above.map(({ words }) => words)));
  return [
    better === made ? because : `${t.inTurn(better, made)}\n${because}`,
    [
      ...(next ? [`${t.lines.follows}: ${next}.`] : []),
      ...shares.map(({ who, n, parts }) => t.share(capital(who), num(Math.abs(n), 1), Math.sign(n), partsWords(parts))),
    ].join("\n"),
  ];
}

/** What the turn of a decision brought its seat from there on, as it was played. @param {Session} session @param {import("./types.js").Judged} judged */
export function madeWords(session, { ply, seat }) {
  const { turn } = session.frames[ply].position;
  const next = session.frames.findIndex(({ position }) => position.turn > turn);
  return goodsOf(session.gains(next < 0 ? session.last : next, ply), seat);
}

/** One's goods, and in brackets those of others. @param {import("./types.js").Goods[]} gains @param {number} seat */
function goodsOf(gains, seat) {
  const others = gains.flatMap((goods, whose) => {
    const words = whose === seat ? "" : goodsWords(goods).join(", ");
    return words ? [`${nameOf(whose)}: ${words}`] : [];
  });
  const own = goodsWords(gains[seat]).join(", ") || t.nothing;
  return others.length ? `${own} (${others.join("; ")})` : own;
}
