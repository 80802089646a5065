// Plays games on the page through its modules, without a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { judge, mayThink, review, showBest, think } from "../src/advice.js";
import { choicesAt, choose, ghost, offered, pickTile, spokenCell, tilesOffered, turn } from "../src/choose.js";
import {
  backToReview,
  judgePuzzle,
  nextPuzzle,
  openPuzzle,
  openWanted,
  showAnswer,
  solvedOn,
  today,
  tryAgain,
} from "../src/exercises.js";
import {
  asNumber,
  begin,
  linkOf,
  made,
  open,
  openText,
  opponent,
  playFrom,
  rematch,
  removeGame,
  sharedNames,
} from "../src/games.js";
import { tabs } from "../src/kept.js";
import { judgeStep, lessonSteps, lookedAt, openLesson } from "../src/lesson.js";
import { rated, ratingOf } from "../src/levels.js";
import { packed, unpacked } from "../src/link.js";
import { clickCell, confirm, liftCurtain, redo, undo } from "../src/play.js";
import { headline, headSeat, told, toldTurn } from "../src/said.js";
import { exported, Store } from "../src/save.js";
import { app, curtainFor, handSeat, nameOf, SETTINGS } from "../src/state.js";
import { go, pause, playOn, resume, stopAll } from "../src/turns.js";
import { goodsWords, t } from "../src/words.js";
import { loadForTests } from "./load.mjs";

/** @import { Saved } from "../src/types.js" */

/** @type {any} */ (tabs)?.unref(); // it would keep the tests from ending
const engine = /** @type {any} */ (await loadForTests());
const puzzles = JSON.parse(readFileSync(new URL("../src/puzzles.json", import.meta.url), "utf8"));
const place = { hash: "", href: "http://here/" };
const browser = {
  replaceState: (/** @type {any} */ _, /** @type {any} */ __, /** @type {string} */ hash) => {
    place.hash = hash;
  },
};
const wait = setTimeout;
Object.assign(globalThis, {
  location: place,
  history: browser,
  setTimeout: (/** @type {[any, any]} */ ...what) => wait(...what).unref(), // nor do messages that go away later
});

const me = /** @type {const} */ ({ person: true, name: "" });
const OPTIONS = { players: 2, volcanoes: false, decisions: /** @type {const} */ ("auto") };
const deal = (/** @type {number} */ seed, players = 2) => engine.deal({ ...OPTIONS, players, seed });
/** @type {any[]} what agents were asked */
let asked = [];
/** @type {any} */
let client;
const first = (/** @type {any} */ game) => engine.replay(game).legal()[0];
/** The first actions of the game that `show` deals. @param {number} count */
const opening = (count, players = 2) => {
  const game = { options: { ...OPTIONS, players }, deal: deal(5, players), actions: /** @type {number[]} */ ([]) };
  while (game.actions.length < count) game.actions.push(first(game));
  return game.actions;
};

beforeEach(async () => {
  stopAll();
  asked = [];
  client = {
    choose: async (/** @type {any} */ game, /** @type {any} */ how) => {
      asked.push({ ...how, actions: [...game.actions] });
      return { action: first(game) };
    },
    lines: async (/** @type {any} */ game) => ({ lines: [{ action: first(game) }] }),
  };
  place.hash = "";
  const settings = { ...structuredClone(SETTINGS), motion: false };
  const progress = { solved: {}, tried: {}, rating: 1200, streak: 0, taught: true, step: 0 };
  const store = await Store.open();
  Object.assign(app, {
    engine,
    client,
    store,
    puzzles,
    settings,
    progress,
    session: null,
    ply: 0,
    message: null,
    agent: "jaguar",
  });
});

/** Let everything happen that waits for nothing but promises. */
const rest = async () => {
  for (let k = 0; k < 60; k += 1) await new Promise((done) => setImmediate(done));
};

/** @param {any} players @param {any} more */
const show = async (players = [me, opponent("grower", "Kin")], more = {}) => {
  const { seed = 5, actions = [], ...other } = more;
  const options = { ...OPTIONS, players: players.length };
  open(made({ options, deal: deal(seed, players.length), actions }, players, { seed, ...other }));
  await rest();
  return /** @type {import("../src/session.js").Session} */ (app.session);
};

const decide = async (k = 0) => {
  choose(offered()[k % offered().length]);
  confirm();
  await rest();
};

const finish = async () => {
  while (!app.session?.over) await decide();
};

/** The game shown. */
const shown = () => /** @type {import("../src/session.js").Session} */ (app.session).saved;

const kept = async () => JSON.parse(JSON.stringify(await app.store.games()));

test("each opponent decides as its level says, with random numbers of its own for each decision", async () => {
  const players = [me, opponent("trader", "Kin"), opponent("chief", "Sac"), opponent("jaguar", "Yum", 3)];
  const session = await show(players, { seed: 6 });
  for (let k = 0; k < 8; k += 1) await decide(3);
  assert.equal(session.awaits, "person");
  for (const { actions, agent, sims, ms } of asked) {
    const { seat } = engine.replay({ ...session.saved, actions });
    assert.deepEqual(
      [agent, sims, ms],
      [undefined, ["mc", 256, undefined], ["trinitario", undefined, undefined], ["trinitario", undefined, 3000]][seat],
    );
  }
  assert.ok(new Set(asked.map(({ agent, ms }) => `${agent}${ms}`)).size === 3);
  const seeds = asked.map(({ seed }) => seed);
  assert.equal(new Set(seeds).size, seeds.length);
  const before = [...asked];
  asked = [];
  const { id, ...same } = session.saved;
  open({ ...same, id: "again", actions: before[0].actions });
  await rest();
  assert.deepEqual(asked[0], { ...before[0], signal: asked[0].signal }, "the same game is played again");
  assert.equal(app.deciding, false);
});

test("of the weakest level half the moves are random, of the others none", async () => {
  const count = async (/** @type {string} */ level) => {
    const session = await show([opponent(level, "Kin"), opponent(level, "Sac")], { seed: 7 });
    while (!session.over) await rest();
    return session.saved.actions.length - asked.length;
  };
  const slips = await count("seedling");
  const all = app.session?.saved.actions.length ?? 0;
  assert.ok(slips > 0.3 * all && slips < 0.7 * all, `${slips} of ${all}`);
  asked = [];
  assert.equal(await count("grower"), 0);
});

test("an agent that fails stops the game with a sentence, and is asked again", async () => {
  let fails = true;
  client.choose = async (/** @type {any} */ game) => {
    if (fails) throw new Error("no memory");
    return { action: first(game) };
  };
  const session = await show([opponent("grower", "Kin"), me]);
  assert.deepEqual([app.paused, app.deciding, session.saved.actions], [true, false, []]);
  assert.match(app.message?.text ?? "", /^Kin .*no memory/);
  fails = false;
  app.message?.act?.();
  await rest();
  assert.deepEqual([app.paused, app.message, session.awaits], [false, null, "person"]);
});

test("a game that is left or paused takes no move that was asked before", async () => {
  /** @type {((answer: any) => void)[]} */
  const answers = [];
  client.choose = (/** @type {any} */ _, /** @type {any} */ { signal }) =>
    new Promise((done, fail) => {
      answers.push(done);
      signal.addEventListener("abort", () => fail(Object.assign(new Error(), { name: "AbortError" })));
    });
  const session = await show([opponent("grower", "Kin"), me]);
  assert.ok(app.deciding);
  const { asked: question } = app;
  pause();
  assert.ok(question?.signal.aborted, "the agent need not go on");
  answers[0]({ action: first(session.saved) });
  await rest();
  assert.deepEqual([session.saved.actions, app.message, app.paused, app.deciding], [[], null, true, false]);
  resume();
  await rest();
  answers[1]({ action: first(session.saved) });
  await rest();
  assert.equal(session.saved.actions.length, 1);
  assert.equal((await kept())[0].actions.length, 1, "what an agent played is kept");
});

test("a move that is held back for the eye is not made in a game that is left meanwhile", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  Object.assign(globalThis, { matchMedia: () => ({ matches: false }) });
  Object.assign(app, { settings: { ...app.settings, motion: true } });
  const session = await show([opponent("grower", "Kin"), me]);
  assert.deepEqual([asked.length, app.message, session.saved.actions], [1, null, []], "it has answered");
  pause();
  context.mock.timers.tick(900);
  await rest();
  assert.deepEqual(session.saved.actions, []);
});

test("what others did is said once, when a person is asked", async () => {
  const players = [me, opponent("grower", "Kin"), opponent("grower", "Sac")];
  await show(players, { seed: 9 });
  await decide();
  while (app.session?.now.seat !== 0 || app.session.now.phase !== "place") await decide();
  assert.match(app.spoken, /^Kin placed .*Sac placed .*Your turn: place a tile$/);
  assert.equal(app.told, "");
  app.spoken = "";
  go(1);
  assert.match(app.spoken, /^You placed/);
});

test("frames are looked at from the first to the last, and the game goes on at the last", async () => {
  const session = await show();
  await decide();
  const { last } = session;
  for (const [to, there] of [
    [-5, 0],
    [last + 9, last],
    [2, 2],
  ]) {
    go(to);
    assert.equal(app.ply, there);
  }
  assert.deepEqual(offered(), [], "nothing is chosen in an earlier frame");
  assert.equal(place.hash, `#game=${session.saved.id}&ply=2`);
  go(last);
  assert.ok(offered().length);
  assert.equal(place.hash, `#game=${session.saved.id}`);
});

test("a record runs to its end by itself, from the start again where it is at the end, and stops when told", async (context) => {
  const session = await show([me, me], { kind: "record", actions: opening(3) });
  assert.equal(app.ply, 0);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const tick = async () => {
    context.mock.timers.tick(900);
    await rest();
  };
  go(session.last);
  void playOn();
  assert.deepEqual([app.playing, app.ply], [true, 0]);
  for (let k = 0; k < session.last; k += 1) await tick();
  assert.deepEqual([app.playing, app.ply], [false, session.last]);
  void playOn();
  await tick();
  void playOn();
  await tick();
  await tick();
  assert.deepEqual([app.playing, app.ply], [false, 1]);
});

test("a rematch moves the seats on, with another deal", async () => {
  const players = [me, opponent("grower", "Kin"), opponent("chief", "Sac")];
  const { saved } = await show(players);
  rematch(1);
  await rest();
  const again = shown();
  assert.deepEqual(again.players, [players[1], players[2], players[0]]);
  assert.notDeepEqual(again.deal, saved.deal);
  assert.notEqual(again.id, saved.id);
  rematch(0);
  assert.deepEqual(app.session?.saved.players, [players[1], players[2], players[0]]);
});

test("a game begun with a seed is that deal, and is kept", async () => {
  begin({ players: [me, me, me], volcanoes: true, seed: "café", coached: true });
  const { saved } = /** @type {any} */ (app.session);
  assert.deepEqual(saved.deal, engine.deal({ players: 3, volcanoes: true, seed: "café" }));
  assert.deepEqual([saved.options.volcanoes, saved.coached, saved.kind], [true, true, "game"]);
  assert.equal(saved.seed, asNumber("café"), "the agents draw from the same seed");
  assert.deepEqual(
    (await kept()).map((/** @type {any} */ one) => one.id),
    [saved.id],
  );
});

test("a game is played on from a frame: one's own with its players, a record against the strongest", async () => {
  const session = await show();
  await decide();
  await decide();
  const { saved } = session;
  const at = session.asked[3];
  playFrom(at);
  await rest();
  const own = shown();
  assert.deepEqual(own.players, saved.players);
  assert.deepEqual([own.from, own.seed, own.kind], [saved.id, saved.seed, "game"]);
  assert.deepEqual(own.actions.slice(0, 3), saved.actions.slice(0, 3));
  const names = ["Ana", "Kin", "Leo"].map((name) => ({ person: true, name }));
  const record = await show(names, { kind: "record", actions: opening(9, 3) });
  const at1 = record.asked.findLast((ply) => record.frames[ply].position.seat === 1) ?? 0;
  playFrom(at1);
  const { players } = shown();
  assert.deepEqual(
    players.map(({ person }) => person),
    [false, true, false],
    "the person takes the seat that decides",
  );
  const others = /** @type {any[]} */ (players.filter(({ person }) => !person));
  assert.ok(others.every(({ agent, ms }) => agent === "trinitario" && ms === 1000));
  assert.equal(new Set([...players.map(({ name }) => name), "Kin"]).size, 4, "nobody has a name twice");
});

test("a record is one game, however often it is opened, with its names", async () => {
  const session = await show([me, me]);
  while (!session.over) session.play(session.offered[0].action);
  const text = engine.writeRecord(session.dataAt(session.last), ["Ana", "Leo"]);
  await openText(text);
  const { saved } = /** @type {any} */ (app.session);
  assert.deepEqual([saved.kind, app.ply, nameOf(0), nameOf(1)], ["record", 0, "Ana", "Leo"]);
  assert.deepEqual(
    [saved.actions, saved.options.decisions, saved.scores],
    [session.saved.actions, "auto", session.saved.scores],
  );
  saved.review = { decisions: [] };
  await app.store.keep(saved);
  await openText(text);
  assert.deepEqual(app.session?.saved.review, { decisions: [] }, "with the review that it has");
  const other = JSON.parse(text);
  other.players = ["Ana", "Zoe"];
  await openText(JSON.stringify(other));
  assert.notEqual(app.session?.saved.id, saved.id);
  other.rules.decisions = "explicit";
  for (const move of other.moves) delete move.auto;
  await openText(JSON.stringify(other));
  assert.deepEqual([app.session?.saved.options.decisions, app.session?.last], ["explicit", session.last]);
  const before = app.session;
  await openText("{}");
  assert.equal(app.session, before);
  assert.match(app.message?.text ?? "", /format/);
});

test("of a file of games the newer ones are kept, and an exercise in it is a game", async () => {
  const { saved } = await show();
  const file = (/** @type {any[]} */ ...more) => exported(more.map((one) => ({ ...saved, ...one })));
  await app.store.keep({ ...saved, changed: 50 });
  const names = async () =>
    (await kept()).map((/** @type {Saved} */ { id, changed }) => [id === saved.id ? "same" : id, changed]);
  await openText(file({ changed: 40 }));
  assert.deepEqual(await names(), [["same", 50]]);
  await openText(file({ changed: 60 }));
  assert.deepEqual(await names(), [["same", 60]]);
  await openText(file({ id: "a", kind: "puzzle", changed: 70 }, { id: "b", changed: 80 }));
  assert.deepEqual(
    [app.dialog, await names()],
    [
      "games",
      [
        ["b", 80],
        ["a", 70],
        ["same", 60],
      ],
    ],
  );
  assert.equal((await app.store.game("a"))?.kind, "game");
  await openText(file({ id: "c" }, { id: "d", actions: [9999999] }));
  assert.equal(await app.store.game("c"), undefined, "all or nothing");
});

test("a game that was deleted comes back", async () => {
  const { saved } = await show();
  await removeGame(saved);
  assert.deepEqual([await kept(), app.games], [[], []]);
  await app.message?.act?.();
  assert.equal(app.games[0].id, saved.id);
  assert.equal((await kept()).length, 1);
});

test("a link has the game, its review and names that others read", async () => {
  const session = await show([me, opponent("grower", "Kin")]);
  await decide();
  app.settings.name = "Ana";
  session.saved.review = /** @type {any} */ ({ decisions: [] });
  go(1);
  assert.deepEqual(sharedNames(), ["Ana", "Kin"]);
  const link = await linkOf();
  assert.match(link, /^http:\/\/here\/#g=[\w-]+&ply=1$/);
  const data = await unpacked(link.split("#g=")[1].split("&")[0]);
  assert.deepEqual(
    [data.actions, data.more.review, data.players[0].name],
    [session.saved.actions, { decisions: [] }, "Ana"],
  );
  place.hash = link.split("/").at(-1) ?? "";
  await openWanted();
  const there = shown();
  assert.deepEqual(
    [there.kind, app.ply, nameOf(0), there.review, app.allHands],
    ["record", 1, "Ana", { decisions: [] }, false],
  );
  assert.deepEqual(there.actions, session.saved.actions);
  place.hash = `#g=${await packed({ ...data, players: [] })}`;
  await openWanted();
  assert.equal(app.message?.text, t.badLink);
});

test("an address opens what it names, or says that it is lost", async () => {
  const { saved } = await show();
  await decide();
  place.hash = `#game=${saved.id}&ply=1`;
  await openWanted();
  assert.deepEqual([app.session?.saved, app.ply], [saved, 1], "the game shown is not read again");
  await show();
  await openWanted();
  open(saved, { ply: 999, keep: false });
  assert.equal(app.ply, app.session?.last);
  await show();
  place.hash = `#game=${saved.id}&ply=2`;
  await openWanted();
  assert.deepEqual([app.session?.saved.id, app.ply], [saved.id, 2]);
  place.hash = "#game=gone";
  await openWanted();
  assert.equal(app.message?.text, t.lostAll);
  place.hash = `#puzzle=${puzzles[3].number}`;
  await openWanted();
  assert.equal(app.puzzle?.at, 3);
  Object.assign(app, { session: null, dialog: null });
  place.hash = "";
  await openWanted();
  assert.equal(app.dialog, "new");
});

test("the first answer to a puzzle counts, and the answer that was shown does not solve it", async () => {
  client.judge = async () => null;
  const choice = (/** @type {boolean} */ right) =>
    /** @type {any} */ (offered().find(({ action }) => (action === puzzles[app.puzzle?.at ?? 0].best) === right));
  openPuzzle(2);
  assert.deepEqual([app.session?.saved.kind, place.hash, await kept()], ["puzzle", `#puzzle=${puzzles[2].number}`, []]);
  judgePuzzle(choice(false));
  const fallen = rated(1200, ratingOf(puzzles[2]), false);
  assert.deepEqual(
    [app.progress.rating, app.progress.streak, app.puzzle?.solved, solvedOn(2)],
    [fallen, 0, false, undefined],
  );
  judgePuzzle(choice(true));
  assert.deepEqual([app.progress.rating, app.puzzle?.solved, solvedOn(2)], [fallen, true, today()]);
  assert.equal(app.ply, app.session?.last);
  openPuzzle(4);
  judgePuzzle(choice(true));
  const risen = rated(fallen, ratingOf(puzzles[4]), true);
  assert.deepEqual([app.progress.rating, app.progress.streak], [risen, 1]);
  openPuzzle(5);
  showAnswer();
  assert.equal(app.pick.action, puzzles[5].best);
  confirm();
  assert.deepEqual([app.puzzle?.solved, solvedOn(5), app.puzzle?.text], [true, undefined, t.puzzleShown]);
  assert.deepEqual([app.progress.rating, app.progress.streak], [rated(risen, ratingOf(puzzles[5]), false), 0]);
  await rest();
  const here = structuredClone(app.progress);
  await app.store.set("progress", { ...here, solved: { "position 9": "2020-01-01" }, tried: {} });
  openPuzzle(6);
  judgePuzzle(choice(false));
  await rest();
  assert.ok(app.progress.solved["position 9"] && solvedOn(4), "what another tab solved is solved");
});

test("the next puzzle is one of its level that is not solved, as long as there is one", () => {
  const level = puzzles[0].level;
  const some = puzzles.flatMap((/** @type {any} */ one, /** @type {number} */ at) => (one.level === level ? [at] : []));
  const left = some.slice(0, 2);
  for (const at of some.slice(2)) app.progress.solved[`position ${puzzles[at].number}`] = "2026-01-01";
  Object.assign(app, { puzzle: null });
  const seen = new Set();
  for (let k = 0; k < 8; k += 1) {
    const before = app.puzzle?.at;
    nextPuzzle(level);
    assert.notEqual(app.puzzle?.at, before);
    seen.add(app.puzzle?.at);
  }
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    left,
  );
  for (const at of left) app.progress.solved[`position ${puzzles[at].number}`] = "2026-01-01";
  for (let k = 0; k < 8; k += 1) nextPuzzle(level);
  assert.equal(app.puzzles[app.puzzle?.at ?? 0].level, level);
});

test("a decision is tried again in a copy, before its move, and one comes back to the review", async () => {
  const session = await show([me, opponent("grower", "Kin")], { kind: "game" });
  await finish();
  const ply = session.asked[4] + 1;
  const { seat } = session.frames[ply - 1].position;
  const one = {
    ply: ply - 1,
    seat,
    action: session.saved.actions[4],
    best: 5,
    gold: 2,
    low: 1,
    high: 3,
    grade: "blunder",
  };
  session.saved.review = /** @type {any} */ ({ decisions: [{ ...one, shares: [], exact: false, sources: {} }] });
  const before = JSON.stringify(session.saved);
  tryAgain(ply);
  const { saved } = /** @type {any} */ (app.session);
  assert.deepEqual([saved.kind, saved.review, saved.judged], ["puzzle", undefined, undefined]);
  assert.deepEqual(saved.actions, session.saved.actions.slice(0, 4));
  assert.deepEqual([app.trying?.best, app.trying?.text], [5, t.tryNow]);
  assert.equal((await kept()).filter((/** @type {any} */ { kind }) => kind === "puzzle").length, 0);
  backToReview();
  assert.deepEqual([app.ply, JSON.stringify(app.session?.saved), app.trying], [ply, before, null]);
});

test("a person chooses: a tile, a space, how it is turned, one edge by its worker or by its jungle", async () => {
  const session = await show([me, me]);
  liftCurtain(true);
  assert.deepEqual(tilesOffered(), [...new Set(session.offered.map(({ move }) => move.tile))]);
  const tiles = tilesOffered();
  const cell = offered()[0].move.cell;
  pickTile(tiles[1]);
  assert.deepEqual([app.pick.tile, app.pick.action], [tiles[1], null]);
  assert.ok(choicesAt(cell).every(({ move }) => move.tile === tiles[1] && String(move.cell) === String(cell)));
  clickCell(cell);
  const one = offered().find(({ action }) => action === app.pick.action);
  assert.deepEqual([one?.move.tile, one?.move.cell, ghost()?.action], [tiles[1], cell, one?.action]);
  const all = choicesAt(cell).map(({ action }) => action);
  const turned = [];
  for (let k = 0; k < all.length; k += 1) {
    clickCell(cell); // turns what is chosen there
    turned.push(app.pick.action);
  }
  assert.deepEqual(turned, [...all.slice(1), all[0]]);
  turn(-1);
  assert.equal(app.pick.action, all.at(-1));
  const { turn: way } = app.pick;
  pickTile(tiles[0]);
  const other = offered().find(({ action }) => action === app.pick.action);
  assert.deepEqual([other?.move.tile, other?.move.cell], [tiles[0], cell], "another tile lies where the first one did");
  const alike = choicesAt(cell).find(({ move }) => move.turn === way) ?? choicesAt(cell)[0];
  assert.equal(app.pick.action, alike.action, "turned as the first one was");
  assert.match(spokenCell(cell), new RegExp(`${t.empty}, ${t.canChoose}$`));
  assert.match(spokenCell([0, 0]), /Player \d|market|plantation/);
  while (session.now.phase !== "act" || session.offered.length < 2) session.play(session.offered.at(-1)?.action ?? 0);
  app.ply = session.last;
  const { move } = offered()[0];
  const at = offered().filter(
    (choice) => String(choice.move.cell) === String(move.cell) || String(choice.move.worker) === String(move.cell),
  );
  assert.deepEqual(choicesAt(move.cell), at);
  assert.ok(choicesAt(move.worker ?? null).includes(offered()[0]));
});

test("one click plays where a person wishes that, but never an edge's workers", async () => {
  const session = await show([me, me]);
  liftCurtain(true);
  pickTile(tilesOffered()[0]);
  clickCell(offered()[0].move.cell);
  assert.equal(session.saved.actions.length, 0);
  app.settings.oneClick = true;
  app.pick.action = null;
  clickCell(offered()[0].move.cell);
  assert.equal(session.saved.actions.length, 1);
  while (session.now.phase !== "act" || session.offered.length < 2) session.play(session.offered.at(-1)?.action ?? 0);
  app.ply = session.last;
  const { length } = session.saved.actions;
  clickCell(offered()[0].move.cell);
  assert.deepEqual([session.saved.actions.length, app.pick.action], [length, offered()[0].action]);
});

test("of several people the screen is handed over, and hands are hidden until then", async () => {
  const session = await show([me, me]);
  const seat = session.now.seat ?? 0;
  assert.deepEqual([curtainFor(), handSeat(), offered()], [seat, null, []]);
  liftCurtain();
  assert.deepEqual([curtainFor(), handSeat(), offered().length > 0], [null, seat, true]);
  while (session.now.seat === seat) await decide();
  assert.equal(curtainFor(), 1 - seat);
  liftCurtain(true);
  while (session.now.seat !== seat) await decide();
  assert.equal(curtainFor(), null, "no more");
});

test("decisions are taken back and played again, also those of an ended game in a copy", async () => {
  const session = await show([me, opponent("grower", "Kin")]);
  await decide();
  await decide();
  const before = [...session.saved.actions];
  await decide();
  const after = [...session.saved.actions];
  assert.ok(after.length > before.length);
  undo();
  await rest();
  assert.deepEqual(session.saved.actions, before);
  assert.equal((await kept())[0].actions.length, before.length);
  redo();
  await rest();
  assert.deepEqual(session.saved.actions, after);
  await finish();
  const { id, actions } = session.saved;
  const whole = [...actions];
  undo();
  assert.notEqual(app.session?.saved.id, id);
  assert.deepEqual([app.session?.saved.from, app.message?.text], [id, t.madeCopy]);
  assert.ok((app.session?.saved.actions.length ?? 99) < whole.length);
  assert.deepEqual((await app.store.game(id))?.actions, whole, "what has ended stays");
  const record = await show([me, me], { kind: "record", actions: whole });
  undo();
  assert.deepEqual(record.saved.actions, whole);
});

test("the head says whose turn it is, who made the move shown, and who has won", async () => {
  const session = await show([me, opponent("grower", "Kin")]);
  while (session.now.phase !== "place") await decide();
  assert.deepEqual([headline(), headSeat()], ["Your turn: place a tile", 0]);
  await finish();
  const { winners } = session.now;
  const said = winners.length === 2 ? t.win("You and Kin") : winners[0] === 0 ? t.youWin : t.wins("Kin");
  assert.deepEqual([headline(), headSeat()], [said, winners.length === 1 ? winners[0] : null]);
  for (const [won, words] of /** @type {[number[], string][]} */ ([
    [[0], t.youWin],
    [[1], "Kin wins"],
    [[0, 1], "You and Kin win"],
  ])) {
    session.now.winners = won;
    assert.deepEqual([headline(), headSeat()], [words, won.length === 1 ? won[0] : null]);
  }
  go(4);
  const { step } = session.frames[4];
  assert.deepEqual([headline(), headSeat()], [told(4), step?.seat]);
  app.session = null;
  const watched = await show([opponent("grower", "Kin"), opponent("grower", "Sac")], { kind: "record" });
  assert.deepEqual([headline(), watched.awaits], [t.deal, null]);
});

test("what was done in a turn is told from its start", async () => {
  const session = await show([me, me]);
  liftCurtain(true);
  while (session.now.turn < 3) await decide(5);
  while (session.now.phase === "place") await decide(5);
  const from = session.frames.findIndex(({ position }) => position.turn === session.now.turn);
  const all = Array.from({ length: session.last - from }, (_, k) => told(from + 1 + k));
  assert.equal(toldTurn(), all.join(". "));
});

test("another tab's move is shown here, and nothing is played twice", async () => {
  const session = await show([me, me]);
  liftCurtain(true);
  const { action } = session.offered[0];
  const there = structuredClone(session.saved);
  there.actions = [action];
  await app.store.keep(there);
  const hear = async (/** @type {string} */ data) => {
    await /** @type {any} */ (tabs).onmessage({ data });
    await rest();
  };
  await hear("another game");
  assert.deepEqual(session.saved.actions, []);
  session.undone = [action];
  await hear(session.saved.id);
  assert.deepEqual([session.saved.actions, app.ply, session.undone], [[action], session.last, []]);
});

test("an agent may think about what the person sees, and of a judged move before it was made", async () => {
  /** @type {any[]} */
  const lines = [];
  client.lines = async (/** @type {any} */ { actions }, /** @type {any} */ { agent, ms, made }) => {
    lines.push({ count: actions.length, agent, ms, made });
    return { lines: [{ action: first({ ...session.saved, actions }) }] };
  };
  const session = await show([me, opponent("grower", "Kin")]);
  assert.ok(session.awaits === "person" && mayThink());
  await think();
  assert.deepEqual(
    [lines.at(-1), app.thought?.ply],
    [{ count: session.saved.actions.length, agent: "trinitario", ms: 1000, made: undefined }, session.last],
  );
  await decide();
  go(1);
  assert.ok(!mayThink(), "not about an earlier position of a game that goes on");
  go(session.last);
  app.agent = "grower";
  await finish();
  assert.ok(!mayThink(), "the game is over");
  const ply = session.asked[2];
  const judged = { ply, seat: 0, action: session.saved.actions[2], best: session.saved.actions[2], gold: 0, grade: "" };
  session.saved.review = /** @type {any} */ ({ decisions: [judged] });
  go(ply + 1);
  await think();
  assert.deepEqual(lines.at(-1), { count: 2, agent: "greedy", ms: undefined, made: judged.action });
  assert.equal(app.thought?.ply, ply);
  app.session = await show([me, me], { kind: "puzzle" });
  assert.ok(!mayThink());
});

test("an agent that can't think is asked once, not for every frame", async () => {
  client.lines = async () => {
    throw new Error("no memory");
  };
  await show([me, me], { kind: "record" });
  app.everyStep = true;
  await think();
  assert.deepEqual([app.everyStep, app.thinking, app.thought, app.message?.text], [false, null, null, "no memory"]);
});

test("an answer about a frame that is left is not shown", async () => {
  /** @type {any} */
  let answer;
  client.lines = () => new Promise((done) => (answer = done));
  const session = await show([me, me], { kind: "record", actions: opening(1) });
  const found = think();
  go(1);
  answer({ lines: [{ action: session.saved.actions[0] }] });
  await found;
  assert.equal(app.thought, null);
});

test("a review judges the person's decisions first, keeps what it has, and goes on there", async () => {
  const session = await show([me, opponent("grower", "Kin")]);
  await finish();
  /** @type {any[]} */
  const calls = [];
  const one = (/** @type {number} */ k) => ({
    ply: session.asked[k],
    action: session.saved.actions[k],
    best: 1,
    seat: 0,
    gold: 2,
    grade: "blunder",
  });
  client.review = async (/** @type {any} */ game, /** @type {any} */ how) => {
    calls.push({ ...how, count: game.actions.length });
    how.onJudged([one(0), one(1)], 20);
    if (calls.length === 1) throw new Error("stopped");
    return { decisions: [one(0), one(1), one(2)] };
  };
  await review();
  assert.deepEqual([app.reviewing, app.message?.text, session.saved.review], [null, "stopped", undefined]);
  assert.deepEqual((await kept())[0].judged.length, 2);
  const wrong = { ...one(3), action: -1 };
  session.saved.judged = /** @type {any} */ ([one(0), one(1), wrong]);
  go(session.asked[1] + 1);
  await review();
  assert.deepEqual(
    [calls[1].first, calls[1].known, calls[1].count],
    [0, [one(0), one(1)], session.saved.actions.length],
  );
  assert.deepEqual([session.saved.judged, app.curve, app.reviewing], [undefined, "chances", null]);
  assert.equal((await kept())[0].review.decisions.length, 3);
});

test("the best move lies beside the one that was made, unless it is as good", async () => {
  const session = await show([me, me], { kind: "record", actions: opening(1) });
  const [action, other] = session.engine.game(OPTIONS, session.saved.deal).legal();
  const judged = { ply: 0, seat: session.frames[0].position.seat, action, best: other, gold: 2 };
  const shown = (/** @type {any} */ more) => {
    session.saved.judged = /** @type {any} */ ([{ ...judged, ...more }]);
    app.ply = 1;
    showBest();
    return app.preview;
  };
  const game = session.engine.game(OPTIONS, session.saved.deal);
  assert.deepEqual(shown({}), { ...game.move(other), seat: judged.seat });
  assert.equal(shown({ gold: 0.01 }), null);
  assert.equal(shown({ best: action }), null);
  session.saved.judged = /** @type {any} */ ([{ ...judged, ply: 1 }]);
  showBest();
  assert.equal(app.preview, null, "that decision led to another frame");
});

test("a move is judged where it would be made", async () => {
  /** @type {any[]} */
  const calls = [];
  client.judge = async (/** @type {any} */ game, /** @type {any} */ how) => calls.push([game.actions, how]);
  const session = await show([me, me]);
  session.play(session.offered[0].action);
  await judge(session, 77, 78);
  assert.deepEqual(calls, [[[...session.saved.actions, 77], { ply: session.last, best: 78 }]]);
});

test("when the next turn begins the coach tells the decision of the last one that lost most", async () => {
  const session = await show([me, opponent("grower", "Kin")], { coached: true, told: ["hello"] });
  /** @type {Map<number, { gold: number, ply: number }>} the worst by turn */
  const worst = new Map();
  let count = 0;
  client.judge = async (/** @type {any} */ { actions }, /** @type {any} */ { ply }) => {
    const gold = [1, 3, 2, 0][count++ % 4];
    const { turn: now } = session.frames[ply].position;
    if (gold > (worst.get(now)?.gold ?? 0)) worst.set(now, { gold, ply });
    const [best] = engine.replay({ ...session.saved, actions: actions.slice(0, -1) }).legal();
    const sources = { sales: gold };
    return { ply, action: actions.at(-1), best, seat: 0, gold, grade: gold ? "blunder" : "", sources, own: sources };
  };
  let [said, several] = [0, 0];
  while (!session.over) {
    const { turn: now } = session.now;
    const begun = count;
    Object.assign(app, { coach: null });
    do await decide(3);
    while (!session.over && (session.now.turn === now || session.now.phase !== "place"));
    const one = worst.get(now);
    if (session.over || !one) continue;
    several += Number(count - begun > 1);
    assert.ok(app.coach?.text.includes(told(one.ply + 1)), `${app.coach?.text}: ${told(one.ply + 1)}`);
    assert.match(app.coach?.text ?? "", new RegExp(`worth ${one.gold}.0 gold more`));
    said += 1;
  }
  assert.ok(said > 4 && several > 2, `${said}, ${several}`);
  const plies = session.saved.judged?.map(({ ply }) => ply) ?? [];
  assert.deepEqual(
    plies,
    [...new Set(plies)].sort((a, b) => a - b),
  );
  assert.equal(plies.length, count);
});

test("each step of the lesson looks at what it is about, and plays what shows it", async () => {
  for (let step = 0; step < lessonSteps; step += 1) {
    openLesson(step);
    const looked = /** @type {NonNullable<ReturnType<typeof lookedAt>>} */ (lookedAt());
    const { session } = app;
    const before = session?.saved.actions.length ?? 0;
    const from = session?.last ?? 0;
    const away = offered().find(({ move }) => !looked.spaces.has(String(move.cell)));
    if (away) {
      await judgeStep(away);
      assert.deepEqual([session?.saved.actions.length, app.lesson?.solved], [before, false]);
      assert.match(app.lesson?.text ?? "", new RegExp(`^${t.lesson.again}`));
    }
    const good = offered().filter(({ move }) => looked.spaces.has(String(move.cell)));
    for (const one of good) {
      if (app.lesson?.solved || session?.now.phase !== "place") break;
      await judgeStep(one);
      await rest();
    }
    while (session?.now.phase === "fill" && !app.lesson?.solved) {
      await judgeStep(offered()[0]);
      await rest();
    }
    assert.ok(app.lesson?.solved, `step ${step}`);
    assert.ok(app.lesson?.text.endsWith(t.lesson.steps[step].done));
    const got = goodsWords(session?.gains(session.last, from)[0] ?? {}).join(", ");
    assert.equal(app.lesson?.text.split(". ")[0], got[0].toUpperCase() + got.slice(1), "what the turn brought");
  }
  assert.deepEqual([app.progress.step, await kept()], [lessonSteps - 1, []]);
});
