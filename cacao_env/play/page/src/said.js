// What is said of moves, choices and spaces.

import { beside, kindOn, tileOn } from "./session.js";
import { app, atEnd, exercise, frame, nameOf, names } from "./state.js";
import {
  cellWords,
  choicesWords,
  choiceWords,
  effectWords,
  goodsWords,
  moveWords,
  namesWords,
  num,
  t,
} from "./words.js";

/** @import { Choice, Move, Position } from "./types.js" */

/** The moves after a frame in words. @param {number} from */
export function toldMoves(from, to = app.session?.last ?? 0) {
  const { session } = app;
  if (!session) return "";
  return session.frames
    .slice(from + 1, to + 1)
    .map((_, k) => told(from + 1 + k))
    .join(". ");
}

/** The move to a frame in words, with who made it. @param {number} ply @param {(seat: number) => string} called */
export function told(ply, called = nameOf) {
  const { step, move } = app.session?.frames[ply] ?? {};
  if (!move || !step) return t.deal;
  const kind = app.session?.kindAt(ply);
  const name = called(step.seat);
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
  const { session } = app;
  const seat = headSeat() ?? 0;
  const task = exercise();
  if (task && (task.solved || !atEnd())) return told(app.ply);
  if (task) return `${t.yourTurn}: ${asked(now)}`;
  if (session?.awaits === null) return app.ply ? told(app.ply) : t.deal; // what is looked at, or judged
  if (app.showing || session?.awaits === "agent") return t.theirTurn(nameOf(seat));
  const isMine = session?.people.length === 1 && session.people[0] === seat;
  return `${isMine ? t.yourTurn : nameOf(seat)}: ${asked(now)}`;
}

// Workers of others act at a new tile, too.
/** @param {Position} now */
const asked = (now) => (now.phase === "act" && now.seat !== now.active ? t.ask.actToo : t.ask[now.phase]);

/** Return the headline's seat: the one that decides, that made the move shown, or that won. */
export function headSeat() {
  const { session, ply } = app;
  const winners = frame()?.position.winners ?? [];
  if (winners.length) return winners.length === 1 ? winners[0] : null;
  const before = session?.frames[ply - 1]?.position;
  if (app.showing && before) return before.active;
  if (session?.awaits === null && !exercise() && ply) return session.frames[ply].step?.seat ?? null;
  return frame()?.position.seat ?? null;
}

/** What others have done in the turn shown. */
export function toldTurn() {
  const { session, ply } = app;
  if (!session) return "";
  let from = ply - 1;
  while (from > 0 && session.frames[from].position.turn === session.frames[from - 1].position.turn) from -= 1;
  return toldMoves(Math.max(0, from), ply);
}

/** A choice in words that no other choice offered has. @param {Choice} choice */
export function wordsOf(choice) {
  const now = /** @type {import("./types.js").Frame} */ (frame()).position;
  if (choice.move.type !== "act") return choiceWords(choice.move);
  const offered = app.session?.offered ?? [];
  const all = offered.includes(choice) ? offered : [choice];
  const moves = all.map(({ move }) => move);
  return choicesWords(moves, (cell) => kindOn(now, cell))[all.indexOf(choice)];
}

/** What a choice brings, and what its workers can bring besides where more is to be decided.
 * @param {Choice} choice */
export function broughtWords({ move, effects }, withOwn = true) {
  const now = /** @type {import("./types.js").Frame} */ (frame()).position;
  const seat = now.seat ?? 0;
  const mine = now.seats[seat];
  const words = effectWords(effects, seat, names(), withOwn);
  /** @type {import("./types.js").Goods} */
  const more = effects.fills || effects.draws || effects.acts ? { gold: marketGold(now, seat, move) } : {};
  if (effects.fills || effects.draws) {
    // Nobody has worked yet.
    const all = found(now, seat, move);
    const sum = (/** @type {string} */ kind) =>
      all.reduce((total, one) => total + (one.kind === kind ? one.workers * one.n : 0), 0);
    more.gold = (more.gold ?? 0) + sum("mine");
    more.cacao = Math.min(5 - mine.cacao, sum("plantation"));
    more.sun = Math.min(3 - mine.sun, sum("sun"));
    const track = /** @type {number[]} */ (app.engine.tables.water_track);
    more.water = Math.min(track.length - 1 - mine.water, sum("water"));
  }
  const goods = goodsWords(more).join(", ");
  return goods ? `${words}; ${t.canBring(goods)}` : words;
}

/** @param {Choice} choice */
export const spokenChoice = (choice) => `${wordsOf(choice)}: ${broughtWords(choice)}`;

// --- What workers find ---------------------------------------------------------------------------

/** What the workers of a placed tile find at once, the most gold first; a lead at a temple that is new counts what it adds.
 * @param {Position} now @param {number} seat @param {Move} move */
export function found(now, seat, move) {
  const mine = now.seats[seat];
  const track = /** @type {number[]} */ (app.engine.tables.water_track);
  const at = (move.edges ?? []).flatMap((workers, side) => {
    const cell = beside(move.cell, side);
    const kind = kindOn(now, cell);
    return workers && kind ? [{ workers, kind: kind.replace(/\d/, ""), n: Number(kind.at(-1)) || 1, cell }] : [];
  });
  const harvest = at.reduce((sum, one) => sum + (one.kind === "plantation" ? one.workers * one.n : 0), 0);
  const cacao = Math.min(5, mine.cacao + harvest);
  const goods = at.map(({ workers, kind, n, cell }) => {
    const tile = tileOn(now, cell);
    const there = tile?.workers ?? [];
    const leads = (/** @type {number} */ own) => there.every((rival, other) => other === seat || rival < own);
    const gold = {
      market: Math.min(workers, cacao) * n,
      mine: workers * n,
      water: track[Math.min(track.length - 1, mine.water + workers)] - track[mine.water],
      temple: leads(there[seat] + workers) && !leads(there[seat]) ? 6 - (tile?.gold?.[seat] ?? 0) : 0,
    }[kind];
    const harvested = kind === "plantation" ? Math.min(5 - mine.cacao, workers * n) : 0;
    return { kind, workers, n, gold: gold ?? 0, cacao: harvested, cell };
  });
  return goods.sort((a, b) => b.gold - a.gold);
}

/** The most that markets on the table can pay to the workers of a placed tile: they may sell before they harvest.
 * @param {Position} now @param {number} seat @param {Move} move */
export function marketGold(now, seat, move) {
  const all = found(now, seat, move);
  let cacao = now.seats[seat].cacao;
  for (const { kind, workers, n } of all) if (kind === "plantation") cacao += workers * n;
  const markets = all.filter(({ kind }) => kind === "market").sort((a, b) => b.n - a.n);
  return markets.reduce((sum, { workers, n }) => {
    const sold = Math.min(workers, cacao);
    cacao -= sold;
    return sum + sold * n;
  }, 0);
}

const WORTH = 2; // gold, or cacao where there is no gold; less is no hint

/** What the workers of a tile find that is worth a hint. @param {Position} now @param {number} seat @param {Move} move */
export const hintsOf = (now, seat, move) =>
  found(now, seat, move).filter(({ gold, cacao }) => gold >= WORTH || cacao >= WORTH);

/** @param {ReturnType<typeof found>[0]} one */
export const hintWords = ({ kind, cell, workers, gold, cacao }) =>
  t.hints[/** @type {"water"} */ (kind)](cellWords(cell), workers, num(gold || cacao));
