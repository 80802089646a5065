// The table: tiles, spaces, what is chosen, marks of what is new, what an agent thinks of spaces; and the eye on it.

import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import * as page from "./app.js";
import { app, update } from "./app.js";
import { jungleHref, WorkerIcon, WorkerParts } from "./art.jsx";
import { same, tileOn } from "./session.js";
import { capital, cellWords, columnWords, kindWords, num, rowWords, t } from "./words.js";

/** @typedef {import("./types.js").Tile} Tile @typedef {import("./types.js").Cell} Cell
 * @typedef {import("./types.js").Position} Position */

const LARGEST = 116; // pixels of a tile when all is shown
const MARGIN = 0.35; // cells around the table when all is shown

/** The eye: all is shown, or what a person has zoomed to. */
export const eye = { fits: true, x: 0, y: 0, k: 1, width: 600, height: 400 };

/** The cells that are used, of a finished game over all its frames. */
function extent() {
  const { session } = app;
  if (!session) return { row: -1, column: -1, rows: 4, columns: 4 };
  const frames =
    session.awaits === null && session.saved.kind !== "puzzle"
      ? [session.frames[session.last]]
      : [session.frames[app.ply]];
  const cells = frames.flatMap(({ position }) => [
    ...position.tiles.map((tile) => /** @type {Cell} */ ([tile.row, tile.column])),
    ...position.open,
    ...position.fill,
    ...(app.preview ? [app.preview.cell] : []),
    ...(app.thought?.cells ?? []),
  ]);
  const rows = cells.map((cell) => cell[0]);
  const columns = cells.map((cell) => cell[1]);
  const [row, column] = [Math.min(...rows), Math.min(...columns)];
  return { row, column, rows: Math.max(...rows) - row + 1, columns: Math.max(...columns) - column + 1 };
}

function fitted() {
  const all = extent();
  const { width, height } = eye;
  const k = Math.min(width / (all.columns + 2 * MARGIN), height / (all.rows + 2 * MARGIN), LARGEST) / 100;
  return {
    k,
    x: width / 2 - (all.column + all.columns / 2) * 100 * k,
    y: height / 2 - (all.row + all.rows / 2) * 100 * k,
  };
}

// All may become as small as half of what fits, and a part of the table stays in sight.
/** @param {import("d3-zoom").ZoomTransform} to */
function bounded(to) {
  const k = Math.max(to.k, Math.min(fitted().k / 2, 3));
  const all = extent();
  const size = 100 * k;
  const within = (
    /** @type {number} */ at,
    /** @type {number} */ first,
    /** @type {number} */ many,
    /** @type {number} */ room,
  ) => Math.min(room - size / 2 - first * size, Math.max(size / 2 - (first + many) * size, at));
  return zoomIdentity
    .translate(within(to.x, all.column, all.columns, eye.width), within(to.y, all.row, all.rows, eye.height))
    .scale(k);
}

/** @type {import("d3-zoom").ZoomBehavior<SVGSVGElement, unknown>} */
const zooming = /** @type {any} */ (zoom());
/** @type {SVGSVGElement | null} */
let table = null;

/** @param {number} factor */
export function zoomBy(factor) {
  if (!table) return;
  eye.fits = false;
  zooming.scaleBy(select(table), factor);
  page.set({ zoom: Math.round(100 * eye.k) });
}

export function fit() {
  eye.fits = true;
  page.set({ zoom: 0 });
}

/** A new game begins with the zoom that was used last. */
export function beginEye() {
  const { zoom: kept } = app.settings;
  eye.fits = !kept;
  if (!kept || !table) return;
  const all = extent();
  const k = kept / 100;
  const middle = { x: (all.column + all.columns / 2) * 100 * k, y: (all.row + all.rows / 2) * 100 * k };
  moveTo(k, eye.width / 2 - middle.x, eye.height / 2 - middle.y);
}

/** @param {number} k @param {number} x @param {number} y */
function moveTo(k, x, y) {
  if (table) zooming.transform(select(table), zoomIdentity.translate(x, y).scale(k));
  Object.assign(eye, { k, x, y });
}

/** Move the eye so that a cell is seen. @param {readonly number[]} cell */
function reveal([row, column]) {
  if (eye.fits) return;
  const size = 100 * eye.k;
  const within = (/** @type {number} */ at, /** @type {number} */ room) => Math.max(0, Math.min(room - size, at)) - at;
  const [byX, byY] = [within(column * size + eye.x, eye.width), within(row * size + eye.y, eye.height)];
  if (byX || byY) moveTo(eye.k, eye.x + byX, eye.y + byY);
}

/** @param {{ clientX: number, clientY: number }} event */
function pointOf(event) {
  const box = /** @type {SVGSVGElement} */ (table).getBoundingClientRect();
  return [(event.clientX - box.left - eye.x) / eye.k, (event.clientY - box.top - eye.y) / eye.k];
}

/** @param {{ clientX: number, clientY: number }} event @returns {Cell} */
function cellOf(event) {
  const [x, y] = pointOf(event);
  return [Math.floor(y / 100), Math.floor(x / 100)];
}

/** Whether a click is on the sign of an overbuilt tile. @param {MouseEvent} event */
function isOnSign(event) {
  const [x, y] = pointOf(event);
  const [row, column] = cellOf(event);
  const tile = tileOn(/** @type {any} */ (page.frame()).position, [row, column]);
  return Boolean(tile?.under?.length) && Math.hypot(x - 100 * column - 86, y - 100 * row - 14) < 16;
}

/** @param {readonly number[]} cell */
export function lift(cell) {
  const key = String(cell);
  if (!app.lifted.delete(key)) app.lifted.add(key);
  update();
}

export function Board() {
  const ref = useRef(/** @type {SVGSVGElement | null} */ (null));
  useEffect(() => {
    table = /** @type {SVGSVGElement} */ (ref.current);
    zooming
      .scaleExtent([0.02, 3])
      .constrain(bounded)
      .clickDistance(8)
      .filter((event) => !event.button && !(event.type === "wheel" && event.ctrlKey) && event.type !== "dblclick")
      .on("zoom", ({ transform, sourceEvent }) => {
        Object.assign(eye, { k: transform.k, x: transform.x, y: transform.y });
        if (!sourceEvent) return;
        eye.fits = false;
        update();
      })
      .on("end", ({ sourceEvent }) => {
        if (sourceEvent?.type === "wheel") page.set({ zoom: Math.round(100 * eye.k) });
      });
    select(table).call(zooming).on("dblclick.zoom", null); // two quick taps turn a tile
    new ResizeObserver(([{ contentRect }]) => {
      Object.assign(eye, { width: contentRect.width, height: contentRect.height });
      requestAnimationFrame(() => update()); // what is drawn may change sizes again
    }).observe(table);
  }, []);
  const { session } = app;
  const now = page.frame()?.position;
  const id = session?.saved.id;
  useEffect(() => {
    beginEye();
    // A dialog that closes gives the focus back to what had it, and then the table takes it.
    if (session?.awaits || page.exercise()) setTimeout(takeFocus);
  }, [id]);
  if (now && eye.fits) {
    const wanted = fitted();
    if (wanted.k !== eye.k || wanted.x !== eye.x || wanted.y !== eye.y) moveTo(wanted.k, wanted.x, wanted.y);
  }
  return (
    <section class="board" aria-label={t.table}>
      <svg
        ref={ref}
        id="table"
        tabindex={0}
        role="application"
        aria-label={t.tableKeys}
        onClick={click}
        onPointerMove={(event) => event.pointerType === "mouse" && hover(event.buttons ? null : cellOf(event))}
        onPointerLeave={() => hover(null)}
        onMouseDown={(event) => event.preventDefault()} // only the keyboard focuses the table
        onFocus={focus}
        onBlur={() => update({ cursor: null })}
        onKeyDown={press}
        data-pointer={app.hover && now && (page.choicesAt(app.hover).length || tileOn(now, app.hover)) ? "" : undefined}
      >
        {now ? (
          <g id="eye" transform={`translate(${eye.x} ${eye.y}) scale(${eye.k})`}>
            <Spaces now={now} />
            {now.tiles.map((tile) => (
              <TileDrawn key={`${tile.row},${tile.column},${tile.under?.length ?? 0}`} tile={tile} />
            ))}
            <Marks now={now} />
          </g>
        ) : null}
        {now ? <Coordinates /> : null}
        {now ? <Spots now={now} /> : null}
        {app.floats.map((one, k) => (
          <Float key={one.id} one={one} at={k % 4} />
        ))}
      </svg>
      {now ? <About now={now} /> : null}
    </section>
  );
}

/** Goods that go from the jungle tile to the workers who took them. @param {{ one: typeof app.floats[number], at: number }} props */
function Float({ one, at }) {
  const [x, y] = [(one.cell[1] * 100 + 50) * eye.k + eye.x, (one.cell[0] * 100 + 50) * eye.k + eye.y - 26 * at];
  const [byX, byY] = [1, 0].map((axis) => (one.from[axis] - one.cell[axis]) * 60 * eye.k);
  return (
    <g class={`float own${one.seat}`} style={{ "--x": `${byX}px`, "--y": `${byY}px` }}>
      <rect x={x - 30} y={y - 14} width="60" height="28" rx="14" />
      <text x={x - 7} y={y + 6}>
        {one.text}
      </text>
      <use href={`#${GOODS[/** @type {"gold"} */ (one.good)]}`} x={x + 4} y={y - 11} width="22" height="22" />
    </g>
  );
}

const GOODS = { gold: "coin", cacao: "pod", sun: "sunface", water: "drop" };

/** Drag a tile of the hand: it follows, the space under it shows it, and there it is chosen. @param {PointerEvent} event @param {string} tile */
export function dragTile(event, tile) {
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  const from = [event.clientX, event.clientY];
  let isDragged = false;
  button.setPointerCapture(event.pointerId);
  const isOver = (/** @type {PointerEvent} */ at) => {
    const box = /** @type {SVGSVGElement} */ (table).getBoundingClientRect();
    return at.clientX > box.left && at.clientX < box.right && at.clientY > box.top && at.clientY < box.bottom;
  };
  button.onpointermove = (at) => {
    const by = [at.clientX - from[0], at.clientY - from[1]];
    if (!isDragged && Math.hypot(...by) < 8) return;
    if (!isDragged) {
      isDragged = true;
      button.dataset.dragged = "";
      page.pickTile(tile);
      page.cancel(); // no space is chosen yet
    }
    button.style.translate = `${by[0]}px ${by[1]}px`;
    hover(isOver(at) ? cellOf(at) : null);
  };
  button.onlostpointercapture = () => {
    Object.assign(button, { onpointermove: null, onpointerup: null, onlostpointercapture: null });
    button.style.translate = "";
    delete button.dataset.dragged;
  };
  button.onpointerup = (at) => {
    if (!isDragged) return;
    button.addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
    const cell = isOver(at) ? cellOf(at) : null;
    update({ hover: null });
    if (cell && page.choicesAt(cell).length) page.clickCell(cell);
  };
}

/** @param {MouseEvent} event */
function click(event) {
  if (!page.frame()) return;
  const cell = cellOf(event);
  app.cursor = null;
  if (isOnSign(event)) lift(cell);
  else page.clickCell(cell);
}

/** @param {Cell | null} cell */
function hover(cell) {
  if (same(cell, app.hover) || cell === app.hover) return;
  update({ hover: cell });
}

// --- What lies on the table ----------------------------------------------------------------------

/** A square on a cell. @param {{ cell: readonly number[], inset: number, class: string, rx?: number }} props */
const Square = ({ cell, inset, class: name, rx = 14 }) => (
  <rect
    class={name}
    x={cell[1] * 100 + inset}
    y={cell[0] * 100 + inset}
    width={100 - 2 * inset}
    height={100 - 2 * inset}
    rx={rx}
  />
);

/** @param {{ now: Position }} props */
function Spaces({ now }) {
  const choosing = page.offered();
  const isPlacing = choosing.length > 0 && now.phase === "place";
  const legal = isPlacing
    ? unique(
        choosing
          .filter(({ move }) => move.type === "place" && move.tile === app.pick.tile)
          .map(({ move }) => move.cell),
      )
    : [];
  return (
    <>
      {(isPlacing ? legal : now.open).map((cell) => (
        <Square key={String(cell)} cell={cell} inset={isPlacing ? 9 : 34} class={isPlacing ? "space legal" : "space"} />
      ))}
      {now.fill.map((cell) => (
        <g key={String(cell)} class="fill">
          <Square cell={cell} inset={7} class="" />
          <text x={cell[1] * 100 + 50} y={cell[0] * 100 + 68}>
            ?
          </text>
        </g>
      ))}
    </>
  );
}

/** @param {Cell[]} cells */
const unique = (cells) => [...new Map(cells.map((cell) => [String(cell), cell])).values()];

/** @param {{ tile: Tile }} props */
function TileDrawn({ tile }) {
  const { row, column, owner, edges, under = [] } = tile;
  const looked = page.lookedAt();
  const isAside = looked && !looked.cells.some((cell) => same(cell, [row, column]));
  const dim = (app.marked !== null && app.marked !== owner) || isAside;
  const place = `translate(${column * 100} ${row * 100})`;
  if (tile.kind)
    return (
      <g class={`tile${dim ? " dim" : ""}`} transform={place}>
        <g class="lands">
          <use href={jungleHref(tile.kind, tile.turned)} width="100" height="100" />
        </g>
      </g>
    );
  const lifted = app.lifted.has(String([row, column])) && under.at(-1)?.edges;
  const shown = lifted ? under.at(-1) : { owner: owner ?? 0, edges: edges ?? [] };
  return (
    <g class={`tile${dim ? " dim" : ""}`} transform={place}>
      {under.map((below, k) => (
        <rect key={k} class={`under own${below.owner}`} x="8" y="8" width="95" height="95" rx="13" />
      ))}
      <g class={`lands${lifted ? " lifted" : ""}`} transform={under.length ? "translate(-2 -2)" : undefined}>
        <WorkerParts owner={shown?.owner ?? 0} edges={shown?.edges ?? []} />
      </g>
      {under.length ? (
        <g class="lift">
          <circle cx="86" cy="14" r="13" />
          <text x="86" y="20">
            {lifted ? "↓" : under.length + 1}
          </text>
        </g>
      ) : null}
    </g>
  );
}

/** What is new, pointed at, chosen, thought. @param {{ now: Position }} props */
function Marks({ now }) {
  const { session } = app;
  const fresh = session && app.ply ? session.newCells(app.ply) : [];
  const ghost = page.ghost();
  const firm = page.picked() !== null;
  const choosing = page.offered();
  const acting = now.phase === "act" ? unique(choosing.map(({ move }) => move.cell)) : [];
  const over = unique(
    choosing
      .filter(({ move }) => move.type === "overbuild" && move.tile === app.pick.tile)
      .map(({ move }) => move.cell),
  );
  return (
    <>
      {fresh.map((cell) => (
        <Square key={String(cell)} cell={cell} inset={1} class="fresh" />
      ))}
      {[...acting, ...over].map((cell) => (
        <Square key={String(cell)} cell={cell} inset={3} class="offered" />
      ))}
      {app.settings.heat ? <Lines /> : null}
      <Arrows />
      {app.preview ? <MoveDrawn move={app.preview} seat={app.preview.seat} class="preview" /> : null}
      {ghost && !app.preview ? (
        <MoveDrawn move={ghost.move} seat={now.seat ?? 0} class={firm ? "ghost firm" : "ghost"} />
      ) : null}
      {now.pending
        .filter(({ seat }) => seat !== now.seat)
        .map(({ seat, worker, cell }) => (
          <text
            key={`${seat},${worker},${cell}`}
            class={`pending own${seat}`}
            x={edgeOf(worker, cell)[0]}
            y={edgeOf(worker, cell)[1] + 18}
          >
            *
          </text>
        ))}
      {app.counting ? <Square cell={app.counting.cells[app.counting.at]} inset={0} class="counting" /> : null}
      {app.about ? <Square cell={app.about} inset={1} class="asked" /> : null}
      {app.cursor ? <Square cell={app.cursor} inset={-3} class="cursor" /> : null}
    </>
  );
}

/** @param {readonly number[]} worker @param {readonly number[]} cell */
const edgeOf = (worker, cell) => [(worker[1] + cell[1]) * 50 + 50, (worker[0] + cell[0]) * 50 + 50];

/** A move that has not been made. @param {{ move: import("./types.js").Move, seat: number, class: string }} props */
function MoveDrawn({ move, seat, class: name }) {
  const { cell, worker, tile = "", edges = [] } = move;
  if (move.type === "act")
    return (
      <g class={name}>
        <Square cell={cell} inset={1} class="frame" />
        <Square cell={worker ?? cell} inset={1} class="frame" />
      </g>
    );
  return (
    <g class={name}>
      <g transform={`translate(${cell[1] * 100} ${cell[0] * 100})`}>
        {move.type === "fill" ? (
          <use href={jungleHref(tile, move.turn === 1)} width="100" height="100" />
        ) : (
          <WorkerParts owner={seat} edges={edges} />
        )}
      </g>
      <Square cell={cell} inset={0} class="frame" />
    </g>
  );
}

// Where the best moves are that an agent finds; an arrow goes from the best one to the placement expected next.
function Lines() {
  const { thought } = app;
  const lines = thought?.lines ?? [];
  const cells = thought?.cells ?? [];
  const reply = lines[0]?.follows.find((one) => one.seat !== thought?.seat && one.move.type !== "fill")?.move.cell;
  const middle = (/** @type {Cell} */ at) => [at[1] * 100 + 50, at[0] * 100 + 50];
  return (
    <>
      {reply ? <Arrow from={middle(cells[0])} to={middle(reply)} /> : null}
      {unique(cells).map((cell) => {
        const [x, y] = middle(cell);
        const numbers = cells.flatMap((one, k) => (same(one, cell) ? [k + 1] : []));
        return (
          <g key={String(cell)} class={`heat line${numbers[0]}`}>
            <circle cx={x} cy={y} r={numbers[0] > 1 ? 22 : 28} />
            <text x={x} y={y + 9} style={numbers.length > 1 ? { fontSize: "18px" } : undefined}>
              {numbers.join(", ")}
            </text>
          </g>
        );
      })}
    </>
  );
}

/** @param {{ from: number[], to: number[] }} props in the units of the table */
function Arrow({ from: [x, y], to: [toX, toY] }) {
  const [far, turned] = [Math.hypot(toX - x, toY - y), (Math.atan2(toY - y, toX - x) * 180) / Math.PI];
  const [seenX, seenY] = [toX * eye.k + eye.x, toY * eye.k + eye.y];
  if (far < 60 || seenX < 0 || seenY < 0 || seenX > eye.width || seenY > eye.height) return null;
  return (
    <path
      class="arrow"
      d={`M30 -5H${far - 34}V-16L${far - 8} 0L${far - 34} 16V5H30Z`}
      transform={`translate(${x} ${y}) rotate(${turned})`}
    />
  );
}

/** Where a step of the lesson wants one to look. */
const Arrows = () => (
  <>
    {(page.lookedAt()?.cells ?? (app.coach?.at ? [app.coach.at] : [])).slice(0, 3).map(([row, column]) => (
      <path
        key={`${row},${column}`}
        class="pointer"
        d="M-17 -78H17V-44H32L0 -10L-32 -44H-17Z"
        transform={`translate(${column * 100 + 50} ${row * 100 + 28})`}
      />
    ))}
  </>
);

// Rows and columns as the moves name them, along the edges of the table.
function Coordinates() {
  const all = extent();
  const size = 100 * eye.k;
  return (
    <g class="coordinates" aria-hidden="true">
      {Array.from({ length: all.columns }, (_, k) => all.column + k).map((column) => (
        <text key={`c${column}`} data-column={column} x={column * size + size / 2 + eye.x} y="13">
          {columnWords(column)}
        </text>
      ))}
      {Array.from({ length: all.rows }, (_, k) => all.row + k).map((row) => (
        <text key={`r${row}`} data-row={row} x="11" y={row * size + size / 2 + eye.y + 4}>
          {rowWords(row)}
        </text>
      ))}
    </g>
  );
}

// --- Choices on the table ------------------------------------------------------------------------

// A mark at each edge that can act: the panel lists the choices, so that nothing hides the tiles.
/** @param {{ now: Position }} props */
function Spots({ now }) {
  if (now.phase !== "act") return null;
  const chosen = page.picked()?.move;
  const edges = new Map(page.offered().map(({ move }) => [String([move.worker, move.cell]), move]));
  return (
    <>
      {[...edges].map(([key, { worker = [0, 0], cell }]) => {
        const isOn = chosen && same(chosen.worker, worker) && same(chosen.cell, cell);
        const [x, y] = edgeOf(worker, cell).map((at, axis) => at * eye.k + (axis ? eye.y : eye.x));
        return <circle key={key} class={`spot${isOn ? " on" : ""}`} cx={x} cy={y} r={Math.max(6, 12 * eye.k)} />;
      })}
    </>
  );
}

// --- What lies on a cell -------------------------------------------------------------------------

/** @param {{ now: Position }} props */
function About({ now }) {
  const { about } = app;
  const tile = about && tileOn(now, about);
  // The box stays out of the way of the cell that it tells about.
  const ref = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    if (!ref.current || !about) return;
    const low = (about[0] + 0.5) * 100 * eye.k + eye.y > eye.height / 2;
    ref.current.dataset.at = low ? "top" : "bottom";
  });
  if (!tile || !about) return null;
  return (
    <div class="about" ref={ref} role="group" aria-label={cellWords(about)}>
      <button type="button" class="close" aria-label={t.close} onClick={() => update({ about: null })}>
        ×
      </button>
      {tile.kind ? <AboutJungle tile={tile} /> : <AboutWorker tile={tile} />}
    </div>
  );
}

/** @param {{ tile: Tile }} props */
const AboutJungle = ({ tile }) => (
  <>
    <strong>{capital(kindWords(tile.kind ?? ""))}</strong>{" "}
    <span class="quiet">{cellWords([tile.row, tile.column])}</span>
    <p>{t.about[(tile.kind ?? "").replace(/\d/, "")]}</p>
    {tile.workers ? <TempleTable tile={tile} /> : null}
  </>
);

/** @param {{ tile: Tile }} props */
function AboutWorker({ tile }) {
  const { under = [], owner = 0, edges = [] } = tile;
  const layers = [...under.filter((one) => one.edges), { owner, edges }];
  return (
    <>
      <strong>{page.nameOf(owner)}</strong> {edges.join("-")}{" "}
      <span class="quiet">{cellWords([tile.row, tile.column])}</span>
      {under.length ? <p>{t.fromBelow}:</p> : null}
      <div class="layers">
        {layers.map((one, k) => (
          <WorkerIcon key={k} owner={one.owner} kind={(one.edges ?? []).join("")} />
        ))}
      </div>
      {under.length ? (
        <button
          type="button"
          id="lift"
          aria-pressed={app.lifted.has(String([tile.row, tile.column]))}
          onClick={() => lift([tile.row, tile.column])}
        >
          {t.below}
        </button>
      ) : null}
    </>
  );
}

/** Who has how many workers at a temple, and what it pays. @param {{ tile: Tile }} props */
export const TempleTable = ({ tile }) => (
  <table class="temple">
    <tbody>
      {tile.workers?.map((workers, seat) => (
        <tr key={seat}>
          <td>{page.nameOf(seat)}</td>
          <td>{t.workersAt(workers)}</td>
          <td class="pays">
            {tile.gold?.[seat]
              ? page.frame()?.position.phase === "over"
                ? t.goods.gold(num(tile.gold[seat]))
                : t.ifNow(tile.gold[seat])
              : ""}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

// --- The keyboard's cursor -----------------------------------------------------------------------

/** @type {Record<string, number[]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

let isTaken = false; // the page takes the focus: what is asked is said, not the space
function takeFocus() {
  isTaken = true;
  table?.focus({ preventScroll: true });
  isTaken = false;
}

/** @param {FocusEvent} event */
function focus(event) {
  const now = page.frame();
  if (!now || app.cursor || !table || event.target !== table) return;
  if (!table.matches(":focus-visible")) return;
  moveCursor(page.picked()?.move.cell ?? clickable()[0] ?? now.at[0] ?? [0, 0]);
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (!page.frame() || event.ctrlKey || event.altKey || event.metaKey || event.target !== table) return;
  const from = app.cursor ?? [0, 0];
  const step = STEPS[event.key];
  if (step) moveCursor([from[0] + step[0], from[1] + step[1]]);
  else if (event.key === "n") nextCell(1);
  else if (event.key === "p") nextCell(-1);
  else if (event.key === " ") page.clickCell(from);
  else if (event.key === "Enter" && !page.picked()) page.clickCell(from);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {readonly number[]} cell */
function moveCursor(cell) {
  const all = extent();
  const within = (/** @type {number} */ at, /** @type {number} */ first, /** @type {number} */ many) =>
    Math.min(first + many - 1, Math.max(first, at));
  const to = /** @type {Cell} */ ([within(cell[0], all.row, all.rows), within(cell[1], all.column, all.columns)]);
  reveal(to);
  update({ cursor: to, hover: null });
  if (!isTaken) page.speak(page.spokenCell(to));
}

// The cells that a click would choose, row by row.
function clickable() {
  const some = page.offered().filter(({ move }) => move.type === "act" || move.tile === app.pick.tile);
  return unique(some.map(({ move }) => move.cell)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** @param {number} by */
function nextCell(by) {
  const cells = clickable();
  if (!cells.length) return;
  const here = cells.findIndex((cell) => same(cell, app.cursor));
  moveCursor(cells[(here + by + cells.length) % cells.length]);
}
