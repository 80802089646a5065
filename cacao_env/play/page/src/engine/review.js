// Reviews a finished game, as cacao_env/play/review.py: what each decision lost in gold, and the luck of the draws.
//
// Near the end decisions are solved. Before it the network plays games to their end, from the action played and
// from the best one found, each pair on the same deal of what the seat can't see.

import { analyze, argmax, choose, Rng } from "./agents.js";
import { GOODS } from "./engine.js";
import { halve } from "./halving.js";

const RELATIVE_SCORE = 1;
const NOT_SOLVED = -1;
const ALL = -1;
const LINES = 3;
const DEALS = 12; // of what is hidden, for the chances of a line

/** Review a finished game. */
export function review(game) {
  const { game: whole } = game.elementary();
  return summed(
    game,
    decisionsOf(whole).map(({ ply, asked, action }) => judged(asked, ply, action)),
  );
}

/** What the judged decisions of a finished game say of each seat. */
export function summed(game, decisions) {
  const { settings } = game.engine;
  const luck = luckOf(game.elementary().game);
  const seats = luck.win_shares.map((share, seat) => summary(seat, decisions, settings.review, share));
  return { judge: settings.network.name, decisions, seats, luck, result: game.winShares() };
}

/** Judge the action at a place of a game, or another one there, against the best found or a given one;
 * null where nothing is decided. */
export function judgedAt(game, { ply, action, best }) {
  const found = decisionsOf(game.elementary().game).find((one) => one.ply === ply);
  return found ? judged(found.asked, ply, action ?? found.action, best) : null;
}

/** What an agent thinks, and `lines`, its best three moves, and one that was made, by what they bring:
 * {action, loss, shares, follows}. */
export function linesOf(game, how) {
  const { engine, seat } = game;
  const rng = new Rng(how.seed ?? 0);
  const thought = analyze(game, how, rng);
  const best = thought.candidates.slice(0, LINES).map(({ action }) => action);
  const actions = [...new Set([...best, ...(how.made === undefined ? [] : [how.made])])];
  const asked = game.asked();
  const gold = worthOf(asked, actions, rng);
  // The network's expectation, the mean over the same deals of what the seat can't see for each move.
  const shares = actions.map(() => Array(game.options.players).fill(0));
  let seen = asked;
  for (let deal = 0; deal < DEALS; deal++) {
    seen = asked.clone();
    seen.call("hide", seat);
    for (const [i, action] of actions.entries()) {
      seen.call("expected", action);
      shares[i] = shares[i].map((sum, whose) => sum + engine.module.memory.win_shares[whose] / DEALS);
    }
  }
  const lines = actions.map((action, i) => {
    return { action, loss: Math.max(...gold) - gold[i], shares: shares[i], follows: followed(seen.clone(), action, rng) };
  });
  return { ...thought, lines: lines.sort((a, b) => a.loss - b.loss) };
}

// The gold that each action brings more than the others' mean: exact near the end, else the mean of playouts.
function worthOf(game, actions, rng) {
  const { module } = game.engine; // its memory may move while the end is solved
  const { review: how, network, nodes_to_judge } = game.engine.settings;
  if (game.call("near_end", how.last)) {
    const count = game.call("end", RELATIVE_SCORE, nodes_to_judge, 1, ALL);
    const all = ids(game, Math.max(0, count));
    if (count !== NOT_SOLVED) return actions.map((action) => module.memory.values[all.indexOf(action)]);
  }
  module.memory.rng[0] = rng.bits;
  start(module.memory, actions);
  for (let i = 0; i < how.comparing; i++) game.call("playout", actions.length, network.inner);
  return actions.map((_, i) => module.memory.sums[i] / how.comparing);
}

// The moves that the network expects from an action until its seat places again: {seat, move, kind}.
function followed(game, action, rng) {
  const { engine, seat } = game;
  const turns = game.record.turn[0] + game.options.players;
  const [told, from] = [[], game.actions.length];
  for (let next = action; ; next = choose(game, { agent: engine.settings.network.name }, rng)) {
    const { phase } = game;
    if (phase !== "act" && game.actions.length > from) told.push({ seat: game.seat, move: game.move(next) });
    game.play(next);
    if (game.over || game.record.turn[0] >= turns || (game.seat === seat && game.phase === "place")) return told;
  }
}

/** Each seat's luck of the draw so far: in shares of the win, and in gold. It depends on what is still hidden. */
export function luckOf(game) {
  const { module, seats, settings } = game.engine;
  if (settings.luck_by !== settings.network.name) throw new Error(`luck is measured by ${settings.luck_by}`);
  module.memory.actions.set(game.actions.map(BigInt));
  game.clone().call("draws", game.actions.length);
  const row = (from) => Array.from(module.memory.luck.subarray(from, from + game.options.players));
  return { win_shares: row(0), scores: row(seats) };
}

/** Every decision with more than one legal move. */
export function decisionsOf(whole) {
  const found = [];
  const game = whole.engine.game(whole.options, whole.deal);
  whole.actions.forEach((action, ply) => {
    const asked = game.asked();
    if (asked.record.decisions[0] !== game.record.decisions[0] && asked.legal().length > 1) {
      found.push({ ply, asked, action });
    }
    game.play(action);
  });
  return found;
}

/** What an action lost against the best one found, or a given one, for the deciding seat. `ply`: its place. */
export function judged(game, ply, action, against) {
  const { review: how, network } = game.engine.settings;
  const { win_shares } = analyze(game, { agent: network.name }, new Rng(ply));
  const exact = game.call("near_end", how.last) ? solved(game, action) : null;
  const verdict = exact || byPlayouts(game, action, new Rng(ply), against);
  const best = verdict.loss > 0 ? verdict.best : action;
  const [gold, low] = [Math.max(0, verdict.loss), verdict.loss - verdict.error];
  return {
    ply,
    seat: game.seat,
    action,
    move: game.move(action),
    best,
    best_move: game.move(best),
    gold,
    low: Math.max(0, low),
    high: Math.max(0, verdict.loss + verdict.error),
    exact: Boolean(exact),
    gain: verdict.gain,
    grade: gradeOf(verdict.loss, low, how),
    shares: win_shares,
    sources: verdict.sources ?? {},
    own: verdict.own ?? {},
    ...(verdict.loss > 0 ? turnOf(game, best) : {}),
  };
}

// The rest of a turn as the network plays it after an action: `follows`, its own moves, each with the kind of the tile
// where its workers work, and `brings`, what the turn adds to each seat's goods.
function turnOf(game, action) {
  const { engine, seat } = game;
  const { decisions } = engine.codes;
  const one = game.clone();
  const { record } = one;
  engine.module.memory.rng[0] = 0n;
  one.call("hide", seat);
  record.decisions[0] = decisions.indexOf("explicit");
  const goods = () => GOODS.map((good) => [...record[good]]);
  const [before, [turn], follows, rng] = [goods(), record.turn, [], new Rng(0)];
  for (let next = action; ; ) {
    const move = one.move(next);
    const kind = move.type === "act" ? engine.jungleKind(record.board[one.cellOf(move.cell)]) : "";
    if (one.seat === seat && one.actions.length > game.actions.length && move.workers !== 0) follows.push({ move, kind });
    one.play(next);
    if (one.over || record.turn[0] !== turn) break;
    next = one.call("not_asked", decisions.indexOf("auto"));
    if (next < 0) next = choose(one, { agent: engine.settings.network.name }, rng);
  }
  const after = goods();
  const brings = Array.from({ length: game.options.players }, (_, whose) =>
    Object.fromEntries(GOODS.map((good, i) => [good, after[i][whose] - before[i][whose]])),
  );
  return { follows, brings };
}

/** Compare an action with the best candidate by games that the network plays. */
function byPlayouts(game, action, rng, against) {
  const { module, settings } = game.engine;
  const { memory } = module;
  const { review: how, network } = settings;
  memory.rng[0] = rng.bits;
  const tried = [...new Set([action, ...(against === undefined ? candidates(game) : [against])])];
  const run = (alive, passes) => {
    for (let i = 0; i < passes; i++) game.call("playout", alive, network.inner);
  };
  start(memory, tried);
  const visits = halve(module, settings, run, tried.length, { sims: how.choosing * tried.length });
  const means = Array.from(visits, (n, i) => memory.sums[i] / n);
  const gain = means[ids(game, tried.length).indexOf(action)] - mean(means);
  const best = against ?? Number(memory.ids[0]);
  if (best === action) return { best, loss: 0, error: 0, gain };
  start(memory, [best, action]);
  const lost = [];
  let [loss, error] = [0, 0];
  while (lost.length < how.comparing) {
    memory.sums.fill(0, 0, 2);
    run(2, 1);
    lost.push(memory.sums[0] - memory.sums[1]);
    if (lost.length < how.comparing && lost.length % how.look !== 0) continue;
    loss = mean(lost);
    const spread = Math.sqrt(mean(lost.map((one) => (one - loss) ** 2)));
    error = (1.96 * spread) / Math.sqrt(Math.max(1, lost.length - 1));
    if (loss + error < how.inaccuracy || loss - error > how.blunder) break; // known well enough
  }
  return { best, loss, error, gain, ...sourcesOf(game, lost.length) };
}

// What the network would play, then greedy's best that the network does not find much worse.
function candidates(game) {
  const { review: how, network, last_tried } = game.engine.settings;
  const byGreedy = ids(game, game.call("best_by_greedy", how.top));
  const seen = game.clone();
  seen.call("hide", game.seat);
  const count = seen.call("evaluate", network.top, last_tried);
  const evaluated = ids(game, count);
  const values = game.engine.module.memory.values.slice(0, count);
  const best = argmax(values);
  const near = new Set(evaluated.filter((_, i) => values[i] >= values[best] - how.within));
  return [evaluated[best], ...byGreedy.filter((action) => near.has(action))];
}

function start(memory, actions) {
  memory.ids.set(actions.map(BigInt));
  memory.sums.fill(0, 0, actions.length);
  memory.gold.fill(0);
}

// The loss by its sources: what the best action brings more than the other one, in `own` gold, and in own gold less the
// mean of the others'.
function sourcesOf(game, playouts) {
  const { engine, seat } = game;
  const { sources } = engine.tables;
  const { gold } = engine.module.memory;
  const { players } = game.options;
  const at = (row, whose, i) => gold[(row * engine.seats + whose) * sources.length + i];
  const own = {};
  const less = sources.map((name, i) => {
    const by = Array.from({ length: players }, (_, whose) => (at(0, whose, i) - at(1, whose, i)) / playouts);
    const total = by.reduce((sum, one) => sum + one, 0);
    own[name] = by[seat];
    return [name, (players * by[seat] - total) / (players - 1)];
  });
  return { own, sources: Object.fromEntries(less) };
}

/** Judge an action near the end exactly; null if that would take too long. */
function solved(game, action) {
  const { settings, module } = game.engine;
  const count = game.call("end", RELATIVE_SCORE, settings.nodes_to_judge, 1, ALL);
  if (count === NOT_SOLVED) return null;
  const values = Array.from(module.memory.values.subarray(0, count));
  const actions = ids(game, count);
  const most = argmax(values);
  const own = values[actions.indexOf(action)];
  const gain = own - mean(values);
  if (own >= values[most]) return { best: action, loss: 0, error: 0, gain };
  const best = actions[most];
  module.memory.gold.fill(0);
  const follow = (one, row) => game.call("end_gold", one, RELATIVE_SCORE, settings.nodes_to_judge, row);
  const followed = follow(best, 0) && follow(action, 1);
  return { best, loss: values[most] - own, error: 0, gain, ...(followed ? sourcesOf(game, 1) : {}) };
}

function ids(game, count) {
  return Array.from(game.engine.module.memory.ids.subarray(0, count), Number);
}

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

// A loss counts only as far as it is certain: half of it at the least.
function gradeOf(gold, low, { inaccuracy, blunder }) {
  if (gold >= blunder && low >= blunder / 2) return "blunder";
  return gold >= inaccuracy && low >= inaccuracy / 2 ? "inaccuracy" : "";
}

function summary(seat, decisions, { inaccuracy }, luck) {
  const own = decisions.map((one, number) => ({ ...one, number })).filter((one) => one.seat === seat);
  const total = own.reduce((sum, one) => sum + one.gold, 0);
  const most = (list, key) => list.reduce((best, one) => (best && best[key] >= one[key] ? best : one), null);
  const good = own.filter((one) => !one.grade && one.gold < inaccuracy);
  const worst = most(own, "gold");
  return {
    decisions: own.length,
    mean_loss: total / Math.max(1, own.length),
    total_loss: total,
    inaccuracies: own.filter((one) => one.grade === "inaccuracy").length,
    blunders: own.filter((one) => one.grade === "blunder").length,
    best: most(good, "gain")?.number ?? null,
    worst: worst && worst.gold > 0 ? worst.number : null,
    luck,
  };
}
