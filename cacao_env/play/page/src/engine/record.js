// Game records: reads and writes the files through which programs exchange games.

const FORMAT = "cacao-record";
const VERSION = 1;
const RESULT = ["scores", "winners", "gold", "temples", "cacao", "sun", "water"];
const KEYS = ["format", "version", "rules", "worker_draws", "jungle_draws", "moves", "result"];
const RULES = ["num_players", "volcanoes", "decisions"];
const MOVE = ["player", "move", "auto", "legal"];
const MAX_CHARACTERS = 5_000_000;
const MAX_NAME = 60;
const FAR = 1000; // no cell in play is as far from the start

const short = (value) => String(JSON.stringify(value)).slice(0, 80);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value) => Array.isArray(value) && value.every((one) => typeof one === "string");
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** A text as a name that a record may have: the characters that Python calls printable, at most 60. */
export function asName(text) {
  const printable = text.replace(/\p{Zs}/gu, " ").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
  return [...printable].slice(0, MAX_NAME).join("");
}

/** The `result` of a record: the final one, or the one if the game ended now. */
export function resultOf(game) {
  const { record: state, options, engine } = game;
  const of = (field) => Array.from(state[field].subarray(0, options.players));
  return {
    scores: game.scores(),
    winners: game.leaders(),
    gold: of("gold"),
    temples: of("temples"),
    cacao: of("cacao"),
    sun: of("sun"),
    water: of("water").map((place) => engine.tables.water_track[place]),
  };
}

/** The record of a finished game as text, one line a move. */
export function writeRecord(game, players) {
  if (!game.over) throw new Error("only a finished game makes a record");
  const { game: whole, auto } = game.elementary();
  const again = game.engine.game(whole.options, game.deal);
  const moves = whole.actions.map((action, i) => {
    const entry = { player: again.seat, move: again.parts(action) };
    again.play(action);
    return auto[i] ? { ...entry, auto: true } : entry;
  });
  const { players: count, volcanoes, decisions } = game.options;
  const record = {
    format: FORMAT,
    version: VERSION,
    rules: { num_players: count, volcanoes, decisions },
    ...(players ? { players } : {}),
    ...game.deal,
    moves,
    result: resultOf(game),
  };
  const lines = Object.entries(record).map(([key, value]) =>
    key === "moves" ? `  "moves": [\n    ${value.map(compact).join(",\n    ")}\n  ]` : `  "${key}": ${compact(value)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

// JSON on one line with a blank after each comma and colon, as Python writes it.
function compact(value) {
  if (Array.isArray(value)) return `[${value.map(compact).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${compact(one)}`)
    .join(", ")}}`;
}

/** Replay a record's text; Error names the first thing wrong in one sentence. */
export function readRecord(engine, text) {
  if (text.length > MAX_CHARACTERS) throw new Error("not a game record: the file is too long");
  let record;
  try {
    record = JSON.parse(text);
  } catch (error) {
    throw new Error(`not a game record: not JSON (${error.message})`);
  }
  const game = startOf(engine, record);
  const auto = record.moves.map((entry, number) => {
    try {
      return replayMove(game, entry, record.rules.decisions === "explicit");
    } catch (error) {
      throw new Error(`move ${number + 1} (moves[${number}]): ${error.message}`);
    }
  });
  if (!game.over) throw new Error(`the moves end after number ${auto.length}, before the game is over`);
  checkResult(record.result, resultOf(game));
  return { ...game.data, auto, decisions: record.rules.decisions, players: record.players, game };
}

function startOf(engine, record) {
  if (!isObject(record)) throw new Error("not a game record: expected a JSON object");
  if (record.format !== FORMAT) throw new Error(`format is ${short(record.format)}, expected '${FORMAT}'`);
  if (record.version !== VERSION) throw new Error(`version is ${short(record.version)}, expected ${VERSION}`);
  const missing = KEYS.find((key) => !(key in record));
  if (missing) throw new Error(`the record has no '${missing}'`);
  checkKeys("the record", record, [...KEYS, "players"]);
  const { rules, players: names, worker_draws, jungle_draws, moves } = record;
  if (!isObject(rules)) throw new Error("rules is not an object");
  checkKeys("rules", rules, RULES);
  const { num_players: players, volcanoes, decisions } = rules;
  if (!engine.tables.players.includes(players)) {
    throw new Error(`rules.num_players is ${short(players)}, expected 2, 3 or 4`);
  }
  if (typeof volcanoes !== "boolean") {
    throw new Error(`rules.volcanoes is ${short(volcanoes)}, expected true or false`);
  }
  if (!engine.codes.decisions.includes(decisions)) {
    throw new Error(`rules.decisions is ${short(decisions)}, expected 'auto' or 'explicit'`);
  }
  if (names !== undefined) checkNames(names, players);
  if (!Array.isArray(worker_draws) || !worker_draws.every(isTexts)) {
    throw new Error("worker_draws is not a list of lists of tiles");
  }
  if (worker_draws.length !== players) {
    throw new Error(`worker_draws has ${worker_draws.length} lists, expected one for ${players} players`);
  }
  if (!isTexts(jungle_draws)) throw new Error("jungle_draws is not a list of tiles");
  if (!Array.isArray(moves)) throw new Error("moves is not a list");
  return engine.game({ players, volcanoes, decisions: "explicit" }, { worker_draws, jungle_draws });
}

function checkKeys(what, given, known) {
  const odd = Object.keys(given).find((key) => !known.includes(key));
  const expected = `${known.slice(0, -1).join(", ")} or ${known.at(-1)}`;
  if (odd !== undefined) throw new Error(`${what} has the key '${odd}', expected ${expected}`);
}

function checkNames(names, players) {
  if (!isTexts(names) || names.length !== players) {
    throw new Error(`players is ${short(names)}, expected a name for each of ${players}`);
  }
  const wrong = names.find((name) => !name.length || name !== asName(name));
  if (wrong !== undefined) throw new Error(`players has ${short(wrong)}, expected 1 to ${MAX_NAME} characters`);
}

function replayMove(game, entry, explicit) {
  if (!isObject(entry) || !("move" in entry) || !("player" in entry)) {
    throw new Error("expected an object with 'player' and 'move'");
  }
  if (game.over) throw new Error("the game is over already");
  checkMove(entry.move);
  if (entry.player !== game.seat) {
    throw new Error(`player is ${short(entry.player)}, but player ${game.seat} decides`);
  }
  checkKeys("a move", entry, MOVE);
  const { auto = false, legal } = entry;
  if (typeof auto !== "boolean") throw new Error(`auto is ${short(auto)}, expected true or false`);
  if (auto && (explicit || game.phase === "place") && game.legal().length > 1) {
    throw new Error("a decision with several legal moves is asked, expected it not to be auto");
  }
  if (legal !== undefined) checkLegal(game, legal);
  let action;
  try {
    action = game.actionOf(entry.move);
  } catch (error) {
    throw new Error(`${game.engine.notation(game.engine.moveOf(entry.move))} is illegal: ${error.message}`);
  }
  game.play(action);
  return auto;
}

function checkMove(move) {
  const isSmall = (value) => Number.isInteger(value) && value >= 0 && value <= 3;
  const isCell = (value) =>
    Array.isArray(value) && value.length === 2 && value.every((one) => Number.isInteger(one) && Math.abs(one) < FAR);
  const [name, one, two, three] = Array.isArray(move) && move.length === 4 ? move : [];
  const isAct = name === "act" && isCell(one) && isSmall(two) && isSmall(three);
  const lays = ["place", "overbuild", "fill"].includes(name);
  const isTile = lays && typeof one === "string" && isSmall(two) && isCell(three);
  if (!isAct && !isTile) throw new Error(`${short(move)} is not a move`);
}

function checkLegal(game, listed) {
  if (!Array.isArray(listed)) throw new Error("legal is not a list of moves");
  listed.forEach(checkMove);
  const text = (move) => game.engine.notation(game.engine.moveOf(move));
  const named = listed.map(text);
  const legal = Array.from(game.legal(), (action) => game.notation(action));
  const twice = named.find((one, i) => named.indexOf(one) !== i);
  if (twice) throw new Error(`legal lists ${twice} twice`);
  const extra = named.filter((one) => !legal.includes(one)).sort()[0];
  if (extra) throw new Error(`legal lists ${extra}, which is not legal`);
  const missing = legal.filter((one) => !named.includes(one)).sort()[0];
  if (missing) throw new Error(`legal lacks ${missing}`);
}

function checkResult(result, replayed) {
  if (!isObject(result)) throw new Error("result is not an object");
  checkKeys("result", result, RESULT);
  for (const field of RESULT) {
    if (!(field in result)) throw new Error(`result has no '${field}'`);
    let stated = result[field];
    if (field === "winners" && Array.isArray(stated)) stated = [...stated].sort((a, b) => a - b);
    if (!same(stated, replayed[field])) {
      throw new Error(`result.${field} is ${short(result[field])}, but the replay gives ${short(replayed[field])}`);
    }
  }
}
