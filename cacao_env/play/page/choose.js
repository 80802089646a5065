// A person's decision: pick a tile, point at a cell, turn it, read what it will do, confirm.

const isChoosing = () => state.awaits === "person" && atEnd() && !state.busy && state.curtain === null;
const VERBS = { place: "Place", overbuild: "Overbuild", fill: "Fill", act: "Do it" };
const ASKED = { place: "place a worker tile", fill: "fill a jungle cell", act: "choose which workers act next" };

// The choices that a cell offers with the tile picked; of an act, all that concern the cell.
function choicesAt(cell) {
  if (!cell || !isChoosing()) return [];
  return inOrder(state.choices).filter((one) => {
    if (one.kind === "act") return same(one.cell, cell) || same(one.worker, cell);
    return same(one.cell, cell) && one.tile === state.pick.tile;
  });
}

// Of acts the best sale comes first, then those with most workers; placements stay as they are turned.
const inOrder = (choices) => (choices[0]?.kind === "act"
  ? [...choices].sort((a, b) => b.worth - a.worth || b.workers - a.workers) : choices);

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
  state.preview = null;
  state.hint = null;
  if (!first || !isChoosing()) return;
  // Where there is one cell alone to click, it is clicked already.
  const cells = new Set(state.choices.map((one) => one.cell.join()));
  if (first.kind !== "place" && first.kind !== "overbuild" && cells.size === 1) state.pick.cell = first.cell;
}

const pickableTiles = () => [...new Set(state.choices.filter((one) => one.tile).map((one) => one.tile))];

function clickCell(cell) {
  const found = choicesAt(cell);
  state.preview = null;
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
  byId("table").style.cursor = choicesAt(cell).length || (cell && tileAt(cell)) ? "pointer" : "";
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
  speakPick();
}

function pickTile(kind) {
  state.pick.tile = kind;
  if (!choicesAt(state.pick.cell).length) state.pick.cell = null;
  draw();
}

// Show a choice on the table as if it were picked by hand.
function point(choice) {
  if (choice.tile) state.pick.tile = choice.tile;
  const found = choicesAt(choice.cell);
  state.pick.cell = choice.cell;
  state.pick.turn = Math.max(0, found.findIndex((one) => one.action === choice.action));
}

// --- On the table -------------------------------------------------------------------------------

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
  return choice && !state.preview ? [...drawn, ...drawMove(choice, now.seat, "var(--act)", state.pick.cell !== null)] : drawn;
}

// A move on the table before it is made: a tile as a ghost, or the two tiles of an act.
function drawMove(move, seat, colour, isFirm) {
  if (move.kind === "act") {
    return [move.cell, move.worker].map((cell) => square(cell, 2, { stroke: colour, "stroke-width": 8 }));
  }
  const name = move.kind === "fill" ? jungleName(move.tile, move.turn === 1) : `w-${seat}-${(move.edges ?? []).join("")}`;
  return [
    place(name, move.cell[0], move.cell[1], { opacity: isFirm ? 1 : 0.75, class: "ghost" }),
    square(move.cell, 0, { stroke: colour, "stroke-width": isFirm ? 7 : 3 }),
  ];
}

// A move that is only looked at: a line of Think, a hint, the best move of a review.
function drawPreview() {
  if (!state.preview) return [];
  return [make("g", { class: "preview" }, ...drawMove(state.preview, state.preview.seat ?? frame().seat, "#8e24aa", false))];
}

// Edges that can act carry their choices, the best first.
function drawActs() {
  if (!isChoosing() || frame().phase !== "act") return [];
  const edges = new Map();
  for (const choice of inOrder(state.choices)) {
    const key = `${choice.worker} ${choice.cell}`;
    edges.set(key, [...(edges.get(key) ?? []), choice]);
  }
  const taken = [];
  return [...edges.values()].flatMap((choices) => {
    const edge = edgeAt(choices[0].worker, choices[0].cell);
    const [x, y] = freePlace(edge, 25 * choices.length, taken);
    const line = make("line", { x1: edge[0], y1: edge[1], x2: x, y2: y, stroke: "var(--act)", "stroke-width": 5 });
    return [line, ...choices.map((choice, number) => drawAct(choice, x, y + 25 * (number - (choices.length - 1) / 2)))];
  });
}

// The place nearest to an edge where its choices cover no others; `taken` gets it.
function freePlace([x, y], high, taken) {
  const shifts = [-90, -60, -30, 0, 30, 60, 90].flatMap((dx) => [-100, -75, -50, -25, 0, 25, 50, 75, 100].map((dy) => [dx, dy]))
    .sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
  const isFree = ([dx, dy]) => taken.every((one) => Math.abs(one.x - x - dx) >= 60 || Math.abs(one.y - y - dy) >= (one.high + high) / 2);
  const [dx, dy] = shifts.find(isFree) ?? [0, 0];
  taken.push({ x: x + dx, y: y + dy, high });
  return [x + dx, y + dy];
}

function drawAct(choice, x, y) {
  const kind = tileAt(choice.cell)?.kind ?? "";
  const text = !choice.workers ? t("skip") : kind.startsWith("market") ? t("sell {n}", { n: choice.workers })
    : t("use {n}", { n: choice.workers });
  const press = (event) => {
    event.stopPropagation();
    play(choice);
  };
  return make("g", {
    class: "act", role: "button", tabindex: 0, "data-act": choice.action, onclick: press,
    "aria-label": `${tr(choice.words)}: ${tr(choice.effect)}`,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") press(event); },
  },
  make("title", {}, tr(choice.effect)),
  make("rect", { x: x - 29, y: y - 12, width: 58, height: 24, rx: 8, fill: "var(--act)", stroke: "var(--paper)", "stroke-width": 2 }),
  words(x, y + 5, text, Math.min(15, 84 / text.length), "var(--on-act)"));
}

// --- Beside the table ---------------------------------------------------------------------------

function drawChoice() {
  const box = byId("choice");
  box.hidden = !(state.source === "game" && !state.over);
  if (box.hidden) return;
  const kept = box.contains(document.activeElement) ? document.activeElement.id : "";
  const undo = button(t("Undo"), undoMove, { id: "undo", disabled: !state.canUndo || state.busy });
  if (isChoosing()) drawChoosing(box, undo);
  else drawWaiting(box, undo);
  if (kept) byId(kept)?.focus();
}

function drawWaiting(box, undo) {
  const thinking = state.seats[frame().seat] !== "human" && state.awaits === "agent";
  const text = state.paused && state.awaits === "agent" ? t("Paused.")
    : !atEnd() ? t("This is an earlier position.")
      : thinking ? t("{name} is thinking …", { name: nameOf(frame().seat) }) : "…";
  const back = atEnd() ? null : button(t("Back to the game"), () => skipTo(lastPly()), { id: "to-game" });
  const pause = state.awaits === "agent" ? button(t(state.paused ? "Go on" : "Pause"), pauseAgents, {
    id: "pause", "aria-pressed": String(state.paused),
  }) : null;
  box.replaceChildren(make("div", { class: "effect" }, text), make("div", { class: "buttons" }, ...[back, pause, undo].filter(Boolean)));
}

function drawChoosing(box, undo) {
  const kinds = pickableTiles();
  const seat = frame().seat;
  const tiles = kinds.map((kind, number) => button("", () => pickTile(kind), {
    class: "tile", "aria-pressed": String(kind === state.pick.tile), "data-tile": kind, title: t("key {n}", { n: number + 1 }),
  }));
  tiles.forEach((tile, number) => tile.append(frame().phase === "fill" ? jungleIcon(kinds[number]) : workerIcon(seat, kinds[number])));
  const few = frame().phase === "act" ? make("div", { class: "list" }, ...inOrder(state.choices).map(listed)) : "";
  box.replaceChildren(
    make("strong", {}, asked()), kinds.length ? make("div", { class: "tiles" }, ...tiles) : "", few,
    make("div", { class: "effect", id: "effect" }),
    make("div", { class: "buttons" },
      button("", confirm, { class: "main", id: "confirm" }),
      button(t("Turn"), () => turnPick(1), { id: "turn", title: t("key {n}", { n: "R" }) }), undo,
      button(t("Hint"), hint, { id: "hint", disabled: state.thinking, title: t("what the strongest agent would do") })),
    state.hint ? make("div", { class: "hint" }, state.hint) : "",
  );
  drawEffect();
}

function asked() {
  const whose = state.people.length > 1 ? `${nameOf(frame().seat)}: ` : "";
  return whose + t(ASKED[frame().phase]);
}

function listed(choice) {
  const show = () => {
    point(choice);
    drawTable();
    drawEffect();
  };
  const line = button(tr(choice.words), () => play(choice), {
    class: choice === picked() ? "on" : null, "data-action": choice.action, onpointerenter: show, onfocus: show,
  });
  line.append(make("small", {}, tr(choice.effect)));
  return line;
}

const HINTS = {
  place: "Point at a marked cell and click; click again to turn the tile.",
  fill: "Choose a tile of the display and click a cell marked with ?.",
  act: "Click the jungle tile to use, a choice on the table, or a line above.",
};

function drawEffect() {
  const box = byId("effect");
  if (!box) return;
  const choice = picked();
  const phase = frame().phase;
  byId("confirm").disabled = !choice || (!state.pick.cell && phase !== "act");
  byId("confirm").textContent = t(choice ? VERBS[choice.kind] : VERBS[phase] ?? "Place");
  const options = choice ? choicesAt(state.pick.cell ?? state.pick.hover).length : 0;
  byId("turn").hidden = phase === "act" ? options < 2 : phase === "fill" && options < 2;
  byId("turn").disabled = options < 2;
  byId("turn").textContent = t(phase === "act" ? "Next choice" : "Turn");
  for (const one of document.querySelectorAll("#choice .list button")) {
    one.classList.toggle("on", choice !== null && Number(one.dataset.action) === choice.action);
  }
  if (!choice) return box.replaceChildren(make("span", { class: "quiet" }, t(HINTS[phase])));
  const worth = choice.worth ? ` (${t("score {n} if the game ended then", { n: plus(choice.worth) })})` : "";
  box.replaceChildren(make("div", {}, tr(choice.words)), make("small", {}, tr(choice.effect) + worth));
}

function confirm() {
  const choice = picked();
  if (choice && isChoosing()) play(choice);
}
