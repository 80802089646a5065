// Begin a new game, open a file, or go on with a game.

const LEVELS = [[700, "the strongest"], [500, "very strong"], [300, "strong"], [100, "good"], [-100, "casual"], [-Infinity, "a beginner"]];
const OTHER = "other";

async function refreshCatalogue() {
  const catalogue = await ask("/api/catalogue");
  state.agents = catalogue.agents;
  if (!state.agent) state.agent = state.agents[0].name;
  return catalogue;
}

// An agent's strength and speed, for people.
function strengthWords(agent) {
  if (agent.elo === null) return `${agent.name} – ${tr(agent.what)}`;
  const level = LEVELS.find(([least]) => agent.elo >= least)[1];
  const speed = agent.ms < 10 ? t("answers at once") : t("{n} s a decision", { n: agent.ms / 1000 });
  return `${agent.name} – ${t(level)} (Elo ${signed(agent.elo)}), ${speed}`;
}

async function openStart(problem = "") {
  const catalogue = await tried(refreshCatalogue);
  if (!catalogue) return;
  const dialog = byId("start");
  let time = 0;
  const seats = [0, 1, 2, 3].map(seatFields);
  const show = (count) => seats.forEach((one, seat) => one.row.forEach((part) => { part.hidden = seat >= count; }));
  const players = make("select", { id: "players-count", onchange: (event) => show(Number(event.target.value)) },
    ...[2, 3, 4].map((count) => make("option", { value: count }, t("{n} players", { n: count }))));
  const volcanoes = make("input", { type: "checkbox", id: "volcanoes" });
  const seed = make("input", { type: "text", id: "seed", placeholder: t("any"), inputmode: "numeric" });
  const there = [
    ...catalogue.games.map((one) => item(t("{names}, turn {n}", { names: one.names.map(tr).join(" – "), n: one.turn + 1 }), () => openGame(one.id))),
    ...catalogue.records.map((one) => item(t("record {title}", { title: one.title }), () => openRecord(one.id))),
  ];
  dialog.replaceChildren(make("form", { method: "dialog", onsubmit: (event) => {
    event.preventDefault();
    const used = seats.slice(0, Number(players.value));
    const body = { seats: used.map((one) => timed(one.seat(), time)), people: used.map((one) => one.name()), volcanoes: volcanoes.checked };
    const wished = seed.value.trim();
    if (wished) body.seed = /^-?\d{1,15}$/.test(wished) ? Number(wished) : wished;
    begin(body);
  } },
  make("h1", {}, t("New game")),
  problem ? make("p", { class: "problem", role: "alert" }, tr(problem)) : "",
  make("div", { class: "fields" }, make("label", { for: "players-count" }, t("players")), players, ...seats.flatMap((one) => one.row),
    make("label", { for: "time" }, t("thinking time")), timeSlider("time", 0, (value) => { time = value; }),
    make("label", { for: "volcanoes" }, t("volcanoes")), make("span", {}, volcanoes), make("label", { for: "seed" }, t("seed of the deal")), seed),
  ...(there.length ? [make("h2", {}, t("or continue")), make("ul", { class: "games" }, ...there)] : []),
  make("div", { class: "end" }, button(t("Rules"), openRules), make("span", { class: "space" }),
    button(t("Cancel"), () => dialog.close()), make("button", { type: "submit", class: "main", id: "begin" }, t("Begin"))),
  ));
  show(2);
  if (!dialog.open) dialog.showModal();
}

// Who takes a seat: a person with a name, an agent of the list, or another agent by its name.
function seatFields(_, seat) {
  const person = make("input", { type: "text", name: `person${seat}`, maxlength: 60, placeholder: t("name"), "aria-label": t("name of player {n}", { n: seat + 1 }) });
  const other = make("input", { type: "text", name: `other${seat}`, placeholder: "trinitario+search:ms=500", "aria-label": t("agent on seat {n}", { n: seat + 1 }) });
  const choice = make("select", { name: `seat${seat}`, id: `seat${seat}`, onchange: () => show() },
    make("option", { value: "human" }, t("a person at this screen")),
    ...state.agents.map((agent) => make("option", { value: agent.name, selected: seat > 0 && agent === state.agents[0] }, strengthWords(agent))),
    make("option", { value: OTHER }, t("another agent, by its name")));
  const show = () => {
    person.hidden = choice.value !== "human";
    other.hidden = choice.value !== OTHER;
  };
  show();
  return {
    row: [make("label", { for: `seat${seat}` }, t("seat {n}", { n: seat + 1 })), make("span", { class: "who" }, choice, person, other)],
    seat: () => (choice.value === OTHER ? other.value.trim() : choice.value),
    name: () => (choice.value === "human" ? person.value.trim() : ""),
  };
}

function item(text, open) {
  return make("li", {}, button(text, () => {
    byId("start").close();
    open();
  }));
}

async function begin(body) {
  const game = await tried(() => ask("/api/games", body));
  if (!game) return;
  byId("start").close();
  showGame(game);
}

// The same people and agents again; their seats move on by some.
function rematch(by) {
  const turned = (list) => list.map((_, seat) => list[(seat + by) % list.length]);
  begin({ seats: turned(state.seats), people: turned(state.peopleNames), volcanoes: state.volcanoes });
}

// Open what an address names; a dead link says so and offers a new game.
async function opened(work, show) {
  try {
    show(await work());
  } catch (error) {
    if (error.status !== 404) return say(error.message);
    history.replaceState(null, "", location.pathname);
    clear(null, null, []);
    draw();
    await openStart(t("This link no longer works: {why}.", { why: tr(error.message) }));
  }
}

const openRecord = (id, ply = 0) => opened(() => ask(`/api/records/${encodeURIComponent(id)}`), (replay) => showRecord(replay, ply));
const openGame = (id) => opened(() => ask(`/api/games/${encodeURIComponent(id)}`), showGame);

async function readFile(file) {
  const found = await tried(async () => ask(`/api/records?title=${encodeURIComponent(file.name)}`, await file.text(), { raw: true }));
  if (found?.seats) showGame(found);
  else if (found) showRecord(found, 0);
}

function clear(source, id, names) {
  playOn(false);
  state.showing += 1;
  Object.assign(state, {
    source, id, names, frames: [], people: [], seats: [], ply: 0, choices: [], awaits: null, canUndo: false, over: true, title: "",
    marked: null, opened: null, about: null, cursor: null, thought: null, preview: null, hint: null, busy: false, paused: false,
    review: null, reviewing: null, curve: "scores", curtain: null, shownTo: null, noCurtain: false, lifted: new Set(),
  });
}

function showRecord(replay, ply) {
  clear("record", replay.id ?? null, replay.names);
  state.title = replay.title;
  state.frames = unpacked(replay);
  state.ply = Math.max(0, Math.min(lastPly(), ply));
  if (replay.review) takeReview(replay.review);
  state.preview = bestAt(state.ply);
  beginView();
  draw();
}
