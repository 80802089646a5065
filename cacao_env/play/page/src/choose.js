// A person's decision: what may be chosen, what is picked and how it is turned.

import { spokenChoice } from "./said.js";
import { same } from "./session.js";
import { app, atEnd, curtainFor, exercise, frame, nameOf, speak, update } from "./state.js";
import { cellWords, kindWords, t } from "./words.js";

/** @import { Choice, Cell } from "./types.js" */

/** Whether a person chooses now. */
export function isChoosing() {
  const { session } = app;
  return Boolean(session && choosers() && atEnd() && curtainFor() === null && !app.counting);
}

/** The choices of a person at the frame shown. */
export const offered = () => (isChoosing() ? (app.session?.offered ?? []) : []);

function choosers() {
  const task = exercise();
  return task ? !task.solved : app.session?.awaits === "person";
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
  update({ about: null, preview: null, hint: "" });
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

export function cancel() {
  update({ pick: { ...app.pick, action: null }, about: null, preview: null, panel: null });
}

/** A cell as it is said. @param {Cell} cell */
export function spokenCell(cell) {
  const tile = frame()?.position.tiles.find((one) => one.row === cell[0] && one.column === cell[1]);
  const offers = choicesAt(cell).length ? `, ${t.canChoose}` : "";
  if (!tile) return `${cellWords(cell)}: ${t.empty}${offers}`;
  const what = tile.kind ? kindWords(tile.kind) : `${nameOf(tile.owner ?? 0)} ${tile.edges?.join("-")}`;
  return `${cellWords(cell)}: ${what}${offers}`;
}
