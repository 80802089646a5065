// The agents of the page: one worker decides for opponents, a second one, started when it is first asked,
// thinks and reviews, so that no move waits for an analysis.

import { fromText, startWorker } from "./engine/client.js";

/** @typedef {import("./types.js").Client} Client */

const THRESHOLDS = { inaccuracy: 1, blunder: 3 }; // gold, as play/review.py has them

const MOST = 4; // workers that judge a game together

/** @param {string} source of the worker @param {import("./engine/client.js").Parts} parts @returns {Client} */
export function thinkers(source, parts) {
  const make = fromText(source);
  const first = startWorker(make, parts);
  first.catch(() => undefined); // whoever asks is told
  /** @type {(typeof first)[]} */
  const others = [];
  const other = (at = 0) => {
    others[at] ??= startWorker(make, parts);
    return others[at];
  };
  /** @type {Client["judge"]} */
  const judge = async (game, wish) => (await other()).judge(game, wish);
  return {
    choose: async (game, wish) => (await first).choose(game, wish),
    analyze: async (game, wish) => analysisOf(await (await other()).analyze(game, wish)),
    lines: async (game, wish) => analysisOf(await (await other()).lines(game, wish)),
    judge,
    review: async (game, { known, first: seat, onJudged, signal }) => {
      const all = await (await other()).decisions(game);
      const found = known.filter((one) => all.some(({ ply }) => ply === one.ply));
      const todo = all.filter(({ ply }) => found.every((one) => one.ply !== ply));
      todo.sort((a, b) => Number(b.seat === seat) - Number(a.seat === seat));
      onJudged(found, all.length);
      const work = async (/** @type {number} */ at) => {
        for (let next = todo.shift(); next; next = todo.shift()) {
          found.push(await (await other(at)).judge(game, { ply: next.ply, signal }));
          onJudged(found, all.length);
        }
      };
      const workers = Math.min(MOST, navigator.hardwareConcurrency || 1);
      await Promise.all(Array.from({ length: workers }, (_, at) => work(at)));
      const decisions = found.sort((a, b) => a.ply - b.ply);
      const { judge: name, seats, result } = await (await other()).sum(game, decisions);
      return { judge: name, seats, result, decisions, thresholds: THRESHOLDS };
    },
  };
}

/** @param {any} found @returns {import("./types.js").Analysis} */
function analysisOf({ candidates, seat, unit, win_shares, scores, lines }) {
  const of = (/** @type {string} */ key) => {
    const values = candidates.map((/** @type {any} */ one) => one[key] ?? null);
    return values.includes(null) ? null : values;
  };
  return {
    seat,
    actions: of("action"),
    weights: of("weight"),
    values: of("value"),
    visits: of("visits"),
    unit: unit ?? "",
    win_shares: win_shares ?? null,
    scores: scores ?? null,
    lead: null,
    lines,
  };
}
