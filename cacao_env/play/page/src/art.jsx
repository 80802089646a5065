// Drawings: the symbols of art.svg put together to tiles, signs and icons.

import symbols from "../../../render/art.svg";
import { edgesWords, kindWords, t } from "./words.js";

/** Put the symbols into the page, once. */
export function addSymbols() {
  const holder = document.createElement("div");
  holder.className = "symbols";
  holder.ariaHidden = "true";
  holder.innerHTML = symbols;
  document.body.prepend(holder);
}

/** The parts of a worker tile on a square of 100. @param {{ owner: number, edges: readonly number[] }} props */
export const WorkerParts = ({ owner, edges }) => (
  <g class={`own${owner}`}>
    <use href="#field" width="100" height="100" />
    {edges.map((count, side) =>
      count ? (
        <use key={side} href={`#workers${count}`} width="100" height="100" transform={`rotate(${90 * side} 50 50)`} />
      ) : null,
    )}
    <use href={`#sign-${owner}`} x="39" y="50" width="22" height="22" />
  </g>
);

/** @param {string} kind @param {boolean} [turned] */
export const jungleHref = (kind, turned = false) => `#j-${kind}${turned ? "-turned" : ""}`;

/** A picture beside words. @param {{ label?: string, children: any, class?: string }} props */
export const Picture = ({ label, children, class: name }) => (
  <svg
    viewBox="0 0 100 100"
    class={name}
    role={label ? "img" : undefined}
    aria-label={label}
    aria-hidden={label ? undefined : "true"}
  >
    {children}
  </svg>
);

/** @param {{ owner: number, kind: string, label?: string }} props */
export const WorkerIcon = ({ owner, kind, label = t.worker(edgesWords(kind)) }) => (
  <Picture label={label}>
    <WorkerParts owner={owner} edges={[...kind].map(Number)} />
  </Picture>
);

/** @param {{ kind: string, turned?: boolean }} props */
export const JungleIcon = ({ kind, turned }) => (
  <Picture label={kindWords(kind)}>
    <use href={jungleHref(kind, turned)} width="100" height="100" />
  </Picture>
);

/** @param {{ owner: number }} props */
export const BackIcon = ({ owner }) => (
  <Picture label={t.hidden} class={`own${owner}`}>
    <use href="#back" width="100" height="100" />
    <use href={`#sign-${owner}`} x="33" y="33" width="34" height="34" />
  </Picture>
);

/** @param {{ owner: number }} props */
export const Sign = ({ owner }) => (
  <Picture class={`sign own${owner}`}>
    <use href={`#sign-${owner}`} width="100" height="100" />
  </Picture>
);

/** @param {{ name: string }} props of a symbol */
export const Icon = ({ name }) => (
  <Picture class="icon">
    <use href={`#${name}`} width="100" height="100" />
  </Picture>
);

const LINES = {
  menu: "M4 6h16M4 12h16M4 18h16",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  first: "M18 5 9 12l9 7ZM6 5v14",
  back: "M16 5 7 12l9 7Z",
  forth: "M8 5l9 7-9 7Z",
  last: "M6 5l9 7-9 7ZM18 5v14",
  play: "M7 4l13 8-13 8Z",
  stop: "M7 5v14M17 5v14",
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  turn: "M20 11a8 8 0 1 0-2.3 6M20 4v7h-7",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.5.5.5 1.1.5 2.1h6c0-1 0-1.600.5-2.100A6 6 0 0 0 12 3Z",
  share: "M12 15V3M7 8l5-5 5 5M5 13v7h14v-7",
  book: "M4 5a3 3 0 0 1 3-2h13v16H7a3 3 0 0 0-3 2ZM4 5v16M8 7h8",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  puzzle: "M10 4a2 2 0 1 1 4 0v2h5v5h-2a2 2 0 1 0 0 4h2v5H5v-5h2a2 2 0 1 0 0-4H5V6h5Z",
  games: "M4 5h16M4 10h16M4 15h16M4 20h10",
  pause: "M8 5v14M16 5v14",
  close: "M6 6l12 12M18 6 6 18",
};

/** A sign of a button. @param {{ name: keyof typeof LINES }} props */
export const Line = ({ name }) => (
  <svg viewBox="0 0 24 24" class="line" aria-hidden="true">
    <path d={LINES[name]} />
  </svg>
);
