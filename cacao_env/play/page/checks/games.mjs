// Plays the games that standard input lists, a line each, and prints what was played: `tests/page_engine.py`
// compares it with Python. {"players", "volcanoes", "decisions", "seed", "agent", "sims"}

import fs from "node:fs";
import { choose, Rng } from "../src/engine/agents.js";
import { loadForTests } from "./load.mjs";

const engine = await loadForTests();
const lines = fs.readFileSync(0, "utf8").trim().split("\n");
const found = lines.map((line) => {
  const { seed, agent, sims, ...options } = JSON.parse(line);
  const game = engine.game(options, engine.deal({ ...options, seed }));
  const rng = Array.from({ length: options.players }, (_, seat) => new Rng(10 * seed + seat));
  const began = performance.now();
  while (!game.over) game.play(choose(game, { agent, sims }, rng[game.seat]));
  const ms = performance.now() - began;
  return JSON.stringify({ actions: game.actions, scores: game.scores(), rng: rng.map(({ bits }) => String(bits)), ms });
});
process.stdout.write(`${found.join("\n")}\n`);
