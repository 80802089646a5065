// Agents and reviews off the main thread: `client.js` starts this and talks to it.
//
// A build makes one classic script of it, so that a page opened from a file can start it from a Blob.

import { analyze, choose, loadNetwork, Rng } from "./agents.js";
import { loadEngine } from "./engine.js";
import { decisionsOf, judgedAt, linesOf, luckOf, summed } from "./review.js";

/** Answer the messages of a port: {id, task, game, how}, the first one with {wasm, fields, network}. */
export function serve(port) {
  let engine;
  const tasks = {
    choose: (game, how) => {
      const rng = new Rng(how.seed ?? 0);
      return { action: choose(game, how, rng), rng: rng.bits };
    },
    analyze: (game, how) => analyze(game, how, new Rng(how.seed ?? 0)),
    decisions: (game) => decisionsOf(game.elementary().game).map(({ ply, asked }) => ({ ply, seat: asked.seat })),
    judge: judgedAt,
    lines: linesOf,
    sum: (game, { decisions }) => summed(game, decisions),
    luck: (game) => luckOf(game.elementary().game),
  };
  async function load({ wasm, fields, network }) {
    engine = await loadEngine(wasm, fields);
    if (network) loadNetwork(engine, network);
    return engine.version;
  }
  async function answer({ id, task, game, how, ...parts }) {
    const onProgress = (progress) => port.postMessage({ id, progress });
    try {
      const run = () => tasks[task](engine.replay(game), { ...how, onProgress });
      port.postMessage({ id, result: task === "load" ? await load(parts) : run() });
    } catch (error) {
      port.postMessage({ id, error: error.message });
    }
  }
  let before = Promise.resolve(); // one question at a time: the first one loads
  port.onmessage = ({ data }) => {
    before = before.then(() => answer(data));
  };
}

if (typeof self !== "undefined" && typeof document === "undefined") serve(self);
