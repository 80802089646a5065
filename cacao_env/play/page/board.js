// The table: tiles, cells that may be covered, what an agent thinks of them, and the eye's distance.

const view = { scale: 1, x: 0, y: 0, drag: null, moved: false };  // scale 1 at 0, 0 fits all
const LEAST_CELLS = 5.5;  // shown across, so that the first tiles are not huge
const EMPTY = { tiles: [], open: [], fill: [] };

function extent() {
  // Of a finished game that of all frames: the table does not jump while one steps through.
  const frames = state.source === "record" ? state.frames : [frame() ?? EMPTY];
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
  const width = Math.max(all.columns + 0.4, LEAST_CELLS) * 100 / view.scale;
  const height = Math.max(all.rows + 0.4, LEAST_CELLS) * 100 / view.scale;
  const x = (all.column + all.columns / 2) * 100 + view.x - width / 2;
  const y = (all.row + all.rows / 2) * 100 + view.y - height / 2;
  return [x, y, width, height];
}

function cellAt(event) {
  const table = byId("table");
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(table.getScreenCTM().inverse());
  return [Math.floor(point.y / 100), Math.floor(point.x / 100)];
}

const place = (name, row, column, more = {}) =>
  make("use", { href: "#" + name, x: column * 100, y: row * 100, width: 100, height: 100, ...more });
const square = (cell, inset, more) => make("rect", {
  x: cell[1] * 100 + inset, y: cell[0] * 100 + inset, width: 100 - 2 * inset, height: 100 - 2 * inset,
  rx: 10, fill: "none", ...more,
});
const workerName = (tile) => `w-${tile.owner}-${tile.edges.join("")}`;

function drawTile(tile) {
  if (tile.kind !== undefined) {
    const dim = state.marked !== null;
    return make("g", { class: dim ? "dim" : null }, place(jungleName(tile.kind, tile.turned), tile.row, tile.column));
  }
  const dim = state.marked !== null && state.marked !== tile.owner;
  const group = make("g", { class: dim ? "dim" : null });
  tile.under.forEach((below, number) => {
    const off = 6 * (tile.under.length - number);
    group.append(make("rect", {
      x: tile.column * 100 + 2 + off, y: tile.row * 100 + 2 + off, width: 96, height: 96, rx: 10,
      fill: `var(--light${below.owner})`, stroke: `var(--seat${below.owner})`, "stroke-width": 4,
    }));
  });
  const off = -2 * tile.under.length;
  const lifted = off ? { transform: `translate(${off} ${off})` } : {};
  group.append(place(workerName(tile), tile.row, tile.column, lifted));
  if (tile.under.length) {
    const [x, y] = [tile.column * 100 + 84, tile.row * 100 + 84];
    group.append(make("circle", { cx: x, cy: y, r: 12, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 2 }));
    group.append(words(x, y + 5.5, tile.under.length + 1, 16, "var(--ink)"));
  }
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
  table.setAttribute("viewBox", viewBox().join(" "));
  if (!now) return table.replaceChildren();
  const cells = openCells(now);
  const open = cells.map((cell) => square(cell, cells.legal ? 22 : 32, {
    stroke: cells.legal ? "var(--act)" : "#b9ae9a", "stroke-width": cells.legal ? 4 : 2.5,
    "stroke-dasharray": "9 7", fill: cells.legal ? "#ffffff66" : "none", class: cells.legal ? "cell" : null,
    "data-cell": cell.join(","),
  }));
  const last = now.tiles.filter((tile) => tile.last).map((tile) => square([tile.row, tile.column], -1, {
    stroke: "var(--newest)", "stroke-width": 5,
  }));
  const moved = now.at.map((cell) => square(cell, 3, {
    stroke: "var(--newest)", "stroke-width": 3, "stroke-dasharray": "4 5",
  }));
  const fill = now.fill.flatMap((cell) => [
    square(cell, 6, { fill: "#fff", stroke: "var(--newest)", "stroke-width": 4, "stroke-dasharray": "9 7" }),
    words(cell[1] * 100 + 50, cell[0] * 100 + 69, "?", 52, "var(--newest)"),
  ]);
  table.replaceChildren(
    ...open, ...now.tiles.map(drawTile), ...last, ...moved, ...fill, ...drawHeat(), ...drawPick(),
    ...(state.about ? [square(state.about, 0, { stroke: "var(--ink)", "stroke-width": 4 })] : []),
  );
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

// --- What lies on a cell ------------------------------------------------------------------------

const KIND_WORDS = {
  plantation: "Each worker that acts here harvests that much cacao; a village stores five.",
  market: "Each worker that acts here sells one cacao for that price.",
  mine: "Each worker that acts here takes that much gold.",
  water: "Each worker that acts here carries water one field along the track.",
  sun: "Each worker that acts here takes a sun token, worth one gold; once the jungle tiles are used up it pays for covering an own tile.",
  temple: "Counts at the end: most workers beside it 6 gold, second most 3; equals share.",
  volcano: "Two sides give 2 gold for each worker, the other two take 1.",
};

function aboutCell(cell) {
  const tile = frame().tiles.find((one) => same([one.row, one.column], cell));
  if (!tile) return null;
  if (tile.kind === undefined) {
    const layers = [...tile.under.filter((one) => one.edges), tile];
    const owner = state.names[tile.owner];
    return [
      make("strong", {}, `${owner}: ${tile.edges.join("-")}`),
      make("div", {}, tile.under.length ? "from below to the top:" : "north - east - south - west"),
      make("div", {}, ...layers.map((one) => icon(workerName(one), one.edges.join("-")))),
    ];
  }
  const base = tile.kind.replace(/\d/, "");
  const parts = [make("strong", {}, kindWords(tile.kind)), make("div", {}, KIND_WORDS[base])];
  if (tile.workers) {
    const rows = tile.workers.map((workers, seat) => make("tr", {},
      make("td", {}, state.names[seat]), make("td", {}, `${workers} worker${workers === 1 ? "" : "s"}`),
      make("td", {}, tile.gold[seat] ? `${tile.gold[seat]} gold if it ended now` : "")));
    parts.push(make("table", {}, ...rows));
  }
  return parts;
}

function drawAbout() {
  const box = byId("about");
  const parts = state.about && frame() ? aboutCell(state.about) : null;
  box.hidden = !parts;
  if (!parts) return;
  const close = make("button", { class: "close", type: "button", "aria-label": "Close", onclick: () => {
    state.about = null;
    draw();
  } }, "×");
  box.replaceChildren(close, ...parts);
}

// --- The eye ------------------------------------------------------------------------------------

function zoom(factor) {
  view.scale = Math.min(6, Math.max(0.4, view.scale * factor));
  drawTable();
}

function fit() {
  Object.assign(view, { scale: 1, x: 0, y: 0 });
  drawTable();
}

function watchTable() {
  const table = byId("table");
  table.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  }, { passive: false });
  table.addEventListener("pointerdown", (event) => {
    view.drag = [event.clientX, event.clientY, view.x, view.y];
    view.moved = false;
  });
  table.addEventListener("pointermove", (event) => {
    if (view.drag && event.buttons) {
      const [x, y, startX, startY] = view.drag;
      if (Math.hypot(event.clientX - x, event.clientY - y) > 8) view.moved = true;
      if (view.moved) {
        const a = table.getScreenCTM().a;
        view.x = startX - (event.clientX - x) / a;
        view.y = startY - (event.clientY - y) / a;
        drawTable();
        return;
      }
    }
    if (event.pointerType === "mouse") hoverCell(cellAt(event));
  });
  table.addEventListener("pointerleave", () => hoverCell(null));
  table.addEventListener("click", (event) => {
    view.drag = null;
    if (!view.moved && frame()) clickCell(cellAt(event));
  });
  byId("closer").onclick = () => zoom(1.25);
  byId("farther").onclick = () => zoom(0.8);
  byId("fit").onclick = fit;
}
