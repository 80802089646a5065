// Agents in the page: they choose, and say what they think of a position.
//
// An agent is asked about a copy of the game in which everything hidden from the deciding seat has been dealt
// again, as in Python, and with the same `sims` and random numbers it chooses the same. The loops over
// candidates and the clock are here; what is simulated, the module simulates.

import { seedOf } from "./engine.js";
import { halve } from "./halving.js";

const NONE = -1;
const NOT_SOLVED = -1;
const ALL = -1;
const UTILITY = 0;
const [EXPLICIT, AUTO] = [0, 1];

/** Give the engine its network: the bytes of the checkpoint's weights.safetensors. */
export function loadNetwork(engine, bytes) {
  const { memory } = engine.module;
  const header = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const arrays = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + header)));
  for (const [name, { data_offsets }] of Object.entries(arrays)) {
    if (!data_offsets) continue; // metadata
    const [from, to] = data_offsets.map((offset) => 8 + header + offset);
    const target = memory[`net_${name}`] && !(name in memory) ? memory[`net_${name}`] : memory[name];
    target.set(new Float32Array(bytes.slice(from, to).buffer));
  }
  engine.module.call("expand");
  engine.hasNetwork = true;
}

/** Random numbers of one seat: `bits` go on from call to call. */
export class Rng {
  constructor(seed) {
    this.bits = seedOf(seed);
  }
}

/** The action of an agent {agent, ms, sims, exact, ...}; `rng`: an Rng. */
export function choose(game, how, rng) {
  return ask(game, how, rng, (thinker) => thinker.choose());
}

/** What an agent thinks: {seat, candidates: [{action, weight, value, visits}], weighed, unit, win_shares, scores}. */
export function analyze(game, how, rng) {
  const seat = game.seat;
  return ask(game, how, rng, (thinker) => ({ agent: how.agent, seat, ...thinker.analyze() }));
}

function ask(game, how, rng, question) {
  if (game.over) throw new Error("the game is over: there is nothing to decide");
  const { engine } = game;
  const about = engine.agents.find(({ name }) => name === how.agent);
  if (!about) throw new Error(`there is no agent '${how.agent}'`);
  const { players, volcanoes } = game.options;
  if (!about.players.includes(players) || !about.volcanoes.includes(volcanoes)) {
    throw new Error(`${how.agent} does not play games of ${players}${volcanoes ? " with volcanoes" : ""}`);
  }
  if (about.network && !engine.hasNetwork) throw new Error("the network has not been loaded");
  const seen = game.asked();
  engine.module.memory.rng[0] = rng.bits;
  seen.call("hide", game.seat);
  const found = question(new KINDS[how.agent in KINDS ? how.agent : "network"](seen, how));
  rng.bits = engine.module.memory.rng[0];
  return found;
}

class Thinker {
  constructor(game, how) {
    this.game = game;
    this.how = how;
    this.module = game.engine.module;
    this.settings = game.engine.settings;
    this.begin = performance.now();
  }

  call(entry, ...numbers) {
    return this.game.call(entry, ...numbers);
  }

  id(i) {
    return Number(this.module.memory.ids[i]);
  }

  ids(count) {
    return Array.from({ length: count }, (_, i) => this.id(i));
  }

  values(count) {
    return Array.from(this.module.memory.values.subarray(0, count));
  }

  // Means of `sums`, of which `prior` visits are not simulations.
  means(visits, prior = 0) {
    return Array.from(visits, (n, i) => this.module.memory.sums[i] / (n + prior));
  }

  isSolvable(exact) {
    return this.call("near_end", exact) === 1;
  }

  solved(exact) {
    if (!this.isSolvable(exact)) return null;
    const count = this.call("end", UTILITY, this.settings.nodes, 1, ALL);
    return count === NOT_SOLVED ? null : fromValues(this.ids(count), this.values(count), 0.02, this.settings.unit);
  }

  // What the bots expect: greedy's games from here on.
  withOutlook(analysis) {
    this.call("outlook", this.settings.forecast);
    return { ...analysis, ...this.expectations() };
  }

  expectations() {
    const { memory } = this.module;
    const of = (field) => Array.from(memory[field].subarray(0, this.game.options.players));
    return { win_shares: of("win_shares"), scores: of("mean_scores") };
  }

  analyze() {
    const legal = this.game.legal();
    return this.withOutlook(legal.length === 1 ? certain(legal[0]) : this.consider());
  }
}

class Random extends Thinker {
  choose() {
    return this.call("play_random");
  }

  consider() {
    const ids = this.ids(this.call("legal"));
    return listed(ids, { weights: ids.map(() => 1 / ids.length), weighed: "probabilities" });
  }
}

class Greedy extends Thinker {
  choose() {
    return this.call("play_greedy");
  }

  consider() {
    const count = this.call("appraise");
    return fromValues(this.ids(count), this.values(count), 1, "gold");
  }
}

class MonteCarlo extends Thinker {
  constructor(game, how) {
    super(game, how);
    const { ms, sims = ms ? 0 : undefined } = how;
    this.given = { ...this.settings.mc, ms: ms || 0, ...(sims ? { sims } : {}), ...pick(how, ["top", "exact"]) };
  }

  choose() {
    const { top, exact } = this.given;
    if (this.game.record.decisions[0] === EXPLICIT) {
      const forced = this.call("not_asked", AUTO); // decisions that can't matter need no search
      if (forced !== NONE) return forced;
    }
    const alive = this.call("best_by_greedy", top);
    if (alive === 1) return this.id(0);
    const solved = this.call("solve_end", exact, this.settings.nodes);
    if (solved !== NOT_SOLVED) return solved;
    this.simulate(alive);
    return this.id(0);
  }

  // Simulate the first `count` of `ids`; the best moves to the front.
  simulate(count) {
    this.module.memory.sums.fill(0, 0, count);
    const run = (alive, passes) => this.call("greedy_playouts", alive, passes);
    return halve(this.module, this.settings, run, count, { ...this.given, begin: this.begin });
  }

  consider() {
    const { top, exact } = this.given;
    const solved = this.solved(exact);
    if (solved) return solved;
    const alive = this.call("best_by_greedy", top);
    const visits = this.simulate(alive);
    return fromVisits(this.ids(alive), this.means(visits), visits, this.settings.unit);
  }
}

class Network extends Thinker {
  evaluate(top = this.settings.network.top) {
    return this.call("evaluate", top, this.settings.last_tried);
  }

  choose() {
    const { search, nodes } = this.settings;
    const { sims = 0, ms = 0, exact = search.exact } = this.how;
    const count = this.evaluate();
    if (count === 1) return this.id(0);
    const best = this.id(argmax(this.module.memory.values, count));
    if (!sims && !ms) return best;
    const seconds = ms ? this.seconds(ms) : 0;
    const most = ms ? search.nodes_a_ms * 1000 * seconds : search.nodes_a_sim * sims;
    const solved = this.call("solve_end", exact, Math.min(nodes, Math.floor(most)));
    if (solved !== NOT_SOLVED) return solved;
    if (this.game.phase !== "place") return best;
    this.search(count, seconds);
    return this.id(0);
  }

  analyze() {
    const analysis = this.consider();
    return { ...analysis, ...this.expected(analysis.candidates[0].action) };
  }

  /** What an action leads to: by the network or, where simulations reach the end, the mean of their outcomes. */
  expected(action) {
    const { search, network, max_turns } = this.settings;
    const { sims = 0, ms = 0, near = search.near } = this.how;
    const { players } = this.game.options;
    if ((!sims && !ms) || turnsAhead(search, max_turns, this.call("left"), players, near) < max_turns) {
      this.call("expected", action);
      return this.expectations();
    }
    const found = { win_shares: Array(players).fill(0), scores: Array(players).fill(0) };
    this.call("new_search");
    for (let n = 0; n < search.told; n++) {
      this.module.memory.ids[0] = BigInt(action);
      this.call("search", 1, 1, network.inner, max_turns - 1);
      const { win_shares, scores } = this.expectations();
      for (let seat = 0; seat < players; seat++) {
        found.win_shares[seat] += win_shares[seat];
        found.scores[seat] += scores[seat];
      }
    }
    const mean = (sums) => sums.map((sum) => sum / search.told);
    return { win_shares: mean(found.win_shares), scores: mean(found.scores) };
  }

  consider() {
    const { unit, spread, search } = this.settings;
    const { sims = 0, ms = 0, exact = search.exact } = this.how;
    const count = this.evaluate();
    const ids = this.ids(count);
    if (count === 1) return certain(ids[0]);
    const byValue = fromValues(ids, this.values(count), spread, unit);
    if (!sims && !ms) return byValue;
    const { memory } = this.module;
    const [kept, values] = [memory.ids.slice(0, count), memory.values.slice(0, count)];
    const solved = this.solved(exact);
    if (solved) return solved;
    if (this.game.phase !== "place") return byValue;
    this.module.memory.ids.set(kept); // the solver has written its own
    this.module.memory.values.set(values);
    const { means, visits } = this.search(count, ms / 1000);
    if (visits.every((n) => n === 0)) return byValue;
    return fromVisits(this.ids(means.length), means, visits, unit);
  }

  /** Move the best actions to the front; return mean utility and simulations of each. */
  search(count, seconds) {
    const { search, network, max_turns } = this.settings;
    const { sims = 0, width = search.candidates, near = search.near } = this.how;
    const { memory } = this.module;
    const { players } = this.game.options;
    const left = this.call("left");
    const turns = turnsAhead(search, max_turns, left, players, near);
    const length = Math.min(left, players * turns);
    let tried = Math.min(width, count);
    if (seconds) {
      const rest = (this.begin + 1000 * seconds - performance.now()) / 1000;
      tried = Math.min(tried, 1 + Math.floor(rest / (2 * length * PACE.of(this))));
    }
    this.call("best", count, Math.max(1, tried), 1);
    if (tried < 2) {
      const spent = Math.max(1e-6, (performance.now() - this.begin) / 1000);
      PACE.seconds = Math.min(PACE.of(this), (2 * spent * network.inner) / (search.one_ply * count));
      return { means: this.values(1), visits: [0] };
    }
    const prior = turns === max_turns ? Math.min(search.prior, 1) : search.prior;
    for (let i = 0; i < tried; i++) memory.sums[i] = prior * memory.values[i];
    this.call("new_search");
    const start = performance.now();
    const run = (alive, passes) => this.call("search", alive, passes, network.inner, turns);
    const visits = halve(this.module, this.settings, run, tried, {
      sims,
      begin: this.begin,
      ms: 1000 * seconds,
      onRound: (visits) => this.how.onProgress?.(fromVisits(this.ids(tried), this.means(visits, prior), visits, "")),
    });
    const simulated = visits.reduce((sum, n) => sum + n, 0);
    const pace = (performance.now() - start) / 1000 / (simulated * length);
    PACE.seconds = PACE.of(this) + 0.2 * (Math.min(pace, 2 * PACE.of(this)) - PACE.of(this));
    return { means: this.means(visits, prior), visits };
  }

  /** The time for this placement, so that the mean over a game's placements is `ms`. */
  seconds(ms) {
    const { search, network, max_turns } = this.settings;
    const { near = search.near } = this.how;
    const { players } = this.game.options;
    const most = players * this.game.record.tiles_each[0];
    const lengths = Array.from({ length: most + 1 }, (_, left) =>
      Math.min(left, players * turnsAhead(search, max_turns, left, players, near)),
    );
    const onePly = (search.one_ply * PACE.of(this) * network.top) / network.inner;
    return timeBank(search, players, lengths, ms / 1000, onePly, PACE.of(this))[this.call("left")];
  }
}

const KINDS = { random: Random, greedy: Greedy, mc: MonteCarlo, network: Network };

// Seconds to evaluate a candidate inside simulations: measured by each search.
const PACE = {
  seconds: 0,
  of({ settings: { search, network } }) {
    return this.seconds || search.pace * network.inner;
  },
};

function turnsAhead(search, maxTurns, left, players, near) {
  return left <= near + search.earlier[players] ? maxTurns : search.turns;
}

/** Seconds for each placement, by the placements left, as `time_bank` in cacao_env/agents/value/search.py. */
function timeBank(search, players, lengths, mean, onePly, pace) {
  const { exact, most, least } = search;
  const weights = lengths.map((_, left) => {
    if (left <= exact) return left ? search.exact_weight : 0;
    const [, weight] = search.weights.find(([last]) => left <= last + search.earlier[players]);
    return onePly + least * lengths[left] * pace > most * mean ? 0 : weight;
  });
  const zeros = weights.filter((weight) => !weight).length;
  let total = mean * (lengths.length - 1) - onePly * (zeros - 1);
  for (;;) {
    const each =
      total /
      Math.max(
        1e-9,
        weights.reduce((sum, weight) => sum + weight, 0),
      );
    const seconds = weights.map((weight) => Math.min(weight * each, most * mean));
    const kept = weights.flatMap((weight, left) => (weight ? [left] : []));
    if (kept.every((left) => left <= exact || seconds[left] >= onePly + least * lengths[left] * pace)) {
      return seconds.map((x) => x || onePly);
    }
    weights[kept.at(-1)] = 0; // the one furthest from the end
    total -= onePly;
  }
}

// --- Analyses ----------------------------------------------------------------------------------

const pick = (from, names) =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));

export function argmax(values, count = values.length) {
  let best = 0;
  for (let i = 1; i < count; i++) if (values[i] > values[best]) best = i;
  return best;
}

function listed(actions, { weights, values, visits, order = actions.map((_, i) => i), ...more }) {
  const candidates = order.map((i) => ({
    action: actions[i],
    weight: weights[i],
    ...(values ? { value: values[i] } : {}),
    ...(visits ? { visits: visits[i] } : {}),
  }));
  return { candidates, ...more };
}

const certain = (action) => listed([action], { weights: [1], weighed: "certain" });

/** Of an agent that plays its best: the weights are a softmax of the values. */
function fromValues(actions, values, scale, unit) {
  const most = Math.max(...values);
  const raised = values.map((value) => Math.exp((value - most) / scale));
  const total = raised.reduce((sum, one) => sum + one, 0);
  const order = values.map((_, i) => i).sort((a, b) => values[b] - values[a]);
  return listed(actions, { weights: raised.map((one) => one / total), values, order, unit, weighed: "values", scale });
}

/** Of a search: the weights are the shares of the simulations. */
function fromVisits(actions, values, visits, unit) {
  const total = visits.reduce((sum, one) => sum + one, 0);
  const order = actions.map((_, i) => i).sort((a, b) => visits[b] - visits[a] || values[b] - values[a]);
  return listed(actions, {
    weights: Array.from(visits, (n) => n / total),
    values,
    visits,
    order,
    unit,
    weighed: "visits",
  });
}
