// What is said of moves, choices and spaces.

import { kindOn } from "./session.js";
import { app, atEnd, exercise, frame, nameOf, names } from "./state.js";
import { choicesWords, choiceWords, effectWords, moveWords, namesWords, t } from "./words.js";

/** @import { Choice } from "./types.js" */

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
  if (task) return `${t.yourTurn}: ${t.ask[now.phase]}`;
  if (session?.awaits === null) return app.ply ? told(app.ply) : t.deal; // what is looked at, or judged
  if (app.showing || session?.awaits === "agent") return t.theirTurn(nameOf(seat));
  const isMine = session?.people.length === 1 && session.people[0] === seat;
  return `${isMine ? t.yourTurn : nameOf(seat)}: ${t.ask[now.phase]}`;
}

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

/** @param {Choice} choice */
export function spokenChoice(choice) {
  const now = /** @type {import("./types.js").Frame} */ (frame()).position;
  return `${wordsOf(choice)}: ${effectWords(choice.effects, now.seat ?? 0, names())}`;
}
