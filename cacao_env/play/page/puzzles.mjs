// Make puzzles from games of the strongest network against itself: decisions with one clearly best placement.
//
//   node puzzles.mjs [games] [seconds]      adds to src/puzzles.json
//
// A puzzle is {options, deal, actions, best, level, gap}: the best action, how much gold the next best move
// found loses against it, and a level: 0 if greedy finds it, 1 if it is among greedy's best three, else 2.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { analyze, choose, loadNetwork, Rng } from "./src/engine/agents.js";
import { loadEngine } from "./src/engine/engine.js";
import { judged } from "./src/engine/review.js";

const GAP = 3; // gold between the best move and every other
const TRIED = 4; // other moves that are compared
const CLEAR = 0.06; // between the network's values of the two best, before anything is played out
const HERE = new URL(".", import.meta.url);
const OUT = new URL("src/puzzles.json", HERE);
const [games = 20, seconds = 600] = process.argv.slice(2).map(Number);

const read = (path) => readFileSync(new URL(path, HERE));
const engine = await loadEngine(read("src/engine/engine.wasm"), JSON.parse(read("src/engine/fields.json").toString()));
loadNetwork(engine, new Uint8Array(read("../../../checkpoints/trinitario/weights.safetensors")));

const found = existsSync(OUT) ? JSON.parse(readFileSync(OUT, "utf8")) : [];
const begun = Date.now();
for (let number = 0; number < games && Date.now() - begun < 1000 * seconds; number += 1) {
  const seed = 1000 * found.length + number;
  const players = 2 + (seed % 3);
  const deal = engine.deal({ players, volcanoes: seed % 5 === 4, seed });
  const game = engine.game({ players, volcanoes: seed % 5 === 4, decisions: "auto" }, deal);
  const rng = new Rng(seed);
  let last = -9;
  while (!game.over) {
    const { turn, turns } = game.position(null);
    const isFar = turn - last >= 6 && turns - turn > players; // not alike, and not all of the last round
    const puzzle = game.phase === "place" && isFar ? puzzleOf(game) : null;
    if (puzzle) {
      found.push(puzzle);
      last = turn;
      console.log(`${found.length}: ${players} players, turn ${last}, level ${puzzle.level}, gap ${puzzle.gap}`);
    }
    game.play(choose(game, { agent: "trinitario" }, rng));
  }
}
writeFileSync(OUT, `[\n${found.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);

function puzzleOf(game) {
  const { candidates } = analyze(game, { agent: "trinitario" }, new Rng(1));
  if (candidates.length < 3 || candidates[0].value - candidates[1].value < CLEAR) return null;
  const best = candidates[0].action;
  const ply = game.actions.length;
  let gap = Number.POSITIVE_INFINITY;
  for (const { action } of candidates.slice(1, 1 + TRIED)) {
    const verdict = judged(game.asked(), ply, action);
    if (verdict.best !== best || verdict.gold < GAP || verdict.low < GAP / 2) return null;
    gap = Math.min(gap, verdict.gold);
  }
  const greedy = analyze(game, { agent: "greedy" }, new Rng(1)).candidates.map(({ action }) => action);
  const rank = greedy.indexOf(best);
  const level = rank === 0 ? 0 : rank > 0 && rank < 3 ? 1 : 2;
  const { options, deal, actions } = game;
  return { options, deal, actions: [...actions], best, level, gap: Number(gap.toFixed(1)) };
}
