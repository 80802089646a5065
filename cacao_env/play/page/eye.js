// Looking at the table: zoom, drag, pinch, and a cursor for the keyboard.

function zoom(factor, around = null) {
  hold();
  const before = around && pointAt(around);
  view.cell = Math.min(300, Math.max(12, view.cell * factor));
  drawTable();
  keepSetting("zoom", Math.round(view.cell));
  if (!before) return;
  const after = pointAt(around);
  view.x += before.x - after.x;
  view.y += before.y - after.y;
  drawTable();
}

// From now on what is seen does not follow the table's growth.
function hold() {
  if (!view.fits) return;
  const [x, y, width, height] = viewBox();
  Object.assign(view, { fits: false, cell: 100 * pixelsPerUnit(), x: x + width / 2, y: y + height / 2 });
}

function fit() {
  view.fits = true;
  keepSetting("zoom", "");
  drawTable();
}

// Begin a game or a record with the zoom that was kept, around the middle of its table.
function beginView() {
  const kept = Number(keptSetting("zoom"));
  const [x, y] = middleOf(extent());
  Object.assign(view, { fits: !(kept >= 12 && kept <= 300), cell: kept, x, y });
}

// Move a view that does not fit all so that a cell is seen.
function reveal([row, column]) {
  if (view.fits) return;
  const [, , width, height] = viewBox();
  const within = (value, middle, size) => Math.min(Math.max(middle, value + 100 - size / 2), value + size / 2);
  view.x = within(100 * column, view.x, width);
  view.y = within(100 * row, view.y, height);
}

const pixelsPerUnit = () => byId("table").getScreenCTM().a;

// Whether there is more of the table than is seen.
function isZoomedIn() {
  const [, , width, height] = viewBox();
  const all = extent();
  return !view.fits && (width < 100 * all.columns || height < 100 * all.rows);
}

const pointAt = ([x, y]) => new DOMPoint(x, y).matrixTransform(byId("table").getScreenCTM().inverse());

function cellAt(event) {
  const point = pointAt([event.clientX, event.clientY]);
  return [Math.floor(point.y / 100), Math.floor(point.x / 100)];
}

// Whether a click is on the sign of an overbuilt tile, in its upper right corner.
function isOnSign(event) {
  const point = pointAt([event.clientX, event.clientY]);
  const [x, y] = [point.x - 100 * Math.floor(point.x / 100), point.y - 100 * Math.floor(point.y / 100)];
  return tileAt(cellAt(event))?.under?.length > 0 && Math.hypot(x - 86, y - 14) < 15;
}

function pan(byX, byY) {
  hold();
  const a = pixelsPerUnit();
  view.x -= byX / a;
  view.y -= byY / a;
  drawTable();
}

function watchTable() {
  const table = byId("table");
  let drag = null;
  let moved = false;
  table.addEventListener("wheel", (event) => {
    if (event.ctrlKey) return;  // the browser's own zoom
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, [event.clientX, event.clientY]);
  }, { passive: false });
  table.addEventListener("pointerdown", (event) => {
    moved = false;
    drag = event.pointerType === "mouse" ? [event.clientX, event.clientY] : null;
  });
  table.addEventListener("mousedown", (event) => event.preventDefault());  // only the keyboard focuses the table
  table.addEventListener("pointermove", (event) => {
    if (drag && event.buttons) {
      const [x, y] = drag;
      if (Math.hypot(event.clientX - x, event.clientY - y) > 8) moved = true;
      if (moved) {
        pan(event.clientX - x, event.clientY - y);
        drag = [event.clientX, event.clientY];
        return;
      }
    }
    if (event.pointerType === "mouse") hoverCell(cellAt(event));
  });
  table.addEventListener("pointerleave", () => hoverCell(null));
  table.addEventListener("click", (event) => {
    drag = null;
    if (moved || !frame()) return;
    state.cursor = null;
    if (isOnSign(event)) lift(cellAt(event));
    else clickCell(cellAt(event));
  });
  watchTouch(table);
  watchCursor(table);
  byId("closer").onclick = () => zoom(1.25);
  byId("farther").onclick = () => zoom(0.8);
  byId("fit").onclick = fit;
  new ResizeObserver(() => drawTable()).observe(table);
}

// Two fingers zoom; one finger moves a table that was zoomed in, and else scrolls the page.
function watchTouch(table) {
  let before = null;
  const middle = (touches) => [
    [...touches].reduce((sum, one) => sum + one.clientX, 0) / touches.length,
    [...touches].reduce((sum, one) => sum + one.clientY, 0) / touches.length,
  ];
  const spread = (touches) => (touches.length < 2 ? 0
    : Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY));
  const note = (event) => {
    before = event.touches.length ? { middle: middle(event.touches), spread: spread(event.touches), count: event.touches.length } : null;
  };
  table.addEventListener("touchstart", (event) => {
    if (event.touches.length > 1) event.preventDefault();
    note(event);
  }, { passive: false });
  table.addEventListener("touchmove", (event) => {
    if (!before || before.count !== event.touches.length) return note(event);
    if (event.touches.length === 1 && !isZoomedIn()) return;
    event.preventDefault();
    const now = middle(event.touches);
    pan(now[0] - before.middle[0], now[1] - before.middle[1]);
    if (before.spread) zoom(spread(event.touches) / before.spread, now);
    note(event);
  }, { passive: false });
  table.addEventListener("touchend", note);
}

// --- The keyboard's cursor ----------------------------------------------------------------------

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function watchCursor(table) {
  table.addEventListener("focus", () => {
    if (frame() && !state.cursor) moveCursor(clickableCells()[0] ?? frame().at[0] ?? [0, 0]);
  });
  table.addEventListener("blur", () => {
    state.cursor = null;
    drawTable();
  });
  table.addEventListener("keydown", (event) => {
    if (!frame() || event.ctrlKey || event.altKey || event.metaKey) return;
    const from = state.cursor ?? [0, 0];
    if (STEPS[event.key]) moveCursor([from[0] + STEPS[event.key][0], from[1] + STEPS[event.key][1]]);
    else if (event.key === "n") nextCell(1);
    else if (event.key === "p") nextCell(-1);
    else if (event.key === " ") clickCell(from);
    else if (event.key === "Enter" && !(same(state.pick.cell, from) && picked())) clickCell(from);
    else return;
    event.preventDefault();
    event.stopPropagation();
    speakPick();
  });
}

function moveCursor(cell) {
  const all = extent();
  state.cursor = [
    Math.min(all.row + all.rows - 1, Math.max(all.row, cell[0])),
    Math.min(all.column + all.columns - 1, Math.max(all.column, cell[1])),
  ];
  hoverCell(state.cursor);
  reveal(state.cursor);
  drawTable();
  speak(cellSpoken(state.cursor));
}

// The cells that a click would choose, row by row.
function clickableCells() {
  if (!isChoosing()) return [];
  const some = state.choices.filter((one) => one.kind === "act" || one.tile === state.pick.tile);
  return uniqueCells(some.map((one) => one.cell)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

function nextCell(by) {
  const cells = clickableCells();
  if (!cells.length) return;
  const here = cells.findIndex((cell) => same(cell, state.cursor));
  moveCursor(cells[(here + by + cells.length) % cells.length]);
}

function speakPick() {
  const choice = picked();
  if (choice && state.pick.cell) speak(`${tr(choice.words)}: ${tr(choice.effect)}`);
}
