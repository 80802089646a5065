// Begin a new game, open a record, or continue a game.

const AGENT_SECONDS = 0.45;  // that an agent's decision is shown at least

async function refreshCatalogue() {
  const catalogue = await ask("/api/catalogue");
  state.agents = catalogue.agents;
  if (!state.agent) state.agent = state.agents[0].name;
  return catalogue;
}

async function openStart() {
  const catalogue = await tried(refreshCatalogue);
  if (!catalogue) return;
  const dialog = byId("start");
  const best = state.agents[0].name;
  const seats = [0, 1, 2, 3].map((seat) => make("input", {
    type: "text", name: `seat${seat}`, value: seat === 0 ? "human" : best, list: "players", "aria-label": `seat ${seat + 1}`,
  }));
  const rows = seats.map((input, seat) => [make("label", {}, `seat ${seat + 1}`), input]);
  const show = (count) => rows.forEach((row, seat) => row.forEach((one) => { one.hidden = seat >= count; }));
  const players = make("select", { id: "players-count", onchange: (event) => show(Number(event.target.value)) },
    ...[2, 3, 4].map((count) => make("option", { value: count }, `${count} players`)));
  const volcanoes = make("input", { type: "checkbox", id: "volcanoes" });
  const seed = make("input", { type: "text", id: "seed", placeholder: "any", inputmode: "numeric" });
  const there = [
    ...catalogue.records.map((one) => item(`record ${one.title}`, () => openRecord(one.id))),
    ...catalogue.games.map((one) => item(`game ${one.id}: ${one.seats.join(", ")}`, () => openGame(one.id))),
  ];
  dialog.replaceChildren(make("form", { method: "dialog", onsubmit: (event) => {
    event.preventDefault();
    const count = Number(players.value);
    const body = { seats: seats.slice(0, count).map((input) => input.value.trim()), volcanoes: volcanoes.checked };
    if (seed.value.trim() !== "") body.seed = Number(seed.value);
    begin(body);
  } },
  make("h1", {}, "New game"),
  make("div", { class: "quiet" }, "A seat takes “human”, a bot or a checkpoint; add “+search:ms=200” to the name of a value network to make it search."),
  make("div", { class: "fields" }, make("span", {}, "players"), players, ...rows.flat(),
    make("label", { for: "volcanoes" }, "volcanoes"), make("span", {}, volcanoes), make("label", { for: "seed" }, "seed of the deal"), seed),
  make("datalist", { id: "players" }, make("option", { value: "human" }, "you, at this page"),
    ...state.agents.map((agent) => make("option", { value: agent.name }, agent.what))),
  ...(there.length ? [make("h2", {}, "or continue"), make("ul", { class: "games" }, ...there)] : []),
  make("div", { class: "end" }, make("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
    make("button", { type: "submit", class: "main", id: "begin" }, "Begin")),
  ));
  show(2);
  if (!dialog.open) dialog.showModal();
}

function item(text, open) {
  const link = make("button", { type: "button", onclick: () => {
    byId("start").close();
    open();
  } }, text);
  return make("li", {}, link);
}

async function begin(body) {
  const game = await tried(() => ask("/api/games", body));
  if (!game) return;
  byId("start").close();
  showGame(game);
}

async function openRecord(id, ply = 0) {
  const replay = await tried(() => ask(`/api/records/${id}`));
  if (replay) showRecord(replay, ply);
}

async function openGame(id) {
  const game = await tried(() => ask(`/api/games/${id}`));
  if (game) showGame(game);
}

async function readFile(file) {
  const replay = await tried(async () => ask(`/api/records?title=${encodeURIComponent(file.name)}`, await file.text(), true));
  if (replay) showRecord(replay, 0);
}

function clear(source, id, names) {
  playOn(false);
  Object.assign(state, {
    source, id, names, frames: [], people: [], ply: 0, choices: [], awaits: null, canUndo: false, over: true,
    marked: null, about: null, thought: null, busy: false,
  });
  fitQuietly();
}

function fitQuietly() {
  Object.assign(view, { scale: 1, x: 0, y: 0 });
}

function showRecord(replay, ply) {
  clear("record", replay.id ?? null, replay.names);
  state.title = replay.title;
  state.frames = unpacked(replay);
  state.ply = Math.max(0, Math.min(state.frames.length - 1, ply));
  draw();
}

function showGame(game) {
  clear("game", game.id, game.names);
  state.title = game.names.join(" – ");
  takeGame(game);
}

// Take the answer of a game: frames from `since` on, and the decision to make.
function takeGame(game) {
  state.frames = [...state.frames.slice(0, game.since), ...game.frames];
  if (game.people.length > 1 && !game.over) {  // nobody looks back at another's hand
    state.frames = state.frames.map((one, ply) => (ply < state.frames.length - 1
      ? { ...one, seats: one.seats.map((seat) => ({ ...seat, hand: null })) } : one));
  }
  Object.assign(state, {
    people: game.people, names: game.names, choices: game.choices, awaits: game.awaits, over: game.over,
    canUndo: game.can_undo, ply: state.frames.length - 1, busy: false, thought: null, about: null,
  });
  resetPick();
  draw();
  if (state.everyStep && game.awaits === "person") think();
  if (game.awaits === "agent") letAgentDecide();
}

async function change(what, body = {}) {
  const id = state.id;
  state.busy = true;
  draw();
  const sent = { ...body, ply: state.frames.length - 1 };
  const game = await tried(() => ask(`/api/games/${id}/${what}`, sent));
  if (state.source !== "game" || state.id !== id) return;
  if (game) {
    takeGame(game);
  } else {
    state.busy = false;
    draw();
  }
}

const play = (choice) => change("play", { action: choice.action });
const undoMove = () => change("undo");

async function letAgentDecide() {
  const id = state.id;
  await new Promise((done) => setTimeout(done, 1000 * AGENT_SECONDS));
  if (state.source === "game" && state.id === id && state.awaits === "agent" && !state.busy) await change("advance");
}
