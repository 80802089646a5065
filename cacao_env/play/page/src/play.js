// A person decides: what is chosen is played or judged, and taken back.

import { choicesAt, choose, picked, turn } from "./choose.js";
import { coachAfter } from "./coach.js";
import { judgePuzzle, judgeTry } from "./exercises.js";
import { made, open } from "./games.js";
import { keep } from "./kept.js";
import { judgeStep } from "./lesson.js";
import { same } from "./session.js";
import { sound } from "./sound.js";
import { app, isLive, say, update } from "./state.js";
import { settle, show, stopAll } from "./turns.js";
import { t } from "./words.js";

/** @import { Choice, Cell } from "./types.js" */

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

/** @param {Choice} choice */
export function chooseOrPlay(choice) {
  choose(choice);
  if (app.settings.oneClick) confirm();
}

/** Play what is chosen. */
export function confirm() {
  const choice = picked();
  const { session } = app;
  if (!choice || !session) return;
  if (app.trying) return void judgeTry(choice);
  if (app.puzzle) return judgePuzzle(choice);
  if (app.lesson) return judgeStep(choice);
  const from = session.last;
  void coachAfter(session, choice);
  session.play(choice.action);
  sound(choice.move.type);
  void keep();
  void show(from, false);
}

/** Take the last decision back; what has ended stays, and a copy of it goes on. */
export function undo() {
  const { session } = app;
  if (!session?.canUndo || !isLive()) return;
  const { saved } = session;
  if (session.over) {
    const { coached, seed } = saved;
    open(made({ ...saved, actions: [...saved.actions] }, saved.players, { coached, seed, from: saved.id }), {
      keep: false,
    });
    say(t.madeCopy, { good: true });
  }
  back((one) => one.undo());
}

export function redo() {
  if (app.session?.undone.length && isLive()) back((one) => one.redo());
}

/** @param {(session: import("./session.js").Session) => void} change */
function back(change) {
  const session = /** @type {import("./session.js").Session} */ (app.session);
  stopAll();
  change(session);
  Object.assign(app, {
    ply: session.last,
    hint: "",
    coach: null,
    thought: null,
    preview: null,
    about: null,
    floats: [],
    counting: null,
    curve: "scores",
  });
  void keep();
  settle();
}

// --- Several people at one screen ----------------------------------------------------------------

export function liftCurtain(noMore = false) {
  app.noCurtain = noMore;
  app.shownTo = app.session?.now.seat ?? null;
  settle();
}
