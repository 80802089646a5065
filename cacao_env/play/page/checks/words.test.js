import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { en } from "../src/lang/en.js";
import { es } from "../src/lang/es.js";
import {
  cellWords,
  choiceWords,
  chooseLanguage,
  effectWords,
  moveWords,
  num,
  percent,
  plus,
  reasonWords,
} from "../src/words.js";

afterEach(() => chooseLanguage(["en"]));

/** @type {import("../src/types.js").Move} */
const SALE = { type: "act", worker: [0, 1], cell: [1, 1], edge: 2, workers: 2 };
/** @type {import("../src/types.js").Move} */
const PLACE = { type: "place", tile: "2101", turn: 1, edges: [1, 2, 1, 0], cell: [-1, 0] };

/** @param {Record<string, any>} one @param {string} path @returns {string[]} */
const keys = (one, path = "") =>
  Object.entries(one).flatMap(([key, value]) =>
    value && typeof value === "object" ? keys(value, `${path}${key}.`) : [`${path}${key}`],
  );

test("both languages have the same texts", () => assert.deepEqual(keys(es), keys(en)));

test("no Spanish text is English left over", () => {
  /** @param {Record<string, any>} one @returns {string[]} */
  const texts = (one) =>
    Object.values(one).flatMap((value) =>
      typeof value === "string" ? [value] : typeof value === "object" ? texts(value) : [],
    );
  const allowed = new Set([
    "cacao",
    "volcanes",
    "n, p",
    "1 … 5",
    "Tab",
    "Esc",
    "R, Shift+R",
    "Jaguar",
    "F, +, −",
    "U",
    "normal",
    ",",
    ".",
  ]);
  const english = new Set(texts(en));
  assert.deepEqual(
    texts(es).filter((text) => english.has(text) && !allowed.has(text)),
    [],
  );
});

test("a minus is one sign everywhere, and a decimal mark is the language's", () => {
  assert.equal(cellWords([-1, 12]), "−1, 12");
  assert.equal(num(-0.04, 1), "0.0");
  assert.equal(plus(-1.25, 1), "−1.3");
  chooseLanguage(["es-MX"]);
  assert.equal(num(-1.5, 1), "−1,5");
  assert.equal(percent(0.0312), "3,1 %");
});

test("moves are composed in each language, with the published terms", () => {
  assert.equal(moveWords(PLACE), "placed 1-2-1-0 at −1, 0");
  assert.equal(moveWords(SALE, "market3"), "sold 2 at market 3");
  assert.equal(choiceWords({ ...SALE, workers: 0 }, "market3"), "Sell nothing at market 3");
  chooseLanguage(["es"]);
  assert.equal(moveWords({ ...PLACE, type: "overbuild" }), "construye con 1-2-1-0 sobre −1, 0");
  assert.equal(choiceWords(SALE, "plantation2"), "Usar 2 recolectores en plantación doble");
  assert.equal(
    moveWords({ type: "fill", cell: [0, 2], tile: "volcano", turn: 1 }),
    "llena 0, 2 con volcán, oro al norte y al sur",
  );
});

test("an effect names the deciding seat's goods first and what follows", () => {
  const effects = {
    gains: { 0: { cacao: 1 }, 1: { gold: 4, cacao: -1 } },
    worth: {},
    fills: 0,
    acts: 2,
    draws: false,
    ends: false,
  };
  assert.equal(effectWords(effects, 1, ["Ana", "Bea"]), "+4 gold, −1 cacao; Ana: +1 cacao; then 2 edges to act");
});

test("a reason names the sources that differ most", () => {
  const nothing = { sales: 0, mines: 0, volcanoes: 0, water: 0, sun: 0, temples: 0 };
  const best = { ...nothing, sales: 2, water: 5, temples: 0.1 };
  const played = { ...nothing, sales: 6, water: 3 };
  assert.equal(reasonWords(best, played), "The best move brings: markets −4.0, water +2.0.");
  assert.equal(reasonWords(nothing, nothing), "");
});
