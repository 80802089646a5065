// The agents of the page: one worker decides for opponents, a second one, started when it is first asked,
// thinks and reviews, so that no move waits for an analysis.

import { fromText, startWorker } from "./engine/client.js";

/** @typedef {import("./types.js").Client} Client */

const THRESHOLDS = { inaccuracy: 1, blunder: 3 }; // gold, as play/review.py has them

/** @param {string} source of the worker @param {import("./engine/client.js").Parts} parts @returns {Client} */
export function thinkers(source, parts) {
  const make = fromText(source);
  const first = startWorker(make, parts);
  first.catch(() => undefined); // whoever asks is told
  /** @type {typeof first | null} */
  let second = null;
  const other = () => {
    second ??= startWorker(make, parts);
    return second;
  };
  return {
    choose: async (game, wish) => (await first).choose(game, wish),
    analyze: async (game, wish) => analysisOf(await (await other()).analyze(game, wish)),
    review: async (game, { onProgress, ...wish }) => {
      const told = (/** @type {{ done: number, total: number }} */ { done, total }) => onProgress?.(done, total);
      return reviewOf(await (await other()).review(game, { ...wish, onProgress: told }));
    },
  };
}

/** @param {any} found @returns {import("./types.js").Analysis} */
function analysisOf({ candidates, seat, unit, win_shares, scores }) {
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
  };
}

/** @param {any} found @returns {import("./types.js").Review} */
function reviewOf({ judge, decisions, seats, result }) {
  return {
    judge,
    result,
    seats,
    thresholds: THRESHOLDS,
    decisions: decisions.map((/** @type {any} */ { move, best_move, sources, ...one }) => ({
      ...one,
      sources: sources ? { best: sources.best[one.seat], played: sources.played[one.seat] } : undefined,
    })),
  };
}
