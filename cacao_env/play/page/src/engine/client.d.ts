// What the page takes of client.js.
import type { GameData } from "../types.js";
export type Parts = { wasm: Uint8Array; fields: unknown; network: Uint8Array };
export interface Worker_ {
  choose(game: GameData, how: object): Promise<{ action: number }>;
  analyze(game: GameData, how: object): Promise<any>;
  lines(game: GameData, how: object): Promise<any>;
  decisions(game: GameData): Promise<{ ply: number; seat: number }[]>;
  judge(game: GameData, how: object): Promise<any>;
  sum(game: GameData, decisions: object[]): Promise<any>;
}
export function startWorker(make: () => Worker, parts: Parts): Promise<Worker_>;
export function fromText(source: string): () => Worker;
