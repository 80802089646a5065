// Pictures of the table and films of a game, drawn from the page's own SVG.

import { applyPalette, GIFEncoder, quantize } from "gifenc";
import symbols from "../../../render/art.svg";
import { app, go } from "./app.js";

const SIZE = { width: 1200, height: 800 };
const FILM = { width: 720, height: 480 };
const DELAY = 500; // milliseconds of a frame
const COLOURS = 128;

/** The table as an SVG that stands alone: symbols and styles are inside. @param {{ width: number, height: number }} size */
export function tableSvg({ width, height }) {
  const eye = /** @type {SVGGElement} */ (document.querySelector("#eye"));
  const copy = /** @type {SVGGElement} */ (eye.cloneNode(true));
  for (const one of copy.querySelectorAll(".ghost, .cursor, .space, .asked, .offered, .heat, .preview, .counting"))
    one.remove();
  const box = eye.getBBox();
  const pad = 30;
  copy.removeAttribute("transform");
  const view = [box.x - pad, box.y - pad, box.width + 2 * pad, box.height + 2 * pad].map(Math.round);
  const style = getComputedStyle(document.documentElement);
  const colours = [0, 1, 2, 3].map((seat) => {
    const of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}${seat}`).trim();
    return `.own${seat}{--own:${of("own")};--pale:${of("pale")};--deep:${of("deep")}}`;
  });
  const rules = `${colours.join("")}.fresh{fill:none;stroke:#fff;stroke-width:5}.lift circle{fill:#f7a707;stroke:#2b2622;stroke-width:2}.lift text{font-size:17px;font-weight:700;text-anchor:middle}.under{fill:var(--pale);stroke:var(--own);stroke-width:4}.fill rect{fill:#fffdf7;stroke:#c62828;stroke-width:4}.fill text{font-size:50px;text-anchor:middle;fill:#c62828}.pending{display:none}`;
  const inside = symbols.slice(symbols.indexOf("<defs>"), symbols.lastIndexOf("</svg>"));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${view.join(" ")}" font-family="Arial, sans-serif"><style>${rules}</style>${inside}<rect x="${view[0] - 4000}" y="${view[1] - 4000}" width="9999" height="9999" fill="#35603f"/>${new XMLSerializer().serializeToString(copy)}</svg>`;
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
