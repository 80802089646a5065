// What the page takes of engine.js.
import type { Engine } from "../types.js";
export function loadEngine(wasm: Uint8Array, fields: unknown): Promise<Engine>;
