// What an agent makes of the position shown.

async function think() {
  const now = frame();
  if (!now || now.phase === "over" || ALONE) return;
  const asked = { [state.source]: state.id, ply: state.ply, agent: state.agent };
  state.thinking = true;
  drawThink();
  const thought = await tried(() => ask("/api/think", asked));
  state.thinking = false;
  const isStill = asked.ply === state.ply && asked[state.source] === state.id;
  state.thought = isStill ? thought : null;
  if (!thought) state.everyStep = false;
  draw();
  if (state.thought) byId("think").scrollIntoView({ block: "nearest" });
}

const percent = (x) => (x >= 0.995 ? "100%" : x < 0.0005 ? "0%" : x < 0.1 ? `${(100 * x).toFixed(1)}%` : `${Math.round(100 * x)}%`);

function drawHeat() {
  if (!state.thought) return [];
  const most = Math.max(...state.thought.cells.map((one) => one.weight));
  return state.thought.cells.filter((one) => one.weight >= 0.001).flatMap((one) => {
    const strength = Math.sqrt(one.weight / most);
    const [x, y] = [one.cell[1] * 100 + 50, one.cell[0] * 100 + 50];
    const size = 18 + 26 * strength;
    return [
      make("circle", { cx: x, cy: y, r: size, fill: "#6a1b9a", opacity: 0.25 + 0.6 * strength }),
      words(x, y + 6, percent(one.weight), strength > 0.4 ? 19 : 15, "#fff", { class: "heat" }),
    ];
  });
}

function drawThink() {
  const box = byId("think");
  box.hidden = Boolean(ALONE) || !frame();
  if (box.hidden) return;
  const options = state.agents.map((agent) => make("option", { value: agent.name }, agent.what));
  const name = make("input", {
    type: "text", id: "thinker", value: state.agent, list: "thinkers", "aria-label": "agent",
    onchange: (event) => { state.agent = event.target.value; },
  });
  const run = make("button", { type: "button", id: "run-think", disabled: state.thinking || frame().phase === "over", onclick: () => {
    state.agent = byId("thinker").value;
    think();
  } }, state.thinking ? "…" : "Think");
  const every = make("input", { type: "checkbox", id: "every", checked: state.everyStep, onchange: (event) => {
    state.everyStep = event.target.checked;
    if (state.everyStep) think();
  } });
  box.replaceChildren(
    make("h2", {}, "what would an agent do here?"),
    make("div", { class: "bar" }, name, make("datalist", { id: "thinkers" }, ...options), run,
      make("label", { class: "switch" }, every, "every step")),
    ...(state.thought ? drawThought(state.thought) : []),
  );
}

function drawThought(thought) {
  const parts = [];
  if (thought.win_shares) {
    const rows = thought.win_shares.map((share, seat) => make("tr", {},
      make("td", {}, state.names[seat]), make("td", { class: "number" }, percent(share)),
      make("td", { class: "number" }, thought.scores[seat].toFixed(1))));
    parts.push(make("table", { class: "prospects" },
      make("tr", {}, make("th", {}, "expects"), make("th", { class: "number" }, "wins"), make("th", { class: "number" }, "score")), ...rows));
  }
  if (thought.lead !== null) {
    const words = thought.lead < 0 ? "behind" : "ahead of";
    parts.push(make("div", { class: "lead" }, `expects to end ${Math.abs(thought.lead).toFixed(1)} gold ${words} the others' mean`));
  }
  const headings = [make("th", {}, "moves"), make("th", { class: "number" }, "share")];
  if (thought.unit) headings.push(make("th", { class: "number" }, thought.unit));
  if (thought.moves[0].visits !== null) headings.push(make("th", { class: "number" }, "visits"));
  const rows = thought.moves.map((move) => make("tr", { onclick: () => {
    state.about = move.at[0];
    draw();
  } },
  make("td", {}, move.words), make("td", { class: "number" }, percent(move.weight)),
  ...(move.value === null ? [] : [make("td", { class: "number" }, signed(move.value.toFixed(2)))]),
  ...(move.visits === null ? [] : [make("td", { class: "number" }, String(move.visits))])));
  const looked = `${thought.considered} of ${thought.legal} legal moves looked at; share: ${thought.weighed}`;
  parts.push(make("div", { class: "scroll" }, make("table", { class: "moves" }, make("tr", {}, ...headings), ...rows)));
  parts.push(make("small", { class: "quiet" }, looked));
  return parts;
}
