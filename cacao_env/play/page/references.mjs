// Measure what agents lose a decision by the page's own review, for the two marks beside a person's number.
//
//   node references.mjs [games]      prints the mean loss of greedy and of trinitario, each against itself

import { readFileSync } from "node:fs";
import { choose, loadNetwork, Rng } from "./src/engine/agents.js";
import { loadEngine } from "./src/engine/engine.js";
import { review } from "./src/engine/review.js";

const HERE = new URL(".", import.meta.url);
const games = Number(process.argv[2] ?? 10);
const read = (path) => readFileSync(new URL(path, HERE));
const engine = await loadEngine(read("src/engine/engine.wasm"), JSON.parse(read("src/engine/fields.json").toString()));
loadNetwork(engine, new Uint8Array(read("../../../checkpoints/trinitario/weights.safetensors")));

for (const agent of ["greedy", "trinitario"]) {
  let [lost, decisions] = [0, 0];
  for (let seed = 0; seed < games; seed += 1) {
    const game = engine.game({ players: 2, volcanoes: false }, engine.deal({ players: 2, seed }));
    const rng = new Rng(seed);
    while (!game.over) game.play(choose(game, { agent }, rng));
    for (const seat of review(game).seats) {
      lost += seat.total_loss;
      decisions += seat.decisions;
    }
  }
  console.log(`${agent}: ${(lost / decisions).toFixed(2)} gold a decision, ${decisions} decisions`);
}
