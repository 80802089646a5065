// Pictures of the table and films of a game: the page's own SVG between the names, the scores and the move.

import { applyPalette, GIFEncoder, quantize } from "gifenc";
import symbols from "../../../render/art.svg";
import { app, go, sharedNames, told } from "./app.js";
import { namesWords, num, t } from "./words.js";

const SIZE = { width: 1200, height: 800 };
const FILM = { width: 720, height: 480 };
const DELAY = 500; // milliseconds of a frame
const COLOURS = 128;

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** The table as an SVG that stands alone: symbols and styles are inside.  The view holds every tile of the game, so that
 * a film does not move. @param {{ width: number, height: number }} size */
export function tableSvg({ width, height }) {
  const session = /** @type {import("./session.js").Session} */ (app.session);
  const eye = /** @type {SVGGElement} */ (document.querySelector("#eye"));
  const copy = /** @type {SVGGElement} */ (eye.cloneNode(true));
  for (const one of copy.querySelectorAll(
    ".ghost, .cursor, .space, .asked, .offered, .heat, .arrow, .preview, .counting, .pointer",
  ))
    one.remove();
  copy.removeAttribute("transform");
  const { tiles } = session.now;
  const [rows, columns] = [tiles.map(({ row }) => row), tiles.map(({ column }) => column)];
  const [top, left] = [Math.min(...rows) * 100 - 30, Math.min(...columns) * 100 - 30];
  const [wide, high] = [Math.max(...columns) * 100 + 130 - left, Math.max(...rows) * 100 + 130 - top];
  const bar = height / 12; // above and below the table
  const k = Math.min(width / wide, (height - 2 * bar) / high);
  const place = `translate(${width / 2 - (left + wide / 2) * k} ${height / 2 - (top + high / 2) * k}) scale(${k})`;
  const style = getComputedStyle(document.documentElement);
  const colours = [0, 1, 2, 3].map((seat) => {
    const of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}${seat}`).trim();
    return `.own${seat}{--own:${of("own")};--pale:${of("pale")};--deep:${of("deep")}}`;
  });
  const { position } = session.frames[app.ply];
  const called = sharedNames();
  const won = position.winners.map((seat) => called[seat]);
  const ended = won.length > 1 ? t.win(namesWords(won)) : t.wins(won[0]);
  const said = escaped(won.length ? ended : told(app.ply, (seat) => called[seat]));
  const part = width / position.players;
  const names = called.map((name, seat) => {
    const [x, size] = [part * seat, bar * 0.45];
    const short =
      [...name].length > 40 / position.players ? `${[...name].slice(0, 38 / position.players).join("")}…` : name;
    const { gold, score } = position.seats[seat];
    const points = position.phase === "over" ? num(score) : `${num(gold)} (${num(score)})`;
    return `<g class="own${seat}"><rect x="${x}" width="${part}" height="${bar}" fill="var(--pale)"/><rect x="${x}" width="${part}" height="5" fill="var(--own)"/><use href="#sign-${seat}" x="${x + 8}" y="${bar * 0.28}" width="${size}" height="${size}"/><text x="${x + 14 + size}" y="${bar * 0.66}" font-size="${size}" fill="#2b2119">${escaped(short)}</text><text x="${x + part - 10}" y="${bar * 0.66}" font-size="${size}" font-weight="700" text-anchor="end" fill="#2b2119">${points}</text></g>`;
  });
  const rules = `${colours.join("")}.fresh{fill:none;stroke:#fff;stroke-width:5}.lift circle{fill:#f7a707;stroke:#2b2622;stroke-width:2}.lift text{font-size:17px;font-weight:700;text-anchor:middle}.under{fill:var(--pale);stroke:var(--own);stroke-width:4}.fill rect{fill:#fffdf7;stroke:#c62828;stroke-width:4}.fill text{font-size:50px;text-anchor:middle;fill:#c62828}.pending{display:none}`;
  const inside = symbols.slice(symbols.indexOf("<defs>"), symbols.lastIndexOf("</svg>"));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="Arial, sans-serif"><style>${rules}</style>${inside}<rect width="${width}" height="${height}" fill="#35603f"/><g transform="${place}">${new XMLSerializer().serializeToString(copy)}</g>${names.join("")}<rect y="${height - bar}" width="${width}" height="${bar}" fill="#fffdf7"/><text x="14" y="${height - bar * 0.34}" font-size="${bar * 0.42}" fill="#2b2119">${said}</text></svg>`;
}
/** @param {{ width: number, height: number }} size */
async function drawn(size) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(tableSvg(size))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), size);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  context.drawImage(image, 0, 0);
  return { canvas, pixels: context.getImageData(0, 0, size.width, size.height).data };
}

/** The frame shown, as a PNG. @returns {Promise<Blob>} */
export async function picture() {
  const { canvas } = await drawn(SIZE);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"),
  );
}

/** Every placement and fill from the deal to the last frame, as a GIF. @returns {Promise<Blob>} */
export async function film() {
  const session = /** @type {import("./session.js").Session} */ (app.session);
  const back = app.ply;
  const gif = GIFEncoder();
  const shown = session.frames.flatMap(({ move }, ply) => (move?.type !== "act" || ply === session.last ? [ply] : []));
  const drawnAt = async (/** @type {number} */ ply) => {
    go(ply);
    await new Promise((done) => setTimeout(done, 20));
    return (await drawn(FILM)).pixels;
  };
  const palette = quantize(await drawnAt(session.last), COLOURS); // the last frame has the colours of all
  for (const ply of shown) {
    const delay = ply === session.last ? 4000 : DELAY;
    gif.writeFrame(applyPalette(await drawnAt(ply), palette), FILM.width, FILM.height, { palette, delay });
  }
  gif.finish();
  go(back);
  return new Blob([gif.bytes()], { type: "image/gif" });
}
