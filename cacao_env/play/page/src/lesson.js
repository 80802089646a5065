// The lesson: eight decisions of one game, in which the person moves.  Between them the game goes on as it was played.

import { offered } from "./choose.js";
import { made, open } from "./games.js";
import { found, marketGold } from "./said.js";
import { sound } from "./sound.js";
import { app, frame, speak, update } from "./state.js";
import { settle, show } from "./turns.js";
import { capital, goodsWords, t } from "./words.js";

/** @import { Choice, Cell } from "./types.js" */
/** @import { Session } from "./session.js" */

const SEED = 126;
const PLAYED =
  "1404 1572 3434 3457 3461 1705 1577 3442 3502 1733 3432 1564 3436 3481 3473 2018 3436 3501 1417 3446 3481 2002 3444 " +
  "3477 3497 3501 1573 3432 3501 2158 3438 3466 3457 2146 3458 1438 3442 1835 3478 1274 3438 3501 3505 1733 3442 1142 " +
  "3501 3505 2176 2032 1716 3501 3457";
// How many moves were made before each step, and what it is about.
const STEPS = [
  { at: 0, about: "plantation" },
  { at: 9, about: "market" },
  { at: 15, about: "fill" },
  { at: 29, about: "water" },
  { at: 35, about: "sun" },
  { at: 45, about: "temple" },
  { at: 49, about: "overbuild" },
  { at: 53, about: "end" },
];

export const lessonSteps = STEPS.length;

/** Open a step of the lesson, the one that was left. @param {number} step */
export function openLesson(step = app.progress.step ?? 0) {
  const options = { players: 2, volcanoes: false, decisions: /** @type {const} */ ("auto") };
  const deal = app.engine.deal({ ...options, seed: SEED });
  const actions = PLAYED.split(" ").slice(0, STEPS[step].at).map(Number);
  const players = [
    { person: /** @type {const} */ (true), name: "" },
    { person: /** @type {const} */ (false), name: "Itzel", level: "grower", agent: "greedy" },
  ];
  open(made({ options, deal, actions }, players, { kind: "puzzle", viewer: 0 }), { keep: false });
  Object.assign(app.progress, { taught: true, step });
  void app.store.set("progress", app.progress);
  const text = t.lesson.steps[step].ask;
  app.lesson = { step, text, solved: false };
  settle();
  speak(text);
}

/** What a choice of the last step is worth. @param {Choice} choice */
const worth = (choice) => choice.worth + marketGold(/** @type {Session} */ (app.session).now, 0, choice.move);

/** Whether a choice shows what a step is about: any other one is legal, and is not played. @param {Choice} choice */
function shows(choice) {
  const { move, effects } = choice;
  const now = /** @type {import("./types.js").Frame} */ (frame()).position;
  const { about } = STEPS[app.lesson?.step ?? 0];
  if (now.phase !== "place") return true;
  if (about === "end") return worth(choice) > 0;
  if (about === "fill") return effects.fills > 0 || effects.draws;
  if (about === "overbuild") return move.type === about;
  return move.type === "place" && found(now, 0, move).some(({ kind }) => kind === about);
}

/** Where to look: the spaces where a tile shows what the step is about, and the jungle tiles of that kind. */
export function lookedAt() {
  const { lesson, session } = app;
  if (!lesson || lesson.solved || !session) return null;
  const { about } = STEPS[lesson.step];
  const most = Math.max(...offered().map(worth));
  const good = offered().filter((one) => (about === "end" ? worth(one) === most : shows(one)));
  const spaces = good.map(({ move }) => move.cell);
  const cells = session.now.tiles
    .filter(({ kind = "" }) => kind.startsWith(about))
    .map(({ row, column }) => /** @type {Cell} */ ([row, column]))
    .filter(([row, column]) => spaces.some((at) => Math.abs(at[0] - row) + Math.abs(at[1] - column) === 1));
  return { spaces: new Set(spaces.map(String)), cells: cells.length ? cells : spaces };
}

/** @param {Choice} choice */
export async function judgeStep(choice) {
  const { lesson, session } = app;
  if (!lesson || lesson.solved || !session) return;
  const { ask, done } = t.lesson.steps[lesson.step];
  if (!shows(choice)) {
    const text = `${t.lesson.again} ${ask}`;
    update({ lesson: { ...lesson, text } });
    return speak(text);
  }
  const [from, { turn }] = [session.last, session.now];
  session.play(choice.action);
  sound(choice.move.type);
  // The person fills the jungle too; the rest of the turn goes by itself.
  if (session.now.phase === "fill") {
    await show(from, false);
    return update({ lesson: { ...lesson, text: t.lesson.fill } });
  }
  update({ lesson: { ...lesson, text: "", solved: true } });
  const isEnd = STEPS[lesson.step].about === "end";
  while (!session.over && (isEnd || session.now.turn === turn)) {
    const wish = { agent: "greedy", seed: 1 };
    const next = await app.client?.choose(session.dataAt(session.last), wish).catch(() => null);
    if (!next || app.session !== session) return;
    session.play(next.action);
  }
  const begun = session.frames.findIndex(({ position }) => position.turn === turn);
  const got = goodsWords(session.gains(session.last, begun)[0]).join(", ");
  const text = `${got ? `${capital(got)}. ` : ""}${done}`;
  await show(from, true);
  update({ lesson: { ...lesson, text, solved: true } });
  speak(text);
}

export function leaveLesson() {
  update({ lesson: null, session: null, dialog: "new" });
}
