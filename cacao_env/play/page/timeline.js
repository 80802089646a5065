// The course of the game: stepping through it, and the scores over it.

const STEP_SECONDS = 0.7;

function go(ply) {
  const to = Math.max(0, Math.min(state.frames.length - 1, ply));
  if (to === state.ply) return;
  state.ply = to;
  state.about = null;
  state.thought = null;
  draw();
  if (state.everyStep) think();
}

function playOn(on) {
  state.playing = on && state.frames.length > 1;
  clearInterval(playOn.timer);
  if (state.playing) {
    if (atEnd()) go(0);
    playOn.timer = setInterval(() => {
      if (atEnd()) playOn(false);
      else go(state.ply + 1);
    }, 1000 * STEP_SECONDS);
  }
  drawTimeline();
}

function drawTimeline() {
  const now = frame();
  byId("timeline").hidden = !now;
  if (!now) return;
  const end = state.frames.length - 1;
  const slider = byId("slider");
  slider.max = end;
  slider.value = state.ply;
  byId("count").textContent = `${state.ply} / ${end}`;
  byId("auto").textContent = state.playing ? "❚❚" : "▶▶";
  for (const id of ["first", "back"]) byId(id).disabled = state.ply === 0;
  for (const id of ["forth", "last"]) byId(id).disabled = atEnd();
  const who = now.mover === null ? "" : `${state.names[now.mover]}: `;
  const move = now.move === null ? "the deal" : now.move + (now.auto ? " (automatic)" : "");
  byId("move").replaceChildren(make("span", { class: "quiet" }, who), move);
  byId("move").title = who + move;
  drawCurve();
}

function drawCurve() {
  const box = byId("curve");
  const [width, height] = [box.clientWidth || 600, box.clientHeight || 76];
  const end = Math.max(1, state.frames.length - 1);
  const series = state.names.flatMap((_, seat) => [
    { seat, key: "gold", values: state.frames.map((one) => one.seats[seat].gold) },
    { seat, key: "score", values: state.frames.map((one) => one.seats[seat].score) },
  ]);
  const values = series.flatMap((one) => one.values);
  const low = Math.min(...values, 0);
  const high = Math.max(...values, 10);
  const x = (ply) => 30 + (width - 40) * ply / end;
  const y = (value) => height - 8 - (height - 16) * (value - low) / (high - low);
  const lines = series.map((one) => make("polyline", {
    points: one.values.map((value, ply) => `${x(ply).toFixed(1)},${y(value).toFixed(1)}`).join(" "),
    fill: "none", stroke: `var(--seat${one.seat})`, "stroke-width": one.key === "score" ? 2.2 : 1.2,
    "stroke-dasharray": one.key === "score" ? null : "3 3",
  }, make("title", {}, `${state.names[one.seat]}: ${one.key === "score" ? "score if it ended then" : "gold"}`)));
  const axis = [low, high].map((value) => make("text", {
    x: 25, y: y(value) + 4, "font-size": 11, "text-anchor": "end", fill: "var(--shade)",
  }, signed(value)));
  box.setAttribute("viewBox", `0 0 ${width} ${height}`);
  box.replaceChildren(
    make("line", { x1: 30, x2: width - 10, y1: y(0), y2: y(0), stroke: "var(--line)" }), ...axis, ...lines,
    make("line", { x1: x(state.ply), x2: x(state.ply), y1: 4, y2: height - 4, stroke: "var(--newest)", "stroke-width": 1.5 }),
  );
  box.onclick = (event) => {
    const at = (event.clientX - box.getBoundingClientRect().left) * width / box.clientWidth;
    go(Math.round((at - 30) / (width - 40) * end));
  };
}

function watchTimeline() {
  byId("first").onclick = () => go(0);
  byId("back").onclick = () => go(state.ply - 1);
  byId("forth").onclick = () => go(state.ply + 1);
  byId("last").onclick = () => go(state.frames.length - 1);
  byId("auto").onclick = () => playOn(!state.playing);
  byId("slider").oninput = (event) => go(Number(event.target.value));
  new ResizeObserver(() => { if (frame()) drawCurve(); }).observe(byId("curve"));
}
