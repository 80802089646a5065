// What the browser keeps: games with their reviews, settings, progress.  Where it keeps nothing (a private
// window), all of it lasts as long as the page.

import { openDB } from "idb";

/** @typedef {import("./types.js").Saved} Saved */

export const MOST_GAMES = 500;

export class Store {
  /** @param {import("idb").IDBPDatabase | null} db */
  constructor(db) {
    this.db = db;
    /** @type {Record<string, Map<string, any>>} used where there is no database */
    this.kept = { games: new Map(), settings: new Map() };
  }

  static async open(name = "cacao") {
    try {
      const db = await openDB(name, 1, {
        upgrade(made) {
          made.createObjectStore("games", { keyPath: "id" });
          made.createObjectStore("settings");
        },
      });
      return new Store(db);
    } catch {
      return new Store(null);
    }
  }

  get lasts() {
    return this.db !== null;
  }

  /** @param {string} id @returns {Promise<Saved | undefined>} */
  async game(id) {
    return this.db ? this.db.get("games", id) : structuredClone(this.kept.games.get(id));
  }

  /** @returns {Promise<Saved[]>} the latest first */
  async games() {
    const all = this.db ? await this.db.getAll("games") : [...this.kept.games.values()];
    return all.sort((a, b) => b.changed - a.changed);
  }

  /** @param {Saved} saved */
  async keep(saved) {
    if (!this.db) return void this.kept.games.set(saved.id, structuredClone(saved));
    await this.db.put("games", saved);
    const all = await this.games();
    for (const old of all.slice(MOST_GAMES)) await this.remove(old.id);
  }

  /** @param {string} id */
  async remove(id) {
    if (this.db) await this.db.delete("games", id);
    else this.kept.games.delete(id);
  }

  /** @template T @param {string} key @param {T} otherwise @returns {Promise<T>} */
  async setting(key, otherwise) {
    const found = this.db ? await this.db.get("settings", key) : this.kept.settings.get(key);
    return found ?? otherwise;
  }

  /** @param {string} key @param {unknown} value */
  async set(key, value) {
    if (this.db) await this.db.put("settings", value, key);
    else this.kept.settings.set(key, value);
  }
}

export const FILE = "cacao-games";

/** All games as one file. @param {Saved[]} games */
export const exported = (games) => `${JSON.stringify({ format: FILE, version: 1, games })}\n`;

/** The games of such a file; throws a sentence. @param {any} data @returns {Saved[]} */
export function imported(data) {
  if (data?.format !== FILE || data.version !== 1 || !Array.isArray(data.games))
    throw new Error("it is no list of games");
  for (const one of data.games)
    if (typeof one?.id !== "string" || !Array.isArray(one.actions)) throw new Error("a game in it is not complete");
  return data.games;
}
