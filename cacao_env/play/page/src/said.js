// What is said of moves, choices and spaces.

import { kindOn } from "./session.js";
import { app, frame, nameOf, names } from "./state.js";
import { choiceWords, effectWords, moveWords, namesWords, t } from "./words.js";

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
