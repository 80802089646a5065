// The table: tiles, cells that may be covered, marks of what has changed, what an agent thinks of cells.

// Either all is seen, also as the table grows, or a cell has a number of pixels around a point of the table.
// That number is kept for the next game.
const view = { fits: true, cell: 0, x: 0, y: 0 };
const LEAST_CELLS = 5.5;  // shown across, so that the first tiles are not huge
const EMPTY = { tiles: [], open: [], fill: [] };

function extent() {
  // Of a finished game that of all frames: the table does not jump while one steps through.
  const frames = state.over ? state.frames : [frame() ?? EMPTY];
  const cells = frames.flatMap((one) => [
    ...one.tiles.map((tile) => [tile.row, tile.column]), ...one.open, ...one.fill,
  ]);
  const rows = cells.map((cell) => cell[0]);
  const columns = cells.map((cell) => cell[1]);
  if (!cells.length) return { row: -1, column: -1, rows: 4, columns: 4 };
  const row = Math.min(...rows);
  const column = Math.min(...columns);
  return { row, column, rows: Math.max(...rows) - row + 1, columns: Math.max(...columns) - column + 1 };
}

function viewBox() {
  const all = extent();
  const svg = byId("table");
  const [width, height] = view.fits
    ? [all.columns, all.rows].map((cells) => Math.max(cells + 0.8, LEAST_CELLS) * 100)
    : [svg.clientWidth, svg.clientHeight].map((pixels) => Math.max(1, pixels) * 100 / view.cell);
  const [x, y] = view.fits ? middleOf(all) : [view.x, view.y];
  return [x - width / 2, y - height / 2, width, height];
}

const middleOf = (all) => [(all.column + all.columns / 2) * 100, (all.row + all.rows / 2) * 100];

const place = (name, row, column, more = {}) =>
  make("use", { href: "#" + name, x: column * 100, y: row * 100, width: 100, height: 100, ...more });
const square = (cell, inset, more) => make("rect", {
  x: cell[1] * 100 + inset, y: cell[0] * 100 + inset, width: 100 - 2 * inset, height: 100 - 2 * inset,
  rx: 10, fill: "none", ...more,
});
const workerName = (tile) => `w-${tile.owner}-${tile.edges.join("")}`;
const uniqueCells = (cells) => [...new Map(cells.map((cell) => [cell.join(), cell])).values()];

function drawTile(tile) {
  if (tile.kind !== undefined) {
    const dim = state.marked !== null;
    return make("g", { class: dim ? "dim" : null }, place(jungleName(tile.kind, tile.turned), tile.row, tile.column));
  }
  const dim = state.marked !== null && state.marked !== tile.owner;
  const group = make("g", { class: dim ? "dim" : null });
  if (!tile.under.length) {
    group.append(place(workerName(tile), tile.row, tile.column));
    return group;
  }
  tile.under.forEach((below, number) => {
    const off = 6 * (tile.under.length - number);
    group.append(make("rect", {
      x: tile.column * 100 + 2 + off, y: tile.row * 100 + 2 + off, width: 96, height: 96, rx: 10,
      fill: `var(--light${below.owner})`, stroke: `var(--seat${below.owner})`, "stroke-width": 4,
    }));
  });
  const below = tile.under[tile.under.length - 1];
  const isLifted = state.lifted.has(cellWords([tile.row, tile.column])) && below.edges;
  const off = -2 * tile.under.length;
  group.append(place(workerName(isLifted ? below : tile), tile.row, tile.column, {
    transform: `translate(${off} ${off})`, opacity: isLifted ? 0.6 : null,
  }));
  const [x, y] = [tile.column * 100 + 86, tile.row * 100 + 14];
  group.append(make("circle", { class: "lift", cx: x, cy: y, r: 12, fill: "#f7a707", stroke: "#2b2622", "stroke-width": 2 }),
    words(x, y + 5.5, isLifted ? "↓" : tile.under.length + 1, 16, "#2b2622"));
  return group;
}

function words(x, y, text, size, fill, more = {}) {
  return make("text", {
    x, y, "font-size": size, fill, "text-anchor": "middle", "font-weight": "bold", ...more,
  }, String(text));
}

function drawTable() {
  const table = byId("table");
  const now = frame();
  const box = viewBox();
  table.setAttribute("viewBox", box.join(" "));
  byId("fit").setAttribute("aria-pressed", String(view.fits));
  if (!now) return table.replaceChildren();
  const cells = openCells(now);
  const open = cells.map((cell) => square(cell, cells.legal ? 22 : 32, {
    stroke: cells.legal ? "var(--act)" : "var(--faint)", "stroke-width": cells.legal ? 4 : 2.5,
    "stroke-dasharray": "9 7", fill: cells.legal ? "var(--glow)" : "none", class: cells.legal ? "cell" : null,
    "data-cell": cell.join(","),
  }));
  const last = now.tiles.filter((tile) => tile.last).map((tile) => square([tile.row, tile.column], -1, {
    stroke: "var(--newest)", "stroke-width": 5,
  }));
  const moved = newCells().map((cell) => square(cell, 3, {
    stroke: "var(--newest)", "stroke-width": 4, "stroke-dasharray": "4 5", class: "news",
  }));
  const fill = now.fill.flatMap((cell) => [
    square(cell, 6, { fill: "var(--paper)", stroke: "var(--newest)", "stroke-width": 4, "stroke-dasharray": "9 7" }),
    words(cell[1] * 100 + 50, cell[0] * 100 + 69, "?", 52, "var(--newest)"),
  ]);
  table.replaceChildren(
    ...open, ...now.tiles.map(drawTile), ...last, ...moved, ...fill, ...drawHeat(), ...drawPick(),
    ...drawPreview(), ...drawPending(now), ...drawActs(),
    ...(state.about ? [square(state.about, 0, { stroke: "var(--ink)", "stroke-width": 4 })] : []),
    ...(state.cursor ? [square(state.cursor, -4, { stroke: "#0072b2", "stroke-width": 6, class: "cursor" })] : []),
    ...drawCoordinates(box),
  );
}

// Rows and columns as the moves name them, along the edges of what is seen.
function drawCoordinates([x, y, width, height]) {
  const svg = byId("table");
  const shown = Math.min(svg.clientWidth / width, svg.clientHeight / height) || 1;
  const size = 13 / shown;
  const [seenX, seenY] = [x - (svg.clientWidth / shown - width) / 2, y - (svg.clientHeight / shown - height) / 2];
  const all = extent();
  const label = (cx, cy, text) => words(cx, cy, text, size, "var(--shade)", { class: "coordinate", "font-weight": "normal" });
  const columns = Array.from({ length: all.columns }, (_, k) => all.column + k);
  const rows = Array.from({ length: all.rows }, (_, k) => all.row + k);
  return [
    ...columns.map((column) => label(column * 100 + 50, seenY + size * 1.1, signed(column))),
    ...rows.map((row) => label(seenX + size, row * 100 + 50 + size / 3, signed(row))),
  ];
}

// Where a tile may go: for a person who places, where the picked tile may.
function openCells(now) {
  if (isChoosing() && now.phase === "place") {
    const cells = new Map(state.choices.filter((one) => one.tile === state.pick.tile && one.kind === "place")
      .map((one) => [one.cell.join(), one.cell]));
    return Object.assign([...cells.values()], { legal: true });
  }
  return Object.assign([...now.open], { legal: false });
}

// Edges of others that have still to act.
function drawPending(now) {
  return now.pending.filter((one) => one.seat !== now.seat).map((one) => {
    const [x, y] = edgeAt(one.worker, one.cell);
    return words(x, y + 18, "*", 46, `var(--seat${one.seat})`, {
      class: "pending", stroke: "var(--paper)", "stroke-width": 5, "paint-order": "stroke",
    });
  });
}

const edgeAt = (worker, cell) => [(worker[1] + cell[1]) * 50 + 50, (worker[0] + cell[0]) * 50 + 50];

// --- What lies on a cell ------------------------------------------------------------------------

const KIND_WORDS = {
  plantation: "Each worker that acts here harvests the cacao shown; a village stores at most five.",
  market: "Each worker that acts here sells one cacao for the price shown.",
  mine: "Each worker that acts here takes the gold shown.",
  water: "Each worker that acts here carries water one field along the track.",
  sun: "Each worker that acts here takes a sun token; a village keeps at most three. A token is worth one gold at the end. Once the jungle tiles are used up, it pays for overbuilding.",
  temple: "At the end the player with the most workers beside it gets 6 gold, the second 3; tied players share.",
  volcano: "Two sides give 2 gold for each worker; the other two cost 1.",
};

const tileAt = (cell) => frame()?.tiles.find((one) => same([one.row, one.column], cell));

function aboutCell(cell) {
  const tile = tileAt(cell);
  if (!tile) return null;
  const where = make("span", { class: "quiet" }, ` ${cellWords(cell)}`);
  if (tile.kind === undefined) {
    const layers = [...tile.under.filter((one) => one.edges), tile];
    return [
      make("strong", {}, `${nameOf(tile.owner)}: ${tile.edges.join("-")}`), where,
      make("div", {}, t(tile.under.length ? "from below to the top:" : "north - east - south - west")),
      make("div", {}, ...layers.map((one) => icon(workerName(one), one.edges.join("-")))),
      tile.under.length ? button(t("Show the tile below"), () => lift(cell), {
        id: "lift", "aria-pressed": String(state.lifted.has(cellWords(cell))),
      }) : null,
    ];
  }
  const base = tile.kind.replace(/\d/, "");
  const parts = [make("strong", {}, kindWords(tile.kind)), where, make("div", {}, t(KIND_WORDS[base]))];
  if (tile.workers) parts.push(templeTable(tile));
  return parts;
}

function templeTable(tile) {
  return make("table", {}, ...tile.workers.map((workers, seat) => make("tr", {},
    make("td", {}, nameOf(seat)), make("td", {}, t(workers === 1 ? "{n} worker" : "{n} workers", { n: workers })),
    make("td", {}, tile.gold[seat] ? frame().phase === "over" ? t("{n} gold", { n: tile.gold[seat] }) : t("{n} gold if the game ended now", { n: tile.gold[seat] }) : ""))));
}

// An overbuilt tile shows what lies below, or again the one on top.
function lift(cell) {
  const key = cellWords(cell);
  if (!state.lifted.delete(key)) state.lifted.add(key);
  draw();
}

function drawAbout() {
  const box = byId("about");
  const parts = state.about && frame() ? aboutCell(state.about) : null;
  box.hidden = !parts;
  if (!parts) return;
  const close = button("×", () => {
    state.about = null;
    draw();
  }, { class: "close", "aria-label": t("Close") });
  box.replaceChildren(close, ...parts.filter((part) => part !== null));
}

// The words for a cell, as the live region says them.
function cellSpoken(cell) {
  const tile = tileAt(cell);
  const offers = choicesAt(cell).length ? `, ${t("can be chosen")}` : "";
  if (!tile) return `${cellWords(cell)}: ${t("empty")}${offers}`;
  const what = tile.kind ? kindWords(tile.kind) : `${nameOf(tile.owner)} ${tile.edges.join("-")}`;
  return `${cellWords(cell)}: ${what}${offers}`;
}
