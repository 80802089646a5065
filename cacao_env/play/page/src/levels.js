// Opponents for people: five levels, and a name for each opponent.

/** @typedef {{id: string, agent: string, slips?: number, ms?: number, sims?: number}} Level */

/** The five, the weakest first.  `slips`: the share of moves made at random. @type {Level[]} */
export const LEVELS = [
  { id: "seedling", agent: "greedy", slips: 0.5 },
  { id: "grower", agent: "greedy" },
  { id: "trader", agent: "mc", sims: 256 },
  { id: "chief", agent: "trinitario" },
  { id: "jaguar", agent: "trinitario", ms: 1000 },
];

export const NAMES = [
  "Itzel",
  "Balam",
  "Nicté",
  "Canek",
  "Ixchel",
  "Kin",
  "Yaretzi",
  "Tepeu",
  "Sac",
  "Zyanya",
  "Yum",
  "Akna",
];

/** The levels that can play such a game. @param {import("./types.js").AgentInfo[]} agents
 * @param {number} players @param {boolean} volcanoes */
export function levelsFor(agents, players, volcanoes) {
  /** @type {Level[]} */
  const own = agents.filter((one) => one.own).map((one) => ({ id: one.name, agent: one.name }));
  return [...LEVELS, ...own].filter(({ agent, ms }) =>
    agents.some(
      (one) =>
        one.name === agent && one.players.includes(players) && one.volcanoes.includes(volcanoes) && (!ms || one.search),
    ),
  );
}

/** Different names for the opponents of a game. @param {number} count @param {number} seed @param {string[]} taken */
export function namesFor(count, seed, taken = []) {
  const free = NAMES.filter((name) => !taken.includes(name));
  const from = Math.abs(seed) % free.length;
  return Array.from({ length: count }, (_, k) => free[(from + k * 7) % free.length]); // 8 to 12 are free
}

/** The number of a day's puzzle: all of them in turn. @param {string} day @param {number} count */
export const puzzleOf = (day, count) => Math.floor(Date.parse(day) / 864e5) % count;

/** The best of the other moves, and what it loses. @param {import("./types.js").Puzzle} puzzle */
export const secondOf = ({ losses, best }) =>
  Object.entries(losses)
    .map(([action, loss]) => ({ action: Number(action), loss }))
    .filter(({ action }) => action !== best)
    .reduce((least, one) => (one.loss < least.loss ? one : least));

/** The Elo rating of a puzzle: its level, and how far the next best move is behind.
 * @param {import("./types.js").Puzzle} puzzle */
export const ratingOf = (puzzle) =>
  Math.round(1000 + 300 * puzzle.level + 75 * (2 - Math.min(secondOf(puzzle).loss, 4)));

const STEP = 32; // of a rating, at most, by one puzzle

/** The rating of who has solved, or not, a puzzle at the first try. @param {number} own @param {number} puzzle @param {boolean} solved */
export const rated = (own, puzzle, solved) =>
  Math.round(own + STEP * (Number(solved) - 1 / (1 + 10 ** ((puzzle - own) / 400))));
