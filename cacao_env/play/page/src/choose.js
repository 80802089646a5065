// A person's decision: a choice is picked, seen, and confirmed or taken back.

import { judgePuzzle, judgeTry } from "./exercises.js";
import { spokenChoice } from "./said.js";
import { same } from "./session.js";
import { sound } from "./sound.js";
import { app, atEnd, frame, say, speak, update } from "./state.js";
import { settle, show, stopAll, tabs } from "./turns.js";
import { t } from "./words.js";

/** @import { Choice, Cell } from "./types.js" */

/** Whether a person chooses now. */
export function isChoosing() {
  const { session } = app;
  return Boolean(session && choosers() && atEnd() && curtainFor() === null && !app.counting);
}

/** The choices of a person at the frame shown. */
export const offered = () => (isChoosing() ? (app.session?.offered ?? []) : []);

function choosers() {
  const { session, trying, puzzle } = app;
  if (trying || puzzle) return !(trying ?? puzzle)?.solved;
  return session?.awaits === "person";
}

/** The person whom the screen is to be handed to, of several; else null. */
export function curtainFor() {
  const { session } = app;
  if (!session || session.people.length < 2 || app.noCurtain || session.awaits !== "person" || !atEnd()) return null;
  const { seat } = session.now;
  return seat === app.shownTo ? null : seat;
}

export const tilesOffered = () => [...new Set(offered().flatMap(({ move }) => (move.tile ? [move.tile] : [])))];

/** The choices at a cell, with the tile picked. @param {Cell | null} cell */
export function choicesAt(cell) {
  if (!cell) return [];
  return offered().filter(({ move }) =>
    move.type === "act"
      ? same(move.cell, cell) || same(move.worker, cell)
      : same(move.cell, cell) && move.tile === app.pick.tile,
  );
}

export const picked = () => offered().find(({ action }) => action === app.pick.action) ?? null;

/** What the table shows as a ghost: the choice picked, or the one under the pointer. */
export function ghost() {
  const one = picked();
  if (one) return one;
  const there = choicesAt(app.hover ?? app.cursor);
  return there.find(({ move }) => move.turn === app.pick.turn) ?? there[0] ?? null;
}

/** @param {Choice} choice */
export function choose(choice) {
  const { move, action } = choice;
  app.pick = { tile: move.tile ?? app.pick.tile, action, turn: move.turn ?? app.pick.turn };
  update({ about: null, preview: null });
  speak(spokenChoice(choice));
}

/** @param {string} tile */
export function pickTile(tile) {
  const before = picked();
  app.pick = { ...app.pick, tile, action: null };
  const cells = [...new Map(offered().map(({ move }) => [String(move.cell), move.cell])).values()];
  const cell = before?.move.cell ?? (frame()?.position.phase === "fill" && cells.length === 1 ? cells[0] : null);
  const there = choicesAt(cell);
  const next = there.find(({ move }) => move.turn === app.pick.turn) ?? there[0];
  if (next) choose(next);
  else update();
}

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

/** Turn the tile chosen, or go to the next choice there. @param {number} by */
export function turn(by) {
  const now = ghost();
  // Nothing is pointed at, as on a touch screen: what is placed next is turned.
  if (!now) return update({ pick: { ...app.pick, turn: (app.pick.turn + by + 4) % 4 } });
  const there = choicesAt(now.move.cell).filter(({ move }) => move.type === now.move.type);
  if (there.length < 2) return;
  const next = there[(there.indexOf(now) + by + there.length) % there.length];
  if (picked()) return choose(next);
  update({ pick: { ...app.pick, turn: next.move.turn ?? 0 } });
}

/** @param {Choice} choice */
export function chooseOrPlay(choice) {
  choose(choice);
  if (app.settings.oneClick) confirm();
}

export function cancel() {
  update({ pick: { ...app.pick, action: null }, about: null, preview: null, panel: null });
}

/** Play what is chosen. */
export function confirm() {
  const choice = picked();
  const { session } = app;
  if (!choice || !session) return;
  if (app.trying) return judgeTry(choice);
  if (app.puzzle) return judgePuzzle(choice);
  const from = session.last;
  session.play(choice.action);
  sound(choice.move.type);
  void keep();
  void show(from, false);
}

/** Whether the game shown goes on here, or has just ended: no record, no exercise, nothing looked back at. */
export const isLive = () => app.session?.saved.kind === "game" && (!app.session.over || atEnd());

export function undo() {
  const { session } = app;
  if (!session?.canUndo || !isLive()) return;
  stopAll();
  session.undo();
  Object.assign(app, {
    ply: session.last,
    hint: "",
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

export async function keep() {
  const { session } = app;
  if (!session || session.saved.kind === "puzzle") return;
  try {
    await app.store.keep(session.saved);
    tabs?.postMessage(session.saved.id);
  } catch {
    say(t.notSaved);
  }
}

// --- Several people at one screen ----------------------------------------------------------------

export function liftCurtain(noMore = false) {
  app.noCurtain = noMore;
  app.shownTo = app.session?.now.seat ?? null;
  settle();
}
