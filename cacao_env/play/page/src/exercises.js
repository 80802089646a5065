// Exercises: a decision that is tried again, and puzzles; and what an address names.

import { judge, judgedAt, LEAST, moveAt, why } from "./advice.js";
import { choose, offered } from "./choose.js";
import { asNumber, made, newId, open } from "./games.js";
import { rated, ratingOf, secondOf } from "./levels.js";
import { unpacked, wantedBy } from "./link.js";
import { kindOn } from "./session.js";
import { sound } from "./sound.js";
import { app, say, speak, update } from "./state.js";
import { go, settle } from "./turns.js";
import { choiceWords, num, partsOf, partsWords, t } from "./words.js";

/** @import { Choice } from "./types.js" */
/** @import { Session } from "./session.js" */

/** Let the person find a better move where one lost gold. @param {number} ply after the move */
export function tryAgain(ply) {
  const session = /** @type {Session} */ (app.session);
  const { saved } = session;
  const one = judgedAt(ply);
  const { review, judged, ...rest } = saved; // which tell of the move that was made
  open({ ...rest, ...session.dataAt(ply - 1), id: newId(), kind: "puzzle" }, { keep: false });
  app.trying = { of: saved, ply, text: t.tryNow, solved: false, best: one?.best, reason: one ? why(one, {}) : [] };
  settle();
}

/** @param {Choice} choice */
export async function judgeTry(choice) {
  const { session, trying } = app;
  if (!session || !trying || trying.solved) return;
  update({ trying: { ...trying, text: t.judging } });
  const one = await judge(session, choice.action).catch(() => null);
  if (app.session !== session || !one) return;
  // As good as the best: the games that were played show no difference that is certain.
  const isFine = !one.grade && one.low < LEAST;
  const parts = partsWords(partsOf(one.sources, one.gold));
  const isBest = choice.action === trying.best;
  const right = isBest || one.gold < LEAST ? t.tryRight : t.tryEqual;
  const text = isFine ? right : t.tryWrong(num(one.gold, 1), parts);
  if (isFine) session.play(choice.action);
  update({ trying: { ...trying, text, solved: isFine, why: isBest ? trying.reason : [] }, ply: session.last });
  speak(text);
  sound(isFine ? "gold" : "no");
}

export function backToReview() {
  const { trying } = app;
  if (trying) open(trying.of, { ply: trying.ply, keep: false });
}

// --- Puzzles -------------------------------------------------------------------------------------

/** Today where the person is, as 2026-03-01. */
export const today = () => {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
};
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
  app.puzzle = { at, text: t.puzzleAsk, solved: false, shown: false };
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
  app.progress.tried = { ...there.tried, ...app.progress.tried };
  await app.store.set("progress", app.progress);
}

/** Count the first answer to a puzzle. @param {number} at @param {boolean} solved */
function count(at, solved) {
  const { progress } = app;
  const key = keyOf(at);
  if (progress.tried[key] || progress.solved[key]) return;
  progress.tried[key] = true;
  progress.rating = rated(progress.rating, ratingOf(app.puzzles[at]), solved);
  progress.streak = solved ? progress.streak + 1 : 0;
}

/** @param {Choice} choice */
export function judgePuzzle(choice) {
  const { puzzle, session } = app;
  if (!puzzle || puzzle.solved || !session) return;
  const { at, shown } = puzzle;
  const { best } = app.puzzles[at];
  const solved = choice.action === best;
  const text = solved ? (shown ? t.puzzleShown : t.puzzleRight) : t.puzzleWrong;
  count(at, solved && !shown);
  if (solved && !shown) app.progress.solved[keyOf(at)] ??= today();
  void keepProgress();
  void explain(solved ? secondOf(app.puzzles[at]).action : choice.action);
  if (solved) {
    session.play(choice.action);
    app.ply = session.last;
  }
  sound(solved && !shown ? "gold" : "no");
  update({ puzzle: { ...puzzle, text, why: [], solved } });
  if (solved) settle();
  speak(text);
}

/** Tell where the gold of the answer comes from. @param {number} other action that it is compared with */
async function explain(other) {
  const { session, puzzle } = app;
  if (!session || !puzzle) return;
  const { best } = app.puzzles[puzzle.at];
  const move = moveAt(session.last, other);
  const than = choiceWords(move, kindOn(session.now, move.cell));
  const one = await judge(session, other, best).catch(() => null);
  if (!one?.gold || app.session !== session || !app.puzzle) return;
  // Where the best move goes on would tell what it is.
  const judged = app.puzzle.solved ? one : { ...one, follows: [], brings: undefined };
  update({ puzzle: { ...app.puzzle, why: why(judged, { than }) } });
}

export function showAnswer() {
  const { puzzle } = app;
  const best = offered().find(({ action }) => puzzle && action === app.puzzles[puzzle.at].best);
  if (!puzzle || !best) return;
  count(puzzle.at, false);
  void keepProgress();
  app.puzzle = { ...puzzle, text: t.puzzleAnswer, shown: true };
  choose(best);
}

/** Open what the address names. */
export async function openWanted() {
  const wanted = wantedBy(location.hash);
  if (wanted.data) {
    try {
      // A game of somebody else: it is looked at, reviewed, and played on in a copy.
      const { more, ...found } = await unpacked(wanted.data);
      const id = `r${asNumber(JSON.stringify([found.deal, found.actions, found.players]))}`;
      const kept = await app.store.game(id);
      open(kept ?? made(found, found.players, { ...more, kind: "record", id }), { ply: wanted.ply });
      if (!app.session?.over) update({ allHands: false });
      return;
    } catch {
      say(t.badLink);
    }
  } else if (wanted.game) {
    if (app.session?.saved.id === wanted.game) return wanted.ply >= 0 ? go(wanted.ply) : undefined;
    const saved = await app.store.game(wanted.game);
    if (saved) return open(saved, { ply: wanted.ply, keep: false });
    say(app.store.lasts ? t.lostGame : t.lostAll);
  }
  const at = app.puzzles.findIndex(({ number }) => number === wanted.puzzle);
  if (at >= 0) return app.puzzle?.at === at ? undefined : openPuzzle(at);
  if (!app.session) update({ dialog: "new" });
}
