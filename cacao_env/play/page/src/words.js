// Words: the chosen language's table, numbers, and moves composed from their parts.

import { en } from "./lang/en.js";
import { es } from "./lang/es.js";

/** @type {Record<string, import("./lang/en.js").Texts>} */
export const LANGUAGES = { en, es };

/** @typedef {import("./types.js").Move} Move @typedef {import("./types.js").Effects} Effects */

/** The texts of the language chosen. */
export let t = en;
export let language = "en";

/** @param {readonly string[]} wished */
export function chooseLanguage(wished) {
  language = wished.map((one) => one.slice(0, 2)).find((one) => one in LANGUAGES) ?? "en";
  t = LANGUAGES[language];
}

/** A number as people write it: a minus sign, the language's decimal mark. @param {number} n */
export function num(n, digits = 0) {
  const text = Math.abs(n).toFixed(digits);
  return (n < 0 && Number(text) !== 0 ? "−" : "") + text.replace(".", t.decimal);
}

/** With its sign. @param {number} n */
export const plus = (n, digits = 0) => (n > 0 ? `+${num(n, digits)}` : num(n, digits));

/** A share of 1. @param {number} share */
export function percent(share) {
  if (share >= 0.995) return "100 %";
  return `${num(100 * share, share > 0.0005 && share < 0.1 ? 1 : 0)} %`;
}

// Spaces are named as on a chess board; the plantation of the start lies on j10.  Capitals lie left of "a".
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
/** @param {number} row */
export const rowWords = (row) => num(10 - row);
/** @param {number} column */
export const columnWords = (column) => {
  const k = column + 9;
  return k < 0 ? LETTERS.at(k)?.toUpperCase() : (LETTERS[k] ?? `a${LETTERS[k - LETTERS.length]}`);
};
/** @param {readonly number[]} cell */
export const cellWords = ([row, column]) => columnWords(column) + rowWords(row);

/** @param {string} kind a worker kind or its edges */
export const edgesWords = (kind) => [...kind].join("‑"); // a hyphen where no line breaks

/** @param {string} kind */
export const kindWords = (kind) => t.kinds[kind] ?? edgesWords(kind);

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A move in the words of a table: of what was made, or of what may be chosen.
 * @param {Move} move @param {string} kind of the jungle tile that acts @param {"move" | "choose"} how */
function worded(move, kind, how) {
  const texts = t[how];
  const { workers = 0, tile = "", edges = [] } = move;
  const cell = cellWords(move.cell);
  if (move.type === "act") return texts[kind.startsWith("market") ? "sell" : "act"](workers, kindWords(kind));
  if (move.type === "fill") return texts.fill(kindWords(tile) + turnedWords(move), cell);
  return texts[move.type](edgesWords(edges.join("")), cell);
}

/** A move that was made: "sells 2 at market 3". @param {Move} move */
export const moveWords = (move, kind = "") => worded(move, kind, "move");

/** A choice that may be made: "Sell 2 at market 3". @param {Move} move */
export const choiceWords = (move, kind = "") => worded(move, kind, "choose");

/** Choices in words; which tile and which side are named where the words of two would be the same.
 * @param {Move[]} moves @param {(cell: import("./types.js").Cell) => string} kindOf */
export function choicesWords(moves, kindOf) {
  const plain = moves.map((move) => choiceWords(move, kindOf(move.cell)));
  return plain.map((words, k) => {
    const { type, cell, edge = 0 } = moves[k];
    if (type !== "act" || plain.indexOf(words) === plain.lastIndexOf(words)) return words;
    return `${words} (${t.edgeAt(cellWords(cell), t.sides[edge ^ 2])})`;
  });
}

/** @param {Move} move */
function turnedWords(move) {
  if (move.tile !== "volcano") return "";
  return `, ${move.turn ? t.northSouth : t.eastWest}`;
}

/** The goods that change, as short texts. @param {import("./types.js").Goods} goods */
export function goodsWords(goods) {
  const names = /** @type {const} */ (["gold", "cacao", "sun", "water", "temples"]);
  return names.filter((name) => goods[name]).map((name) => t.goods[name](plus(goods[name] ?? 0)));
}

/** What a choice brings, in one line; the seat that decides comes first, or is left out.
 * @param {Effects} effects @param {number} seat @param {string[]} names */
export function effectWords(effects, seat, names, withOwn = true) {
  const seats = Object.keys(effects.gains)
    .map(Number)
    .filter((one) => goodsWords(effects.gains[one]).length && (withOwn || one !== seat))
    .sort((a, b) => Number(b === seat) - Number(a === seat));
  const parts = seats.map((one) => {
    const got = goodsWords(effects.gains[one]).join(", ");
    return one === seat ? got : `${names[one]}: ${got}`;
  });
  if (effects.draws) parts.push(t.next.draw);
  else if (effects.fills) parts.push(t.next.fill(effects.fills));
  else if (effects.acts) parts.push(t.next.act(effects.acts));
  return parts.join("; ") || (withOwn || !effects.gains[seat] ? t.nothingNow : "");
}

/** What a loss is made of, the most first: its sources, rounded so that they add up to it; small ones are told together.
 * @param {Partial<import("./types.js").Sources>} sources @param {number} gold @returns {{ by: number, words: string }[]} */
export function partsOf(sources, gold) {
  if (!Object.keys(sources).length) return [];
  /** @type {Record<string, number>} */
  const tenths = { other: 0 };
  for (const [name, by] of Object.entries(sources))
    if (Math.abs(by) < 0.75) tenths.other += 10 * by;
    else tenths[name] = 10 * by;
  const names = Object.keys(tenths).sort((a, b) => Math.abs(tenths[b]) - Math.abs(tenths[a]));
  const missing = Math.round(10 * gold) - names.reduce((sum, name) => sum + Math.floor(tenths[name]), 0);
  const each = Math.floor(missing / names.length);
  const cut = (/** @type {string} */ name) => tenths[name] - Math.floor(tenths[name]);
  const up = [...names].sort((a, b) => cut(b) - cut(a)); // who is rounded up
  return names.flatMap((name) => {
    const by = Math.floor(tenths[name]) + each + Number(up.indexOf(name) < missing - each * up.length);
    const words = t.part(num(Math.abs(by) / 10, 1), by > 0, t.sources[/** @type {"water"} */ (name)]);
    return by ? [{ by: by / 10, words }] : [];
  });
}

/** @param {{ words: string }[]} parts */
export const partsWords = (parts) => parts.map(({ words }) => words).join(", ");

/** @param {string[]} names */
export const namesWords = (names) =>
  names.length < 2 ? (names[0] ?? "") : names.slice(0, -1).join(", ") + t.and + names[names.length - 1];

/** The name of a level, or of an own agent, and what it means. @param {string} id */
export const levelWords = (id) => t.levels[id] ?? [id, t.ownAgent];
