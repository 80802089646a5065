// The engine in the page: games, moves, records, agents, reviews, and the worker.

import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { analyze, choose, Rng } from "../src/engine/agents.js";
import { startWorker } from "../src/engine/client.js";
import { seedOf } from "../src/engine/engine.js";
import { halve } from "../src/engine/halving.js";
import { Module } from "../src/engine/module.js";
import { judged, linesOf, luckOf, summed } from "../src/engine/review.js";
import { serve } from "../src/engine/worker.js";
import { fields, loadForTests, network, wasm } from "./load.mjs";

const engine = await loadForTests();
const recordOf = (name) =>
  fs.readFileSync(new URL(`../../../../checkpoints/trinitario/records/${name}.json`, import.meta.url), "utf8");
const RECORDS = ["2p-0", "2p-1", "3p-0", "3p-1", "4p-0", "4p-1"];

function randomGame(options, seed, until = () => false) {
  const game = engine.game(options, engine.deal({ ...options, seed }));
  const rng = new Rng(seed);
  while (!game.over && !until(game)) game.play(choose(game, { agent: "random" }, rng));
  return game;
}

test("records are replayed to the result that they state", () => {
  for (const name of RECORDS) {
    const text = recordOf(name);
    const { game, auto, players } = engine.readRecord(text);
    const { result, moves } = JSON.parse(text);
    assert.deepEqual(game.scores(), result.scores);
    assert.deepEqual(game.winners(), result.winners);
    assert.equal(auto.length, moves.length);
    assert.ok(players === undefined || players.length === game.options.players);
    for (const [seat, sources] of game.goldBySource().entries()) {
      assert.equal(
        Object.values(sources).reduce((a, b) => a + b),
        result.scores[seat],
      );
    }
  }
});

test("a record that is written reads back the same", () => {
  for (const decisions of ["auto", "explicit", "turn"]) {
    const game = randomGame({ players: 3, volcanoes: true, decisions }, 5);
    const text = engine.writeRecord(game.data, ["Ana", "Ben", "Chloé"]);
    const found = engine.readRecord(text);
    assert.deepEqual(found.game.scores(), game.scores());
    assert.deepEqual(found.players, ["Ana", "Ben", "Chloé"]);
    assert.equal(found.decisions, decisions);
    assert.deepEqual(found.auto, game.elementary().auto);
  }
});

test("a bad record is refused in one sentence", () => {
  const good = JSON.parse(recordOf("2p-0"));
  const bad = [
    [{ version: 2 }, "version is 2, expected 1"],
    [{ jungle_draws: good.jungle_draws.slice(1) }, /^jungle_draws has \d of \w+, expected \d$/],
    [{ moves: good.moves.slice(0, -1) }, /^the moves end after number \d+, before the game is over$/],
    [{ moves: [{ ...good.moves[0], player: 1 }] }, "move 1 (moves[0]): player is 1, but player 0 decides"],
    [{ moves: [{ ...good.moves[0], note: "!" }] }, /^move 1 .*: a move has the key 'note', expected player, move, /],
    [{ playerz: ["a", "b"] }, /^the record has the key 'playerz', expected format, .*, result or players$/],
    [{ rules: { ...good.rules, table_size: 15 } }, /^rules has the key 'table_size', expected num_players, /],
    [{ result: { ...good.result, suns: [0, 0] } }, /^result has the key 'suns', expected scores, .*, sun or water$/],
    [{ players: ["a\u00a0b", "c"] }, /^players has "a\u00a0b", expected 1 to 60 characters$/],
    [{ players: ["a", "x".repeat(61)] }, /expected 1 to 60 characters$/],
    [{ moves: [{ ...good.moves[0], auto: true }] }, /^move 1 \(moves\[0\]\): a decision with several legal moves is asked/],
    [{ result: { ...good.result, gold: [1, 2] } }, /^result.gold is \[1,2\], but the replay gives \[\d+,\d+\]$/],
  ];
  for (const [change, message] of bad) {
    assert.throws(() => engine.readRecord(JSON.stringify({ ...good, ...change })), { message });
  }
  assert.throws(() => engine.readRecord("{"), /not a game record: not JSON/);
  const names = [`a\u00a0b\n${"x".repeat(99)}`, "🌰".repeat(61)].map(engine.asName);
  assert.deepEqual(names, [`a b${"x".repeat(57)}`, "🌰".repeat(60)]);
  assert.deepEqual(engine.readRecord(JSON.stringify({ ...good, players: names })).players, names);
});

test("moves, their texts and their ids are one to one", () => {
  const game = randomGame({ players: 2, volcanoes: true, decisions: "explicit" }, 1, (one) => {
    const legal = [...one.legal()];
    const texts = legal.map((action) => one.notation(action));
    assert.equal(new Set(texts).size, legal.length);
    assert.deepEqual(
      texts.map((text) => one.parse(text)),
      legal,
    );
    assert.deepEqual(
      legal.map((action) => one.actionOf(one.move(action))),
      legal,
    );
    return false;
  });
  assert.ok(game.over);
});

test("an illegal action changes nothing and says why", () => {
  const game = randomGame({ players: 2 }, 2, (one) => one.phase === "act");
  const before = [...game.record.bytes];
  assert.throws(() => game.play(0), {
    message: "illegal action 0: the decision to make now is to act",
    code: "wrong_phase",
  });
  assert.throws(() => game.play(10 ** 9), { code: "no_such_action" });
  assert.deepEqual(game.whyIllegal(0).code, "wrong_phase");
  assert.equal(game.whyIllegal(game.legal()[0]), "");
  assert.deepEqual([...game.record.bytes], before);
});

test("undo takes back the last action, a copy goes its own way", () => {
  const game = randomGame({ players: 4 }, 3, (one) => one.actions.length === 20);
  const before = [...game.record.bytes];
  const copy = game.clone();
  copy.play(copy.legal()[0]);
  assert.deepEqual([...game.record.bytes], before);
  copy.undo();
  assert.deepEqual([...copy.record.bytes], before);
});

test("effects are what the position shows after the action", () => {
  randomGame({ players: 3 }, 4, (one) => {
    for (const action of one.legal().slice(0, 5)) {
      const effect = one.effects(action);
      if (!effect.ends && !effect.draws) {
        const after = one.clone();
        after.play(action);
        const changes = after.scores().map((score, seat) => score - one.scores()[seat]);
        assert.deepEqual(
          changes,
          changes.map((_, seat) => effect.worth[seat] ?? 0),
        );
      }
    }
    return false;
  });
});

test("a hidden hand is not in a position", () => {
  const game = randomGame({ players: 3 }, 6, (one) => one.actions.length === 9);
  const hands = (viewer) => game.position(viewer).seats.map(({ hand }) => hand !== null);
  assert.deepEqual(
    [hands(1), hands(-1), hands(null)],
    [
      [false, true, false],
      [false, false, false],
      [true, true, true],
    ],
  );
});

test("agents choose by what their seat can see alone", () => {
  const game = randomGame({ players: 2 }, 7, (one) => one.actions.length >= 12 && one.phase === "place");
  const other = game.clone();
  const [jungle, from, to] = [other.record.jungle_draws, game.record.jungle_drawn[0], game.record.num_jungle[0]];
  jungle.subarray(from, to).reverse(); // an order of the pile that the seat can't tell from the other
  for (const how of [
    { agent: "greedy" },
    { agent: "mc", sims: 32 },
    { agent: "trinitario" },
    { agent: "trinitario", sims: 8 },
  ]) {
    assert.equal(choose(game, how, new Rng(1)), choose(other, how, new Rng(1)), how.agent);
  }
});

test("an analysis has the choice first, and its weights add up to one", () => {
  const game = randomGame({ players: 2 }, 8, (one) => one.actions.length >= 10 && one.phase === "place");
  for (const how of [
    { agent: "random" },
    { agent: "greedy" },
    { agent: "mc", sims: 64 },
    { agent: "trinitario" },
    { agent: "trinitario", sims: 16 },
  ]) {
    const { candidates, win_shares, seat } = analyze(game, how, new Rng(1));
    assert.equal(seat, game.seat);
    assert.ok(Math.abs(candidates.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-9);
    assert.ok(Math.abs(win_shares[0] + win_shares[1] - 1) < 1e-6);
    if (how.agent === "trinitario") assert.equal(candidates[0].action, choose(game, how, new Rng(1)));
  }
});

test("a search by time ends in time", () => {
  const game = randomGame({ players: 2 }, 9);
  const again = engine.replay({ ...game.data, actions: game.actions.slice(0, 20) });
  const times = [1, 2, 3].map((seed) => {
    const began = performance.now();
    choose(again, { agent: "trinitario", ms: 60 }, new Rng(seed));
    return performance.now() - began;
  });
  assert.ok(Math.min(...times) < 2000, `${times}`); // the bound is wide: only an endless loop fails
});

test("a judged decision names the gold that it lost, by sources that add up", () => {
  const { game } = engine.readRecord(recordOf("2p-0"));
  const before = engine.game(game.options, game.deal);
  for (const action of game.actions.slice(0, 60)) before.play(action);
  while (before.phase !== "place") before.play(before.legal()[0]);
  const asked = before.asked();
  const worst = analyze(asked, { agent: "greedy" }, new Rng(0)).candidates.at(-1).action;
  const { gold, best, sources, grade } = judged(asked, 60, worst);
  assert.notEqual(best, worst);
  assert.ok(gold > 3 && grade === "blunder");
  assert.ok(Math.abs(Object.values(sources).reduce((a, b) => a + b) - gold) < 1e-6);
  const against = judged(asked, 60, worst, best);
  assert.equal(against.best, best, "it is compared with a given one");
  assert.ok(Math.abs(against.gold - gold) < 3);
});

test("a judged decision tells the rest of the best turn", () => {
  const found = { certain: 0, legal: 0 };
  for (const [seed, turn] of [19, 4].entries()) {
    const game = randomGame({ players: 2 }, seed, (one) => one.record.turn[0] >= turn && one.phase === "place");
    const asked = game.asked();
    const [seat, worst] = [asked.seat, analyze(asked, { agent: "greedy" }, new Rng(0)).candidates.at(-1).action];
    const { best, follows, brings } = judged(asked, 12, worst);
    const { gains, ends } = asked.effects(best);
    if (ends) {
      const changes = brings.map((goods) => Object.fromEntries(Object.entries(goods).filter(([, n]) => n)));
      assert.deepEqual(changes, [gains[0] ?? {}, gains[1] ?? {}]);
      found.certain += 1;
    } else {
      const again = asked.clone();
      again.record.decisions[0] = engine.codes.decisions.indexOf("explicit");
      again.play(best);
      const [{ move, kind }] = follows;
      assert.equal(again.seat, seat);
      assert.ok([...again.legal()].some((action) => again.notation(action) === engine.notation(move)));
      assert.equal(kind === "", move.type === "fill");
      found.legal += 1;
    }
  }
  assert.ok(found.certain > 0 && found.legal > 0, JSON.stringify(found));
});

test("the rest of a turn knows no tile that its player does not see", () => {
  const path = new URL("../../../../tests/directed/three-cells-2p-1.json", import.meta.url);
  const { game } = engine.readRecord(fs.readFileSync(path, "utf8"));
  const asked = engine.replay({ ...game.data, actions: game.actions.slice(0, 39) }).asked();
  const best = [...asked.legal()].find((action) => asked.effects(action).fills === 3); // the third tile is drawn
  const rest = (/** @type {any} */ one) => judged(one, 39, one.legal()[0], best).follows;
  const other = asked.clone();
  engine.module.memory.rng[0] = 7n;
  other.call("hide", asked.seat);
  assert.ok(rest(asked).length > 2);
  assert.deepEqual(rest(other), rest(asked));
});

test("a review sums up each seat's own decisions", () => {
  const { game } = engine.readRecord(recordOf("2p-0"));
  const lost = [2, 0, 7, 3].map((gold, k) => ({ seat: k % 2, gold, gain: 0, grade: gold > 1 ? "blunder" : "" }));
  const [first, second] = summed(game, lost).seats;
  assert.deepEqual([first.mean_loss, first.total_loss, first.blunders, first.worst], [4.5, 9, 2, 2]);
  assert.deepEqual([second.mean_loss, second.total_loss, second.blunders, second.best], [1.5, 3, 1, 1]);
});

test("lines of play have gold, chances and what follows", () => {
  for (const players of [2, 4]) {
    const game = randomGame({ players }, 8, (one) => one.actions.length >= 10 && one.phase === "place");
    const before = [...game.record.bytes];
    const { lines, candidates, seat } = linesOf(game, { agent: "trinitario", seed: 1 });
    assert.deepEqual([...game.record.bytes], before);
    assert.equal(lines.length, 3);
    assert.equal(lines[0].loss, 0);
    const made = [...game.legal()].find((action) => lines.every((one) => one.action !== action));
    const more = linesOf(game, { agent: "trinitario", seed: 1, made }).lines.map(({ action }) => action);
    assert.deepEqual(more.sort(), [made, ...lines.map(({ action }) => action)].sort());
    for (const { action, loss, shares, follows } of lines) {
      assert.ok(loss >= 0 && candidates.some((one) => one.action === action));
      assert.ok(Math.abs(shares.reduce((a, b) => a + b) - 1) < 1e-6);
      const placed = follows.filter(({ move }) => move.type !== "fill").map((one) => one.seat);
      const others = Array.from({ length: players - 1 }, (_, k) => (seat + 1 + k) % players);
      assert.deepEqual(placed, others, "each of the others places once");
    }
  }
  for (let seed = 0; seed < 6; seed++) {
    const last = randomGame({ players: 2 }, seed, (one) => one.phase === "place" && one.record.turn[0] >= 20);
    const { lines } = linesOf(last, { agent: "trinitario", seed: 1 });
    assert.ok(lines[0].loss === 0 && lines.every(({ loss }) => loss >= 0), "the end is solved");
  }
});

test("the luck of two seats is equal and opposite in shares of the win", () => {
  const { win_shares } = luckOf(engine.readRecord(recordOf("2p-1")).game);
  assert.ok(Math.abs(win_shares[0] + win_shares[1]) < 1e-9 && win_shares[0] !== 0);
});

test("thousands of calls take no more memory", () => {
  const size = () => engine.module.wasmMemory.buffer.byteLength;
  randomGame({ players: 4, volcanoes: true, decisions: "turn" }, 10);
  const before = size();
  for (let seed = 0; seed < 60; seed++) randomGame({ players: 4, volcanoes: true, decisions: "turn" }, seed);
  luckOf(engine.readRecord(recordOf("4p-0")).game); // one call that allocates a million times
  assert.equal(size(), before);
});

test("nothing is read from memory that was given back", () => {
  const play = () => {
    const game = engine.game({ players: 3, volcanoes: true }, engine.deal({ players: 3, volcanoes: true, seed: 1 }));
    const rng = [0, 1, 2].map((seat) => new Rng(10 + seat));
    while (!game.over) game.play(choose(game, { agent: "mc", sims: 16 }, rng[game.seat]));
    return game.actions;
  };
  const usual = play();
  const { giveBack } = Module.prototype;
  Module.prototype.giveBack = () => {}; // then nobody else gets it
  try {
    assert.deepEqual(play(), usual);
  } finally {
    Module.prototype.giveBack = giveBack;
  }
});

test("a seed is the same number as in Python, or a text", () => {
  assert.equal(seedOf(-1), 2n ** 64n - 1n);
  assert.equal(seedOf("17"), 17n);
  assert.equal(seedOf("cacao"), seedOf("cacao"));
  assert.notEqual(seedOf("cacao"), seedOf("cacaO"));
});

// --- The worker ----------------------------------------------------------------------------------

function makeWorker() {
  const { port1, port2 } = new MessageChannel();
  const ends = [port1, port2].map((port) => ({ postMessage: (data) => port.postMessage(data) }));
  serve(ends[1]);
  port1.on("message", (data) => ends[0].onmessage({ data }));
  port2.on("message", (data) => ends[1].onmessage({ data }));
  ends[0].terminate = () => {
    port1.close();
  };
  return ends[0];
}

test("the worker answers as the engine does, in order, and errors are told", async () => {
  const client = await startWorker(makeWorker, { wasm, fields, network });
  const { game } = engine.readRecord(recordOf("2p-0"));
  const start = { ...game.data, actions: [] };
  const how = { agent: "trinitario", seed: 3 };
  const [{ action }, thought] = await Promise.all([client.choose(start, how), client.analyze(start, how)]);
  const asked = engine.replay(start);
  assert.equal(action, choose(asked, how, new Rng(3)));
  assert.deepEqual(thought, analyze(asked, how, new Rng(3)));
  await assert.rejects(client.choose(game.data, how), { message: "the game is over: there is nothing to decide" });
  client.close();
});

test("an aborted question is answered by its reason, the others by another worker", async () => {
  const client = await startWorker(makeWorker, { wasm, fields, network });
  const { game } = engine.readRecord(recordOf("2p-0"));
  const start = { ...game.data, actions: [] };
  const stop = new AbortController();
  const stopped = client.analyze(start, { agent: "trinitario", sims: 64, signal: stop.signal });
  const other = client.choose(start, { agent: "greedy", seed: 1 });
  stop.abort(new Error("stopped"));
  await assert.rejects(stopped, { message: "stopped" });
  assert.equal((await other).action, choose(engine.replay(start), { agent: "greedy" }, new Rng(1)));
  client.close();
});

test("a search ends in time where the clock is coarse", (t) => {
  let now = 0.05; // milliseconds, of which the clock shows tenths, rounded down
  t.mock.method(performance, "now", () => Math.floor(10 * now) / 10);
  const run = (alive, passes) => {
    now += 0.01 * alive * passes;
  };
  const visits = halve({ call() {} }, { chunk_ms: 2 }, run, 2, { begin: 0, ms: 100 });
  assert.ok(now > 90 && now < 110, `${now}`);
  assert.ok(visits[0] > 4000);
});
