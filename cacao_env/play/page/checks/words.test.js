import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { en } from "../src/lang/en.js";
import { es } from "../src/lang/es.js";
import {
  cellWords,
  choicesWords,
  choiceWords,
  chooseLanguage,
  effectWords,
  moveWords,
  num,
  partsOf,
  partsWords,
  percent,
  plus,
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
  assert.equal(num(-0.04, 1), "0.0");
  assert.equal(plus(-1.25, 1), "−1.3");
  chooseLanguage(["es-MX"]);
  assert.equal(num(-1.5, 1), "−1,5");
  assert.equal(percent(0.0312), "3,1 %");
});

test("moves are composed in each language, with the published terms", () => {
  assert.equal(moveWords(PLACE), "placed 1‑2‑1‑0 at j11");
  assert.equal(moveWords(SALE, "market3"), "sold 2 at market 3");
  assert.equal(choiceWords({ ...SALE, workers: 0 }, "market3"), "Sell nothing at market 3");
  chooseLanguage(["es"]);
  assert.equal(moveWords({ ...PLACE, type: "overbuild" }), "construye con 1‑2‑1‑0 sobre j11");
  assert.equal(choiceWords(SALE, "plantation2"), "Usar 2 recolectores en la plantación doble");
  assert.equal(
    moveWords({ type: "fill", cell: [0, 2], tile: "volcano", turn: 1 }),
    "llena l10 con un volcán, oro al norte y al sur",
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
  assert.equal(
    effectWords(effects, 1, ["Ana", "Bea"]),
    "+4 gold, −1 cacao; Ana: +1 cacao; then the workers of 2 edges work",
  );
});

test("what is said of a loss adds up to it", () => {
  assert.equal(
    partsWords(partsOf({ sales: -4, water: 5.2, temples: 0.1 }, 1.3)),
    "5.2 more from water, 4.0 less from markets, 0.1 more from the rest",
  );
  assert.equal(partsWords(partsOf({}, 2)), "", "older reviews have no sources");
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return (seed / 2147483647) * 8 - 4;
  };
  for (let k = 0; k < 500; k += 1) {
    const sources = { sales: random(), mines: random() / 9, volcanoes: 0, water: random(), sun: random(), temples: 0 };
    const exact = Object.values(sources).reduce((sum, one) => sum + one, 0);
    const gold = exact + 0.1 * ((k % 3) - 1); // rounded before, or after
    const said = [...partsWords(partsOf(sources, gold)).matchAll(/([\d.]+) (more|less)/g)].map(
      ([, n, way]) => (way === "more" ? 1 : -1) * Number(n),
    );
    const sum = said.reduce((total, one) => total + Math.round(10 * one), 0);
    assert.ok(sum === Math.round(10 * gold), partsWords(partsOf(sources, gold)));
  }
});

test("two choices never have the same words", () => {
  const acts = [0, 1].map((edge) => ({ ...SALE, edge, workers: 0 }));
  const words = choicesWords(acts, () => "plantation2");
  assert.deepEqual(words, [
    "Forgo the double plantation (k9, from the south)",
    "Forgo the double plantation (k9, from the west)",
  ]);
  assert.deepEqual(
    choicesWords([SALE, acts[0]], () => "plantation2"),
    ["Use 2 workers at the double plantation", "Forgo the double plantation"],
  );
});

test("every space has a name of its own, as on a chess board", () => {
  assert.equal(cellWords([0, 0]), "j10");
  assert.equal(cellWords([-1, 1]), "k11");
  const span = Array.from({ length: 60 }, (_, k) => k - 30);
  const names = span.flatMap((row) => span.map((column) => cellWords([row, column])));
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.every((name) => /^[a-zA-Z]+−?\d+$/.test(name)));
});

test("what somebody gets is a clause, whoever it is", () => {
  for (const lang of [en, es]) {
    const said = [lang.you, lang.theOthers, "Yum"].map((who) => lang.gets(who, "1.0"));
    const wanted = ["you get 1.0", "the others get 1.0", "Yum gets 1.0"];
    assert.deepEqual(said, lang === en ? wanted : ["tú recibes 1.0", "los demás reciben 1.0", "Yum recibe 1.0"]);
  }
});
