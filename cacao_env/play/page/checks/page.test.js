// What the page keeps, links and offers, without a browser.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { hint, madeWords, mistakes, why } from "../src/advice.js";
import { choose } from "../src/choose.js";
import { coach } from "../src/coach.js";
import { judgeTry } from "../src/exercises.js";
import { tabs } from "../src/kept.js";
import { LEVELS, levelsFor, NAMES, namesFor, puzzleOf, rated } from "../src/levels.js";
import { packed, unpacked, wantedBy } from "../src/link.js";
import { broughtWords, found, headline, marketGold } from "../src/said.js";
import { exported, imported, Store } from "../src/save.js";
import { Session, tileOn } from "../src/session.js";
import { app } from "../src/state.js";
import { cellWords, goodsWords } from "../src/words.js";
import { loadForTests } from "./load.mjs";

/** @type {any} */ (tabs)?.unref(); // it would keep the tests from ending
const engine = /** @type {any} */ (await loadForTests());
const OPTIONS = { players: 3, volcanoes: true, decisions: /** @type {const} */ ("auto") };

/** @param {Partial<import("../src/types.js").Saved>} more @returns {import("../src/types.js").Saved} */
const game = (more = {}) => ({
  ...{
    id: "a",
    kind: "game",
    seed: 1,
    created: 1,
    changed: 1,
    over: false,
    scores: [],
    winners: [],
    turn: 0,
    turns: 0,
  },
  options: OPTIONS,
  deal: engine.deal({ ...OPTIONS, seed: 5 }),
  actions: [],
  players: Array.from({ length: (more.options ?? OPTIONS).players }, () => ({ person: true, name: "" })),
  ...more,
});

/** @param {Session} session */
const playAll = (session, most = 999) => {
  for (let k = 0; k < most && !session.over; k += 1) session.play(session.offered[k % session.offered.length].action);
};

test("a link holds a whole game and its fragment says which", async () => {
  const text = await packed({ deal: game().deal, words: "ñandú ☃" });
  assert.match(text, /^[\w-]+$/);
  assert.deepEqual(await unpacked(text), { deal: game().deal, words: "ñandú ☃" });
  assert.deepEqual(wantedBy("#g=abc&ply=12"), { game: null, data: "abc", puzzle: 0, ply: 12 });
  assert.equal(wantedBy("#game=x&ply=0").ply, 0);
  assert.deepEqual(wantedBy("#game=x"), { game: "x", data: null, puzzle: 0, ply: -1 });
  await assert.rejects(unpacked("AAAA"));
});

test("a game whose players are not those of its seats is refused before anything is shown", () => {
  const [one, ...others] = /** @type {any[]} */ (game().players);
  const wrong = /** @type {any[]} */ ([undefined, {}, [], others, [...others, null], [...others, { ...one, name: 5 }]]);
  for (const players of wrong)
    assert.throws(() => new Session(engine, game({ players })), /a player with a name for each seat/);
  assert.throws(() => new Session(engine, game({ players: [...others, { person: false, name: "x" }] })));
});

test("where the browser keeps nothing, games last as long as the page", async () => {
  const store = await Store.open();
  assert.equal(store.lasts, false);
  const saved = game();
  await store.keep(saved);
  saved.actions.push(1);
  assert.deepEqual((await store.games())[0].actions, [], "what was kept is a copy");
  await store.set("x", 3);
  assert.equal(await store.setting("x", 0), 3);
  await store.remove("a");
  assert.deepEqual(await store.games(), []);
});

test("exported games are imported, and other files refused", () => {
  assert.equal(imported(JSON.parse(exported([game()]))).length, 1);
  for (const wrong of [
    null,
    {},
    { format: "cacao-games", version: 2, games: [] },
    { format: "cacao-games", version: 1, games: [{}] },
  ])
    assert.throws(() => imported(wrong));
});

test("only levels that can play such a game are offered", () => {
  const agents = [
    { name: "greedy", players: [2, 3, 4], volcanoes: [false, true] },
    { name: "trinitario", players: [2], volcanoes: [false], search: true },
    { name: "mine", players: [4], volcanoes: [false], own: true },
  ];
  const ids = (/** @type {number} */ players, volcanoes = false) =>
    levelsFor(agents, players, volcanoes).map(({ id }) => id);
  assert.deepEqual(ids(2), ["seedling", "grower", "chief", "jaguar"]);
  assert.deepEqual(ids(3), ["seedling", "grower"]);
  assert.deepEqual(ids(4), ["seedling", "grower", "mine"]);
  assert.deepEqual(ids(2, true), ["seedling", "grower"]);
  assert.equal(levelsFor(engine.agents, 4, true).length, LEVELS.length, "all five play every game");
});

test("opponents have different names, whatever the seed", () => {
  for (let seed = -20; seed < 200; seed += 1) {
    for (const taken of [["Kin"], NAMES.slice(0, 2), NAMES.slice(5, 8)]) {
      const names = namesFor(4, seed, taken);
      assert.equal(new Set(names).size, 4);
      assert.ok(names.every((one) => NAMES.includes(one) && !taken.includes(one)));
    }
  }
});

test("a session has a frame for each elementary move and takes every decision back", () => {
  const session = new Session(engine, game());
  playAll(session);
  assert.ok(session.over);
  assert.equal(session.frames.length, session.game.elementary().auto.length + 1);
  for (const { position, sources } of session.frames)
    assert.deepEqual(
      sources.map((one) => Object.values(one).reduce((sum, n) => sum + n, 0)),
      position.seats.map(({ score }) => score),
    );
  const actions = [...session.saved.actions];
  session.undo();
  assert.deepEqual(session.saved.actions, actions.slice(0, -1), "also the last one");
  assert.equal(session.over, false);
  while (session.canUndo) session.undo();
  assert.deepEqual(session.saved.actions, []);
  assert.equal(session.frames.length, 1);
  while (session.undone.length) session.redo();
  assert.deepEqual(session.saved.actions, actions, "what was taken back is played again");
  assert.ok(session.over);
  session.undo();
  session.play(session.offered[0].action);
  assert.deepEqual(session.undone, [], "after another move there is nothing to play again");
});

test("nobody sees another's hand, and of several people nobody looks back", () => {
  const alone = new Session(engine, game({ players: [{ person: true, name: "" }, ...bots(2)] }));
  assert.ok(alone.hand(0, 0));
  assert.equal(alone.hand(0, 1), null);
  while (alone.now.seat === 0) alone.play(alone.offered[0].action);
  assert.ok(alone.hand(alone.last, 0), "one's own, while another decides");
  assert.equal(alone.hand(alone.last, alone.now.seat ?? 0), null);
  const exercise = new Session(engine, { ...alone.saved, kind: "puzzle" });
  assert.equal(exercise.viewer, exercise.now.seat);
  assert.equal(new Session(engine, { ...alone.saved, kind: "puzzle", viewer: 0 }).viewer, 0);
  const together = new Session(engine, game());
  playAll(together, 9);
  const seat = together.now.seat ?? 0;
  assert.ok(together.hand(together.last, seat));
  assert.equal(together.hand(together.last - 1, seat), null);
  const watched = new Session(engine, game({ players: bots(3) }));
  assert.ok(watched.hand(0, 2, true));
  assert.equal(watched.hand(0, 2, false), null);
});

/** @param {number} count @returns {import("../src/types.js").Player[]} */
const bots = (count) =>
  Array.from({ length: count }, () => ({ person: false, name: "Kin", level: "grower", agent: "greedy" }));

test("of choices at one edge with the same effect only one is offered", () => {
  let fewer = 0;
  for (let seed = 0; seed < 8; seed += 1) {
    const session = new Session(engine, game({ deal: engine.deal({ ...OPTIONS, seed }) }));
    while (!session.over) {
      const keys = session.offered.map(({ move, effects, action }) =>
        move.type === "act" ? JSON.stringify([move.worker, move.cell, effects]) : action,
      );
      assert.equal(new Set(keys).size, keys.length);
      fewer += session.game.legal().length - keys.length;
      session.play(session.offered[session.offered.length - 1].action);
    }
  }
  assert.ok(fewer > 0);
});

test("few cells are new at any frame", () => {
  const session = new Session(engine, game());
  playAll(session);
  for (let ply = 1; ply <= session.last; ply += 1) {
    const cells = session.newCells(ply);
    assert.ok(cells.length >= 1 && cells.length <= 4, `${cells.length} cells at ${ply}`);
  }
});

test("every puzzle is that of a day, one after the other", () => {
  const days = Array.from({ length: 32 }, (_, k) => new Date(1.8e12 + 864e5 * k).toISOString().slice(0, 10));
  assert.equal(new Set(days.map((day) => puzzleOf(day, 32))).size, 32);
});

test("puzzles are positions of games, and their answers are legal", () => {
  const text = readFileSync(new URL("../src/puzzles.json", import.meta.url), "utf8");
  const puzzles = /** @type {import("../src/types.js").Puzzle[]} */ (JSON.parse(text));
  assert.ok(puzzles.length >= 20);
  for (const puzzle of puzzles) {
    const session = new Session(engine, game({ ...puzzle, kind: "puzzle" }));
    assert.ok([...session.game.legal()].includes(puzzle.best));
    assert.equal(session.now.phase, "place");
    assert.equal(puzzle.losses[puzzle.best], 0);
  }
});

test("what the coach says of a space is what workers get there", () => {
  app.engine = engine;
  const jungle = (/** @type {any} */ one) => one.record.jungle_count[0];
  const seen = { mine: 0, market: 0, water: 0, plantation: 0, temple: 0, led: 0 };
  for (let seed = 0; seed < 12; seed += 1) {
    const options = { ...OPTIONS, players: 2, volcanoes: false };
    const session = new Session(engine, game({ options, deal: engine.deal({ ...options, seed }) }));
    while (!session.over) {
      const { now } = session;
      const seat = now.seat ?? 0;
      for (const { action, move, effects } of session.offered) {
        if (move.type !== "place" || effects.fills || effects.draws) continue;
        const [one, ...others] = found(now, seat, move);
        if (!one || others.length || !(one.kind in seen)) continue;
        const after = engine.replay({ ...session.saved, actions: [...session.game.actions] });
        const before = after.scores()[seat];
        after.play(action);
        if (jungle(after) > jungle(session.game)) continue; // a space was filled without asking
        while (after.phase === "act" && after.record.turn[0] === now.turn) after.play(Math.max(...after.legal())); // all workers
        const what = `${one.kind} of ${JSON.stringify(move)}`;
        if (one.kind === "temple") {
          const [then, later] = [now, after.position(null)].map((there) => tileOn(there, one.cell)?.workers ?? []);
          const leads = (/** @type {number[]} */ workers) =>
            workers.every((rival, whose) => whose === seat || rival < workers[seat]);
          assert.equal(one.gold > 0, leads(later) && !leads(then), what);
          seen.led += Number(one.gold > 0);
          if (one.gold === 0) continue;
        }
        assert.equal(after.scores()[seat] - before, one.gold, what);
        if (one.kind === "plantation") assert.equal(after.record.cacao[seat] - now.seats[seat].cacao, one.cacao, what);
        seen[/** @type {"mine"} */ (one.kind)] += 1;
      }
      session.play(session.offered[(7 * seed + session.last) % session.offered.length].action);
    }
  }
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 20, `${kind}: ${count}`);
});

test("the coach says first that it is there, then points to a space that pays no other tile more", async () => {
  const options = { ...OPTIONS, players: 2, volcanoes: false };
  const session = new Session(engine, game({ options, deal: engine.deal({ ...options, seed: 3 }), coached: true }));
  const seen = { ...app };
  const lines = async () => ({ lines: [{ action: wanted }] });
  let wanted = 0;
  Object.assign(app, { engine, session, client: { lines }, ply: 0, coach: null, noCurtain: true, shownTo: 0 });
  await coach();
  assert.match(app.coach?.text ?? "", /^Before a move I may point/);
  const said = { most: 0, less: 0 };
  while (!session.over) {
    const { now, offered, last } = session;
    const seat = now.seat ?? 0;
    for (const one of offered.slice(0, 40)) {
      if (one.move.type !== "place") continue;
      wanted = one.action;
      Object.assign(app, { ply: last, coach: null, shownTo: seat });
      session.saved.told = ["hello"];
      await coach();
      const pays = (/** @type {any} */ { move }, /** @type {any} */ at) =>
        found(now, seat, move).find(({ cell }) => String(cell) === String(at));
      const goods = found(now, seat, one.move).filter(({ gold, cacao }) => gold > 1 || cacao > 1);
      const best = goods.find((good) =>
        offered.every((other) => {
          const there = pays(other, good.cell);
          return !there || there.gold + there.cacao <= good.gold + good.cacao || (there.gold < 2 && there.cacao < 2);
        }),
      );
      assert.deepEqual(app.coach?.at, best?.cell);
      assert.equal(app.coach?.text.includes(` on ${best && cellWords(best.cell)}`) ?? false, Boolean(best));
      said[best ? "most" : "less"] += Number(goods.length > 0);
    }
    session.play(offered[(7 * last) % offered.length].action);
  }
  Object.assign(app, seen);
  assert.ok(said.most > 10 && said.less > 10, JSON.stringify(said));
});

test("markets pay at most what is said before a tile is placed, and as much", () => {
  app.engine = engine;
  const options = { ...OPTIONS, players: 2, volcanoes: false };
  let [cases, paid, both] = [0, 0, 0];
  const jungle = (/** @type {any} */ { tiles }) => tiles.filter((/** @type {any} */ { kind }) => kind).length;
  for (let seed = 0; seed < 30; seed += 1) {
    const session = new Session(engine, game({ options, deal: engine.deal({ ...options, seed }) }));
    while (!session.over) {
      const { now } = session;
      const seat = now.seat ?? 0;
      for (const { action, move, effects } of session.offered) {
        if (move.type !== "place" || effects.fills || effects.draws || !effects.acts) continue;
        const prices = new Set(found(now, seat, move).flatMap(({ kind, n }) => (kind === "market" ? [n] : [])));
        if (cases > 100 && prices.size < 2) continue; // those of two prices are rare
        const placed = engine.replay({ ...session.saved, actions: [...session.game.actions, action] });
        if (jungle(placed.position(null)) > jungle(now)) continue; // a space that is filled by itself brings more
        both += Number(prices.size > 1);
        const sales = (/** @type {any} */ one) => one.goldBySource()[seat].sales;
        /** @type {(one: any) => number} */
        const most = (one) => {
          if (one.record.turn[0] !== now.turn || one.phase !== "act" || one.seat !== seat) return sales(one);
          return Math.max(
            ...[...one.legal()].map((act) => most(engine.replay({ ...one.data, actions: [...one.actions, act] }))),
          );
        };
        const pay = most(placed) - sales(session.game);
        const said = marketGold(now, seat, move);
        assert.ok(pay <= said, JSON.stringify(move));
        cases += 1;
        paid += Number(pay === said && pay > 0);
      }
      session.play(session.offered[(7 * seed + session.last) % session.offered.length].action);
    }
  }
  assert.ok(both > 20 && paid > 0.98 * cases, `${paid} of ${cases}, ${both}`);
});

test("what workers can bring is said before a space is filled", () => {
  const options = { ...OPTIONS, players: 2, volcanoes: false };
  const seen = { water: 0, sun: 0 };
  const before = { ...app };
  for (let seed = 0; seed < 8; seed += 1) {
    const session = new Session(engine, game({ options, deal: engine.deal({ ...options, seed }) }));
    while (!session.over) {
      const { now, last, offered } = session;
      const seat = now.seat ?? 0;
      Object.assign(app, { engine, session, ply: last });
      for (const choice of offered) {
        if (choice.move.type !== "place" || !choice.effects.fills) continue;
        const words = broughtWords(choice).split("the workers of your tile can bring ")[1] ?? "";
        const after = engine.replay({ ...session.saved, actions: [...session.game.actions, choice.action] });
        while (after.record.turn[0] === now.turn && !after.over) after.play(Math.max(...after.legal())); // all workers
        for (const good of /** @type {const} */ (["water", "sun"])) {
          const many = (/** @type {any} */ { tiles }) =>
            tiles.filter((/** @type {any} */ one) => one.kind === good).length;
          if (many(after.position(null)) > many(now)) continue; // the new tile brings more
          const said = Number(words.match(new RegExp(`\\+(\\d) ${good}`))?.[1] ?? 0);
          assert.equal(
            after.record[good][seat] - now.seats[seat][good],
            said,
            `${good} of ${JSON.stringify(choice.move)}`,
          );
          seen[good] += Number(said > 0);
        }
      }
      session.play(offered[(7 * seed + last) % offered.length].action);
    }
  }
  Object.assign(app, before);
  assert.ok(seen.water > 20 && seen.sun > 20, JSON.stringify(seen));
});

test("the tile that is drawn after a choice is not laid in its preview", () => {
  const { decisions } = engine.codes;
  const file = new URL("../../../../tests/directed/three-cells-2p-1.json", import.meta.url);
  const { options, deal, actions } = engine.readRecord(readFileSync(file, "utf8"));
  const now = engine.replay({ options, deal, actions: [] });
  let draws = 0;
  for (const action of actions) {
    const filling = now.phase === "place" && now.effects(action).fills === 3;
    now.play(action);
    if (!filling) continue;
    const auto = now.clone();
    auto.options = { ...options, decisions: "auto" };
    auto.record.decisions[0] = decisions.indexOf("auto");
    auto.play(auto.legal()[0]);
    for (const fill of auto.legal()) {
      const effects = auto.effects(fill);
      assert.deepEqual([effects.draws, effects.fills], [true, 1], auto.notation(fill));
      draws += 1;
    }
  }
  assert.equal(draws, 2);
});

test("a puzzle that few solve changes a rating more", () => {
  assert.ok(rated(1200, 1600, true) - 1200 > rated(1200, 1000, true) - 1200);
  assert.ok(rated(1200, 1000, false) < rated(1200, 1600, false));
  assert.equal(rated(1200, 1200, true) - 1200, 16);
});

test("no module imports itself, however far around", () => {
  const folder = new URL("../src/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.jsx?$/.test(name));
  assert.ok(files.length > 30);
  /** @type {Map<string, string[]>} */
  const imports = new Map();
  for (const name of files) {
    const here = new URL(name, folder);
    const found = [...readFileSync(here, "utf8").matchAll(/^(?:import|export|\}) .*?from "(\..*?)";/gm)];
    imports.set(
      here.href,
      found.map(([, path]) => new URL(path, here)).flatMap((path) => (existsSync(path) ? [path.href] : [])),
    );
  }
  /** @param {string} name @param {string[]} way */
  const follow = (name, way) => {
    const [at, short] = [way.indexOf(name), (/** @type {string} */ one) => one.split("/").at(-1)];
    assert.equal(at, -1, [...way.slice(at), name].map(short).join(" -> "));
    for (const other of imports.get(name) ?? []) follow(other, [...way, name]);
    imports.set(name, []); // all that it imports is known
  };
  for (const name of [...imports.keys()]) follow(name, []);
});

test("a reason tells the rest of the best turn, what both turns bring, and what it is worth at the end", () => {
  const options = { ...OPTIONS, players: 2, volcanoes: false };
  const session = new Session(engine, game({ options, deal: engine.deal({ ...options, seed: 1 }) }));
  playAll(session, 12);
  const { last, now } = session;
  const seat = now.seat ?? 0;
  const follows = [
    { move: { type: "fill", tile: "market4", turn: 0, cell: [3, -3] }, kind: "" },
    { move: { type: "act", worker: [2, -3], edge: 2, workers: 2, cell: [3, -3] }, kind: "market4" },
  ];
  const { action } = session.offered[0];
  while (session.last <= last || session.now.turn === now.turn) session.play(session.offered[0].action);
  const turns = session.frames.map(({ position }) => position.turn);
  const made = session.gains(turns.indexOf(now.turn + 1), last);
  const [own, other] = [made[seat], made[1 - seat]].map((goods) => goodsWords(goods).join(", "));
  const judged = {
    ply: last,
    seat,
    action,
    best: 0,
    gold: 2,
    sources: { water: 3, sales: -1 },
    own: { water: 1.5, sales: -1 },
    follows,
    brings: [0, 1].map((whose) => (whose === seat ? { gold: 8, water: 1 } : { sun: 1 })),
  };
  session.saved.kind = "record";
  session.saved.judged = [/** @type {any} */ (judged)];
  const seen = { ...app };
  Object.assign(app, { engine, session, ply: last + 1 });
  const how = { made: madeWords(session, /** @type {any} */ (judged)) };
  const told = why(/** @type {any} */ (judged), how);
  Object.assign(judged, { brings: made });
  const equal = why(/** @type {any} */ (judged), how);
  for (const gold of [0.35, 5.25, 4.05]) {
    const [, all] = why(/** @type {any} */ ({ ...judged, gold, own: { water: 2.4 }, sources: { water: gold } }), how);
    const shares = [...all.matchAll(/: ([\d.]+) (more|less)/g)].map(
      ([, n, way]) => (way === "more" ? 10 : -10) * Number(n),
    );
    assert.equal(Math.round(shares[0] - shares[1]), Math.round(10 * gold), all);
  }
  Object.assign(app, seen);
  const second = `Player ${2 - seat}`;
  const was = `${own || "nothing"}${other && ` (${second}: ${other})`}`;
  const both = `In this turn it brings +8 gold, +1 water (${second}: +1 sun), the move made ${was}.\n`;
  const above = `above all because Player ${seat + 1} gets 1.5 more from water and ${second} gets 1.5 less from water`;
  const worth = `By the end of the game the best move is worth 2.0 gold more, ${above}.`;
  const mine = `Player ${seat + 1}: 0.5 more (1.5 more from water, 1.0 less from markets).`;
  const theirs = `${second}: 1.5 less (1.5 less from water).`;
  const whole = `Then: Fill g7 with market 4. Sell 2 at market 4.\n${mine}\n${theirs}`;
  assert.deepEqual(told, [both + worth, whole]);
  assert.deepEqual(equal, [worth, whole]);
});

test("the answer to a decision that is tried again is played, and said", async () => {
  const session = new Session(engine, game());
  playAll(session, 9);
  session.saved.kind = "puzzle";
  const seen = { ...app };
  const { now, offered } = session;
  const best = { best: offered[0].action, reason: ["It brings more.", "All of it."] };
  const trying = { of: session.saved, ply: session.last, text: "", solved: false, ...best };
  const told = [];
  for (const [gold, low] of [
    [3, 2],
    [0.5, 0],
  ]) {
    const judge = async () => ({ grade: low ? "blunder" : "", low, gold, sources: { water: gold } });
    Object.assign(app, { engine, session, client: { judge }, trying, ply: session.last });
    await judgeTry(offered[0]);
    told.push([
      app.trying?.solved,
      session.now.turn === now.turn && session.now.phase === now.phase,
      app.ply === session.last,
    ]);
  }
  const said = headline();
  const { text, why } = app.trying ?? {};
  Object.assign(app, seen);
  assert.deepEqual(told, [
    [false, true, true],
    [true, false, true],
  ]);
  assert.equal(text, "Yes: that is the best move found.");
  assert.deepEqual(why, best.reason);
  assert.ok(!said.startsWith("Your turn"), said);
});

test("mistakes are those of the only person, or everybody's", () => {
  const session = new Session(engine, game());
  playAll(session, 9);
  const judged = [2, 1, 0, 1].map((seat, k) => ({ ply: 2 * k, seat, grade: k === 2 ? "" : "blunder" })).reverse();
  session.saved.judged = /** @type {any} */ (judged);
  Object.assign(app, { session });
  const all = mistakes();
  session.players = session.players.map((one, seat) => /** @type {any} */ ({ ...one, person: seat === 1 }));
  assert.deepEqual(
    [all, mistakes()],
    [
      [1, 3, 7],
      [3, 7],
    ],
  );
});

test("a hint comes from the strongest of the levels, whatever agents the page has", async () => {
  const options = { ...OPTIONS, players: 2, volcanoes: false };
  const players = [true, false].map((person) => /** @type {any} */ ({ person, name: "", agent: "greedy" }));
  const session = new Session(engine, game({ options, deal: engine.deal({ ...options, seed: 1 }), players }));
  const { action } = session.offered[3];
  /** @type {any[]} */
  const asked = [];
  const lines = async (/** @type {any} */ _, /** @type {any} */ wish) => {
    asked.push(wish.agent);
    return { lines: [{ action }] };
  };
  const own = { name: "mine", own: true, players: [2, 3, 4], volcanoes: [false, true] };
  const agents = [...engine.agents, own];
  const seen = { ...app };
  Object.assign(app, {
    engine: Object.create(engine, { agents: { value: agents } }),
    session,
    client: { lines },
    ply: 0,
  });
  await hint();
  const { pick, hint: said } = app;
  choose(session.offered[5]);
  const later = app.hint;
  Object.assign(app, seen);
  assert.deepEqual([asked, pick.action], [["trinitario"], action]);
  assert.deepEqual([said.startsWith("Hint: "), later], [true, ""], "a hint is of its own move alone");
});
