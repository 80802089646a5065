// The course of the game: stepping through it, and scores or win probabilities over it.

const STEP_SECONDS = 0.7;
const DASHES = [null, "9 4", "3 3", "10 3 2 3"];  // of the seats, beside their colours and signs

function go(ply) {
  const to = Math.max(0, Math.min(lastPly(), ply));
  if (to === state.ply) return;
  state.ply = to;
  state.about = null;
  state.thought = null;
  state.preview = bestAt(to);
  draw();
  speak(moveWords());
  if (state.everyStep) think();
}

// Go somewhere by hand: frames that are being shown one by one stop.
function skipTo(ply) {
  state.showing += 1;
  go(ply);
  if (atEnd() && state.source === "game") settle();
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

function moveWords() {
  const now = frame();
  const who = now.mover === null ? "" : `${nameOf(now.mover)}: `;
  const move = now.move === null ? t("the deal") : tr(now.move) + (now.auto ? ` (${t("automatic")})` : "");
  return who + move;
}

function drawTimeline() {
  const now = frame();
  byId("timeline").hidden = !now;
  if (!now) return;
  const slider = byId("slider");
  slider.max = lastPly();
  slider.value = state.ply;
  slider.setAttribute("aria-valuetext", moveWords());
  byId("count").textContent = `${state.ply} / ${lastPly()}`;
  byId("auto").textContent = state.playing ? "❚❚" : "▶▶";
  byId("auto").setAttribute("aria-label", t(state.playing ? "Stop" : "Play on"));
  for (const id of ["first", "back"]) byId(id).disabled = state.ply === 0;
  for (const id of ["forth", "last"]) byId(id).disabled = atEnd();
  byId("move").textContent = moveWords();
  byId("move").title = moveWords();
  byId("curve-kind").hidden = !state.review;
  for (const one of byId("curve-kind").children) one.setAttribute("aria-pressed", String(one.value === state.curve));
  drawCurve();
}

function drawCurve() {
  const box = byId("curve");
  const [width, height] = [box.clientWidth || 600, box.clientHeight || 76];
  const isWins = state.curve === "wins" && state.review;
  const series = isWins ? winSeries() : scoreSeries();
  const values = series.flatMap((one) => one.points.map((point) => point[1]));
  const [low, high] = isWins ? [0, 1] : [Math.min(...values, 0), Math.max(...values, 10)];
  const end = Math.max(1, lastPly());
  const x = (ply) => 34 + (width - 56) * ply / end;
  const y = (value) => height - 8 - (height - 16) * (value - low) / (high - low);
  const lines = series.flatMap((one) => drawLine(one, x, y));
  const marks = isWins ? gradedDecisions().map((one) => make("g", {},
    make("circle", { class: `mark ${one.grade}`, cx: x(one.ply), cy: y(one.shares[one.seat]), r: one.grade === "blunder" ? 5.5 : 4 }),
    make("title", {}, `${nameOf(one.seat)}: ${t(one.grade)} ${lossWords(one)}`))) : [];
  const axis = [low, high].map((value) => make("text", {
    x: 29, y: y(value) + 4, "font-size": 11, "text-anchor": "end", fill: "var(--shade)",
  }, isWins ? percent(value) : signed(value)));
  box.setAttribute("viewBox", `0 0 ${width} ${height}`);
  box.setAttribute("aria-label", t(isWins ? "Win probabilities over the moves" : "Scores over the moves"));
  box.replaceChildren(
    make("line", { x1: 34, x2: width - 22, y1: y(low < 0 ? 0 : low), y2: y(low < 0 ? 0 : low), stroke: "var(--line)" }), ...axis, ...lines, ...marks,
    make("line", { x1: x(state.ply), x2: x(state.ply), y1: 4, y2: height - 4, stroke: "var(--newest)", "stroke-width": 1.5 }),
  );
  box.onclick = (event) => {
    const at = (event.clientX - box.getBoundingClientRect().left) * width / box.clientWidth;
    skipTo(Math.round((at - 34) / (width - 56) * end));
  };
}

function scoreSeries() {
  return state.names.flatMap((_, seat) => ["gold", "score"].map((key) => ({
    seat,
    isMain: key === "score",
    title: key === "score" ? t("{name}: score if the game ended then", { name: nameOf(seat) }) : t("{name}: gold", { name: nameOf(seat) }),
    points: state.frames.map((one, ply) => [ply, one.seats[seat][key]]),
  })));
}

// A line of a seat: its colour, its dashes, and its sign at the end and along the way.
function drawLine({ seat, points, isMain, title }, x, y) {
  const line = make("polyline", {
    points: points.map(([ply, value]) => `${x(ply).toFixed(1)},${y(value).toFixed(1)}`).join(" "),
    fill: "none", stroke: `var(--seat${seat})`, "stroke-width": isMain ? 2.2 : 0.9, opacity: isMain ? null : 0.7,
    "stroke-dasharray": isMain ? DASHES[seat] : "1 3",
  }, make("title", {}, title));
  if (!isMain || !points.length) return [line];
  const step = Math.max(1, Math.floor(points.length / 4));
  const signs = points.filter((_, number) => number === points.length - 1 || (number + seat * 3) % step === step - 1);
  return [line, ...signs.map(([ply, value]) => make("use", {
    href: `#sign-${seat}`, x: x(ply) - 6, y: y(value) - 6, width: 12, height: 12, class: "sign",
  }))];
}

function watchTimeline() {
  byId("first").onclick = () => skipTo(0);
  byId("back").onclick = () => skipTo(state.ply - 1);
  byId("forth").onclick = () => skipTo(state.ply + 1);
  byId("last").onclick = () => skipTo(lastPly());
  byId("auto").onclick = () => playOn(!state.playing);
  byId("slider").oninput = (event) => skipTo(Number(event.target.value));
  for (const one of byId("curve-kind").children) {
    one.onclick = () => {
      state.curve = one.value;
      drawTimeline();
    };
  }
  new ResizeObserver(() => { if (frame()) drawCurve(); }).observe(byId("curve"));
}
