// What an agent makes of the position shown, and hints.

const TIMES = [0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];  // seconds of the sliders; 0: as the name says

async function think() {
  const now = frame();
  if (!now || now.phase === "over" || ALONE) return;
  const asked = { [state.source]: state.id, ply: state.ply, agent: timed(state.agent, think.time ?? 0) };
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

// Show what the strongest agent would do now.
async function hint() {
  const asked = { game: state.id, ply: state.ply, agent: state.agents[0].name };
  state.thinking = true;
  draw();
  const thought = await tried(() => ask("/api/think", asked));
  state.thinking = false;
  if (thought && asked.ply === state.ply && asked.game === state.id && isChoosing()) {
    const best = thought.moves[0];
    const choice = state.choices.find((one) => one.action === best.action);
    if (choice) point(choice);
    const share = thought.win_shares ? ` (${t("wins {share}", { share: percent(thought.win_shares[thought.seat]) })})` : "";
    state.hint = `${t("Hint:")} ${tr(best.words)}${share}`;
    speak(state.hint);
  }
  draw();
}

// An agent's name with a time to think, where it has one.
function timed(name, seconds) {
  const [base] = name.split(/[+:]/);
  const known = state.agents.find((one) => one.name === name);
  if (!seconds || !(known?.timed ?? name !== base)) return name;
  const isBot = name.includes(":") && !name.includes("+");
  return `${base}${isBot ? ":" : "+search:"}ms=${1000 * seconds}`;
}

function timeSlider(id, value, onchange) {
  const told = make("output", { for: id });
  const words = (number) => (number ? t("{n} s a decision", { n: TIMES[number] }) : t("thinking time as listed"));
  const slider = make("input", {
    type: "range", id, min: 0, max: TIMES.length - 1, value: TIMES.indexOf(value), "aria-label": t("thinking time"),
    "aria-valuetext": words(TIMES.indexOf(value)),
    oninput: () => {
      told.textContent = words(Number(slider.value));
      slider.setAttribute("aria-valuetext", told.textContent);
      onchange(TIMES[slider.value]);
    },
  });
  told.textContent = words(TIMES.indexOf(value));
  return make("span", { class: "time" }, slider, told);
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
  box.hidden = Boolean(ALONE) || !frame() || frame().phase === "over";
  if (box.hidden || box.contains(document.activeElement) && document.activeElement.matches("input[type=text], input[type=range]") && !state.thinking && !state.thought) return;
  const kept = box.contains(document.activeElement) ? document.activeElement.id : "";
  const options = state.agents.map((agent) => make("option", { value: agent.name }, strengthWords(agent)));
  const name = make("input", {
    type: "text", id: "thinker", value: state.agent, list: "thinkers", "aria-label": t("agent"),
    onchange: (event) => { state.agent = event.target.value; },
  });
  const run = button(state.thinking ? "…" : t("Think"), () => {
    state.agent = byId("thinker").value;
    think();
  }, { id: "run-think", disabled: state.thinking });
  const every = make("input", { type: "checkbox", id: "every", checked: state.everyStep, onchange: (event) => {
    state.everyStep = event.target.checked;
    if (state.everyStep) think();
  } });
  box.replaceChildren(
    make("h2", {}, t("what would an agent do here?")),
    make("div", { class: "bar" }, name, make("datalist", { id: "thinkers" }, ...options), run,
      make("label", { class: "switch" }, every, t("every step")), timeSlider("think-time", think.time ?? 0, (time) => { think.time = time; })),
    ...(state.thought ? drawThought(state.thought) : []),
  );
  if (kept) byId(kept)?.focus();
}

function drawThought(thought) {
  const parts = [];
  if (thought.win_shares) {
    const rows = thought.win_shares.map((share, seat) => make("tr", {},
      make("td", {}, nameOf(seat)), make("td", { class: "number" }, percent(share)),
      make("td", { class: "number" }, thought.scores[seat].toFixed(1))));
    parts.push(make("table", { class: "prospects" },
      make("tr", {}, make("th", {}, t("expects")), make("th", { class: "number" }, t("wins")), make("th", { class: "number" }, t("score"))), ...rows));
  }
  if (thought.lead !== null) {
    const text = thought.lead < 0 ? "expects to end {n} gold behind the others' mean" : "expects to end {n} gold ahead of the others' mean";
    parts.push(make("div", { class: "lead" }, t(text, { n: Math.abs(thought.lead).toFixed(1) })));
  }
  const headings = [make("th", {}, t("moves")), make("th", { class: "number" }, t("share"))];
  if (thought.unit) headings.push(make("th", { class: "number" }, tr(thought.unit)));
  if (thought.moves[0].visits !== null) headings.push(make("th", { class: "number" }, t("visits")));
  const looked = t("{n} of {all} legal moves considered; share: {weighed}", { n: thought.considered, all: thought.legal, weighed: tr(thought.weighed) });
  parts.push(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("moves") }, make("table", { class: "moves" }, make("tr", {}, ...headings), ...thought.moves.map(thoughtRow))));
  parts.push(make("small", { class: "quiet" }, looked));
  return parts;
}

// A line of Think: pointing at it shows the move on the table, a click plays it where one may.
function thoughtRow(move) {
  const show = (preview) => {
    state.preview = preview;
    drawTable();
  };
  const choice = isChoosing() ? state.choices.find((one) => one.action === move.action) : null;
  const line = button(tr(move.words), () => {
    if (choice) play(choice);
    else show(move);
  }, { class: "link", title: choice ? t("play this") : t("show this") , onfocus: () => show(move), onblur: () => show(null) });
  return make("tr", { onpointerenter: () => show(move), onpointerleave: () => show(null) },
    make("td", {}, line), make("td", { class: "number" }, percent(move.weight)),
    ...(move.value === null ? [] : [make("td", { class: "number" }, signed(move.value.toFixed(2)))]),
    ...(move.visits === null ? [] : [make("td", { class: "number" }, String(move.visits))]));
}
