// The page's end of the worker: each call is a promise, and an aborted one stops the worker at once.

/** Start a worker: `make()` returns a new Worker of worker.js; `parts`: {wasm, fields, network}, bytes and data. */
export async function startWorker(make, parts) {
  const client = new Client(make, parts);
  await client.loaded;
  return client;
}

/** `make` of a worker's source as text, for a page that is one file. */
export function fromText(source) {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  return () => new Worker(url);
}

class Client {
  constructor(make, parts) {
    this.make = make;
    this.parts = parts;
    this.waiting = new Map(); // by number: what was asked and is not answered
    this.count = 0;
    this.start();
  }

  /** The action that an agent chooses: {action, rng}. `how`: {agent, seed, ms or sims, signal, onProgress}. */
  choose(game, how) {
    return this.ask("choose", game, how);
  }

  /** What an agent thinks of the position; `onProgress` gets the same while a search goes on. */
  analyze(game, how) {
    return this.ask("analyze", game, how);
  }

  /** The places of a game where something is decided: [{ply, seat}]. */
  decisions(game) {
    return this.ask("decisions", game, {});
  }

  /** An analysis with `lines`, the best three moves and what is expected to follow them. */
  lines(game, how) {
    return this.ask("lines", game, how);
  }

  /** What the action at a place of a game lost, or another one there, against the best: {ply, action, best, signal}. */
  judge(game, how) {
    return this.ask("judge", game, how);
  }

  /** The review of a finished game from its judged decisions. */
  sum(game, decisions) {
    return this.ask("sum", game, { decisions });
  }

  /** Each seat's luck of the draws so far: {win_shares, scores}. */
  luck(game, how = {}) {
    return this.ask("luck", game, how);
  }

  close() {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Error("the worker was closed"));
    this.waiting.clear();
  }

  start() {
    this.worker = this.make();
    this.worker.onmessage = ({ data }) => this.answered(data);
    this.worker.onerror = (event) => this.failed(event.message || "the worker can't be started");
    this.loaded = this.send({ task: "load", ...this.parts });
    this.loaded.catch(() => {}); // whoever waits for it is told
  }

  failed(message) {
    for (const { reject } of this.waiting.values()) reject(new Error(message));
    this.waiting.clear();
  }

  ask(task, game, { signal, onProgress, ...how }) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { options, deal, actions } = game;
    const answer = this.send({ task, game: { options, deal, actions: [...actions] }, how }, onProgress);
    const { id } = answer;
    const abort = () => this.abort(id, signal.reason);
    signal?.addEventListener("abort", abort);
    return answer.finally(() => signal?.removeEventListener("abort", abort));
  }

  send(message, onProgress) {
    const id = ++this.count;
    const answer = new Promise((resolve, reject) => {
      this.waiting.set(id, { message, onProgress, resolve, reject });
    });
    this.worker.postMessage({ id, ...message });
    return Object.assign(answer, { id });
  }

  answered({ id, result, error, progress }) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (progress) {
      asked.onProgress?.(progress);
      return;
    }
    this.waiting.delete(id);
    if (error === undefined) asked.resolve(result);
    else asked.reject(new Error(error));
  }

  // The worker computes without looking at messages, so another takes its place, and the other questions.
  abort(id, reason) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    this.waiting.delete(id);
    asked.reject(reason);
    this.worker.terminate();
    const others = [...this.waiting].filter(([, { message }]) => message.task !== "load");
    const loads = [...this.waiting.values()].filter(({ message }) => message.task === "load");
    for (const { resolve } of loads) resolve();
    this.waiting.clear();
    this.start();
    for (const [number, other] of others) {
      this.waiting.set(number, other);
      this.worker.postMessage({ id: number, ...other.message });
    }
  }
}
