// The coach of a game: before a placement what the best one found lives on, after a turn what it lost.
// It says no sentence twice in a game, and nothing of a move that was good enough.

import { judge, madeWords, moveAt, why } from "./advice.js";
import { isChoosing, offered } from "./choose.js";
import { hintsOf, hintWords, told } from "./said.js";
import { kindOn, same } from "./session.js";
import { app, update } from "./state.js";
import { choiceWords, t } from "./words.js";

/** @import { Cell, Choice, Judged } from "./types.js" */
/** @import { Session } from "./session.js" */

/** The decision of the turn that lost most. @type {{ session: Session, turn: number, judged: Judged, best: string } | null} */
let worst = null;

/** Say something new. @param {Session} session @param {string} text @param {{ at?: Cell, more?: string }} beside */
function tell(session, text, beside = {}) {
  const { saved } = session;
  if (!text || saved.told?.includes(text)) return;
  saved.told = [...(saved.told ?? []), text];
  update({ coach: { text, ...beside } });
}

/** Before a placement: what was lost in the turn before, or else what the best one found lives on. */
export async function coach() {
  const { session, client } = app;
  if (!session?.saved.coached || !client || !isChoosing() || session.now.phase !== "place" || app.coach) return;
  const { now, last } = session;
  if (worst && worst.turn < now.turn) {
    const { judged, best } = worst;
    const [short, more] = why(judged, {});
    if (worst.session === session && last > judged.ply)
      tell(session, t.after(told(judged.ply + 1), madeWords(session, judged), best, short), { more });
    worst = null;
  } else if (!session.saved.told) tell(session, t.coachHello);
  if (app.coach) return;
  const thought = await client.lines(session.dataAt(last), { agent: "trinitario", seed: 1 }).catch(() => null);
  if (!thought || app.session !== session || session.last !== last || app.coach) return;
  const move = moveAt(last, thought.lines?.[0].action ?? thought.actions[0]);
  if (move.type !== "place") return;
  const hints = (/** @type {import("./types.js").Move} */ one) => hintsOf(now, now.seat ?? 0, one);
  // A space that pays another tile more would be a wrong hint.
  const all = offered().flatMap((choice) => hints(choice.move));
  const isMost = (/** @type {typeof all[0]} */ one) =>
    all.every(({ cell, gold, cacao }) => !same(cell, one.cell) || gold + cacao <= one.gold + one.cacao);
  const most = hints(move).find(isMost);
  if (most) tell(session, hintWords(most), { at: most.cell });
}

/** Judge a decision. @param {Session} session @param {Choice} choice */
export async function coachAfter(session, choice) {
  const { saved, last, now } = session;
  update({ coach: null });
  if (!saved.coached || !app.client || offered().length < 2) return;
  const one = await judge(session, choice.action).catch(() => null);
  if (!one || app.session !== session) return;
  saved.judged = [...(saved.judged ?? []).filter(({ ply }) => ply < last), one];
  if (!one.grade) return;
  const best = moveAt(last, one.best);
  const same = worst?.session === session && worst.turn === now.turn && worst.judged.ply < last;
  if (same && worst && worst.judged.gold >= one.gold) return;
  worst = { session, turn: now.turn, judged: one, best: choiceWords(best, kindOn(now, best.cell)) };
  void coach(); // the next turn may have begun
}
