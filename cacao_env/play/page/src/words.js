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

/** @param {readonly number[]} cell */
export const cellWords = (cell) => `${num(cell[0])}, ${num(cell[1])}`;

/** @param {string} kind a worker kind or its edges */
export const edgesWords = (kind) => [...kind].join("-");

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

/** A choice on the table, in one or two words. @param {Move} move @param {string} kind */
export function chipWords(move, kind) {
  const n = move.workers ?? 0;
  if (!n) return t.choose.chipSkip;
  return kind.startsWith("market") ? t.choose.chipSell(n) : t.choose.chipAct(n);
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

/** Why one continuation is better than another: the sources of gold that differ most.
 * @param {import("./types.js").Sources} best @param {import("./types.js").Sources} played */
export function reasonWords(best, played) {
  const names = /** @type {(keyof import("./types.js").Sources)[]} */ (Object.keys(t.sources));
  const differences = names
    .map((name) => ({ name, by: best[name] - played[name] }))
    .filter(({ by }) => Math.abs(by) >= 0.25)
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by))
    .slice(0, 3);
  if (!differences.length) return "";
  return t.because(differences.map(({ name, by }) => `${t.sources[name]} ${plus(by, 1)}`).join(", "));
}

/** @param {string[]} names */
export const namesWords = (names) =>
  names.length < 2 ? (names[0] ?? "") : names.slice(0, -1).join(", ") + t.and + names[names.length - 1];

/** The name of a level, or of an own agent, and what it means. @param {string} id */
export const levelWords = (id) => t.levels[id] ?? [id, t.ownAgent];
