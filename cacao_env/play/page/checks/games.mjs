// Plays the games that standard input lists, a line each, and prints what was played: `tests/page_engine.py`
// compares it with Python. {"players", "volcanoes", "decisions", "seed", "agent", "sims", "thoughts", "judge"}; thoughts:
// how many decisions apart the agent says what it thinks, 0 for never; judge: the places whose decisions are judged.

import fs from "node:fs";
import { analyze, choose, Rng } from "../src/engine/agents.js";
import { judgedAt } from "../src/engine/review.js";
import { loadForTests } from "./load.mjs";

const engine = await loadForTests();
const lines = fs.readFileSync(0, "utf8").trim().split("\n");
const found = lines.map((line) => {
  const { seed, agent, sims, thoughts, judge = [], ...options } = JSON.parse(line);
  const game = engine.game(options, engine.deal({ ...options, seed }));
  const rng = Array.from({ length: options.players }, (_, seat) => new Rng(10 * seed + seat));
  const thought = [];
  const began = performance.now();
  while (!game.over) {
    if (thoughts && game.actions.length % thoughts === 0) {
      const { candidates, win_shares, scores } = analyze(game, { agent, sims }, new Rng(seed));
      thought.push({ candidates: candidates.map((one) => Object.values(one)), win_shares, scores });
    }
    game.play(choose(game, { agent, sims }, rng[game.seat]));
  }
  const ms = performance.now() - began;
  const bits = rng.map((own) => String(own.bits));
  const judged = judge.map((ply) => judgedAt(game, { ply }));
  return JSON.stringify({ judged, actions: game.actions, scores: game.scores(), rng: bits, thought, ms });
});
process.stdout.write(`${found.join("\n")}\n`);
