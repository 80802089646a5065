// Exercises: a decision that is tried again, and puzzles.

import { choose, offered } from "./choose.js";
import { made, newId, open } from "./games.js";
import { sound } from "./sound.js";
import { app, speak, update } from "./state.js";
import { settle } from "./turns.js";
import { num, t } from "./words.js";

/** @import { Choice } from "./types.js" */
/** @import { Session } from "./session.js" */

/** Let the person find a better move where one lost gold. @param {number} ply after the move */
export function tryAgain(ply) {
  const session = /** @type {Session} */ (app.session);
  const { saved } = session;
  open({ ...saved, ...session.dataAt(ply - 1), id: newId(), kind: "puzzle" }, { keep: false });
  app.trying = { of: saved, ply, text: t.tryNow, solved: false };
  settle();
}

/** @param {Choice} choice */
export function judgeTry(choice) {
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
/** The name of a puzzle in the progress that is kept. @param {number} at */
const keyOf = (at) => `position ${app.puzzles[at].number}`;
/** The day on which a puzzle was solved, if it was. @param {number} at */
export const solvedOn = (at) => app.progress.solved[keyOf(at)];

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
  const fresh = some.filter((at) => !solvedOn(at) && at !== app.puzzle?.at);
  const from = fresh.length ? fresh : some;
  openPuzzle(from[Math.floor(Math.random() * from.length)]);
}

// Another tab may have solved others.
async function keepProgress() {
  const there = await app.store.setting("progress", app.progress);
  app.progress.solved = { ...there.solved, ...app.progress.solved };
  await app.store.set("progress", app.progress);
}

/** @param {Choice} choice */
export function judgePuzzle(choice) {
  const { puzzle, session } = app;
  if (!puzzle || !session) return;
  const { best, losses } = app.puzzles[puzzle.at];
  const solved = choice.action === best;
  const others = Object.entries(losses).flatMap(([action, loss]) => (Number(action) === best ? [] : [loss]));
  const text = solved ? t.puzzleRight(num(Math.min(...others), 1)) : t.puzzleWrong(num(losses[choice.action], 1));
  if (solved) {
    app.progress.solved[keyOf(puzzle.at)] ??= today();
    void keepProgress();
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
