// Agents of the command line: a server on this machine decides for them, all others decide in the page.

import { t } from "./words.js";

/** @typedef {import("./types.js").Client} Client */

/** @param {string} path @param {object} body @param {AbortSignal} [signal] */
async function ask(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error(t.noServer);
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

/** A client that asks the server about its agents. @param {Client | null} inside @param {{ name: string }[]} agents
 * @returns {Client} */
export function withServer(inside, agents) {
  const isOwn = (/** @type {string} */ name) => agents.some((one) => one.name === name);
  const missing = () => Promise.reject(new Error(t.noAgents));
  const others = inside ?? { choose: missing, analyze: missing, lines: missing, judge: missing, review: missing };
  /** @type {Client["analyze"]} */
  const analyze = (game, { signal, ...wish }) => ask("/api/analyze", { ...game, ...wish }, signal);
  return {
    ...others,
    choose: (game, { signal, ...wish }) =>
      isOwn(wish.agent) ? ask("/api/choose", { ...game, ...wish }, signal) : others.choose(game, { signal, ...wish }),
    analyze: (game, wish) => (isOwn(wish.agent) ? analyze : others.analyze)(game, wish),
    lines: (game, wish) => (isOwn(wish.agent) ? analyze : others.lines)(game, wish),
  };
}
