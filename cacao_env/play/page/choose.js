// A person's decision: pick a tile, point at a cell, turn it, read what it will do, confirm.

const isChoosing = () => state.awaits === "person" && atEnd() && !state.busy;
const VERBS = { place: "Place", overbuild: "Overbuild", fill: "Fill", act: "Do it" };

// The choices that a cell offers with the tile picked; of an act, all that concern the cell.
function choicesAt(cell) {
  if (!cell || !isChoosing()) return [];
  return inOrder(state.choices).filter((one) => {
    if (one.kind === "act") return same(one.cell, cell) || same(one.worker, cell);
    return same(one.cell, cell) && one.tile === state.pick.tile;
  });
}

// Acts with most workers come first; placements stay as they are turned.
const inOrder = (choices) => (choices[0]?.kind === "act" ? [...choices].sort((a, b) => b.workers - a.workers) : choices);

// The choice that would be made now: at the cell that was clicked, else at the one pointed at.
function picked() {
  const found = choicesAt(state.pick.cell ?? state.pick.hover);
  return found.length ? found[state.pick.turn % found.length] : null;
}

function resetPick() {
  const first = state.choices[0];
  const kinds = pickableTiles();
  const kept = kinds.includes(state.pick.tile) ? state.pick.tile : kinds[0] ?? null;
  state.pick = { tile: kept, cell: null, hover: null, turn: 0 };
  if (!first || !isChoosing()) return;
  // Where there is one cell alone to click, it is clicked already.
  const cells = new Set(state.choices.map((one) => one.cell.join()));
  if (first.kind !== "place" && first.kind !== "overbuild" && cells.size === 1) state.pick.cell = first.cell;
}

const pickableTiles = () => [...new Set(state.choices.filter((one) => one.tile).map((one) => one.tile))];

function clickCell(cell) {
  const found = choicesAt(cell);
  if (!found.length) {
    state.pick.cell = null;
    state.about = same(state.about, cell) ? null : cell;
  } else if (same(state.pick.cell, cell)) {
    state.pick.turn += 1;
  } else {
    state.about = null;
    if (found[0].kind === "act") state.pick.turn = 0;
    state.pick.cell = cell;
  }
  draw();
}

function hoverCell(cell) {
  if (same(cell, state.pick.hover) || cell === state.pick.hover) return;
  state.pick.hover = cell;
  if (isChoosing() && !state.pick.cell) {
    drawTable();
    drawEffect();
  }
}

function turnPick(by) {
  const found = choicesAt(state.pick.cell ?? state.pick.hover);
  if (!found.length) return;
  state.pick.turn = (state.pick.turn + by + found.length) % found.length;
  drawTable();
  drawEffect();
}

function pickTile(kind) {
  state.pick.tile = kind;
  if (!choicesAt(state.pick.cell).length) state.pick.cell = null;
  draw();
}

function drawPick() {
  if (!isChoosing()) return [];
  const drawn = [];
  const now = frame();
  if (now.phase === "act") {
    for (const cell of uniqueCells(state.choices.map((one) => one.cell))) {
      drawn.push(square(cell, 2, { stroke: "var(--act)", "stroke-width": 6, "stroke-dasharray": "12 6", class: "cell" }));
    }
  }
  for (const one of uniqueCells(state.choices.filter((two) => two.kind === "overbuild" && two.tile === state.pick.tile).map((two) => two.cell))) {
    drawn.push(square(one, 6, { stroke: "var(--act)", "stroke-width": 4, "stroke-dasharray": "9 7", class: "cell" }));
  }
  const choice = picked();
  if (!choice) return drawn;
  if (choice.kind === "act") {
    drawn.push(square(choice.cell, 2, { stroke: "var(--act)", "stroke-width": 8 }));
    drawn.push(square(choice.worker, 2, { stroke: "var(--act)", "stroke-width": 8 }));
  } else {
    const pinned = state.pick.cell !== null;
    const name = choice.kind === "fill" ? jungleName(choice.tile, choice.turn === 1) : `w-${now.seat}-${choice.edges.join("")}`;
    drawn.push(place(name, choice.cell[0], choice.cell[1], { opacity: pinned ? 1 : 0.75, class: "ghost" }));
    drawn.push(square(choice.cell, 0, { stroke: "var(--act)", "stroke-width": pinned ? 7 : 3 }));
  }
  return drawn;
}

const uniqueCells = (cells) => [...new Map(cells.map((cell) => [cell.join(), cell])).values()];

function drawChoice() {
  const box = byId("choice");
  box.hidden = !(state.source === "game" && !state.over);
  if (box.hidden) return;
  const undo = make("button", { type: "button", id: "undo", disabled: !state.canUndo || state.busy, onclick: undoMove }, "Undo");
  if (!isChoosing()) {
    const text = !atEnd() ? "This is an earlier position." : state.awaits === "agent" ? `${state.names[frame().seat]} is thinking …` : "…";
    const back = atEnd() ? null : make("button", { type: "button", onclick: () => go(state.frames.length - 1) }, "Back to the game");
    return box.replaceChildren(make("div", { class: "effect" }, text), make("div", { class: "buttons" }, back, undo));
  }
  const kinds = pickableTiles();
  const seat = frame().seat;
  const tiles = kinds.map((kind, number) => make("button", {
    class: "tile", type: "button", "aria-pressed": String(kind === state.pick.tile), "data-tile": kind,
    title: `key ${number + 1}`, onclick: () => pickTile(kind),
  }, frame().phase === "fill" ? jungleIcon(kind) : workerIcon(seat, kind)));
  const few = frame().phase === "act" ? make("div", { class: "list" }, ...inOrder(state.choices).map(listed)) : null;
  box.replaceChildren(
    make("strong", {}, asked()), kinds.length ? make("div", { class: "tiles" }, ...tiles) : "", few ?? "",
    make("div", { class: "effect", id: "effect" }),
    make("div", { class: "buttons" },
      make("button", { type: "button", class: "main", id: "confirm", onclick: confirm }, "Place"),
      make("button", { type: "button", id: "turn", title: "key R", onclick: () => turnPick(1) }, "Turn"), undo),
  );
  drawEffect();
}

function asked() {
  const whose = state.people.length > 1 ? `${state.names[frame().seat]}: ` : "";
  return whose + { place: "place a worker tile", fill: "fill a jungle cell", act: "choose what acts next" }[frame().phase];
}

function listed(choice) {
  return make("button", {
    type: "button", class: choice === picked() ? "on" : null, "data-action": choice.action, onclick: () => play(choice),
    onpointerenter: () => point(choice),
  }, choice.words, make("small", {}, choice.effect));
}

function point(choice) {
  const found = choicesAt(choice.cell);
  state.pick.cell = choice.cell;
  state.pick.turn = found.indexOf(choice);
  drawTable();
  drawEffect();
}

function drawEffect() {
  const box = byId("effect");
  if (!box) return;
  const choice = picked();
  const phase = frame().phase;
  byId("confirm").disabled = !choice || (!state.pick.cell && phase !== "act");
  byId("confirm").textContent = choice ? VERBS[choice.kind] : VERBS[phase] ?? "Place";
  const options = choice ? choicesAt(state.pick.cell ?? state.pick.hover).length : 0;
  byId("turn").hidden = phase === "act" ? options < 2 : phase === "fill" && options < 2;
  byId("turn").disabled = options < 2;
  byId("turn").textContent = phase === "act" ? "Other way" : "Turn";
  for (const one of document.querySelectorAll("#choice .list button")) {
    one.classList.toggle("on", choice !== null && Number(one.dataset.action) === choice.action);
  }
  const hint = {
    place: "Point at a marked cell and click; click again to turn the tile.",
    fill: "Choose a tile of the display and click a cell marked with ?.",
    act: "Click the jungle tile to use, or a line above.",
  }[phase];
  if (!choice) return box.replaceChildren(make("span", { class: "quiet" }, hint));
  const worth = choice.worth ? ` (score ${choice.worth > 0 ? "+" : "−"}${Math.abs(choice.worth)} if it ended then)` : "";
  box.replaceChildren(make("div", {}, choice.words), make("small", {}, choice.effect + worth));
}

function confirm() {
  const choice = picked();
  if (choice && isChoosing()) play(choice);
}
