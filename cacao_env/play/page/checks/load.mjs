// The engine as tests use it, with its network.

import fs from "node:fs";
import { loadNetwork } from "../src/engine/agents.js";
import { loadEngine } from "../src/engine/engine.js";

const file = (path) => new Uint8Array(fs.readFileSync(new URL(path, import.meta.url)));

export const wasm = file("../src/engine/engine.wasm");
export const fields = JSON.parse(new TextDecoder().decode(file("../src/engine/fields.json")));
export const network = file("../../../../checkpoints/trinitario/weights.safetensors");

export async function loadForTests() {
  const engine = await loadEngine(wasm, fields);
  loadNetwork(engine, network);
  return engine;
}
