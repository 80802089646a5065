// The game told: every move by turn with what it gained, and what is new since one's own last turn.

const GOODS = [
  ["gold", (seat) => seat.gold, "{n} gold"],
  ["cacao", (seat) => seat.cacao, "{n} cacao"],
  ["sun", (seat) => seat.sun, "{n} sun"],
  ["water", (seat) => seat.water, "{n} water"],
];

// What a move changed for a seat, in words; "" for nothing.
function gains(ply, seat) {
  const [before, after] = [state.frames[ply - 1], state.frames[ply]];
  const parts = GOODS.map(([, of, text]) => [of(after.seats[seat]) - of(before.seats[seat]), text])
    .filter(([n]) => n !== 0).map(([n, text]) => t(text, { n: plus(n) }));
  const temple = after.sources[seat].temples - before.sources[seat].temples;
  if (temple) parts.push(t("{n} at temples", { n: plus(temple) }));
  return parts.join(" ");
}

function allGains(ply) {
  const mover = state.frames[ply].mover;
  const seats = state.names.map((_, seat) => seat).sort((a, b) => (b === mover) - (a === mover));
  return seats.map((seat) => [seat, gains(ply, seat)]).filter(([, text]) => text)
    .map(([seat, text]) => (seat === mover ? text : `${nameOf(seat)} ${text}`)).join("; ");
}

function drawLog() {
  const box = byId("log");
  box.hidden = !frame();
  if (box.hidden) return;
  const list = byId("log-list");
  const key = [state.source, state.id, state.changes, lastPly(), Boolean(state.review)].join();
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...logTurns());
  }
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = list.querySelector(`[data-ply="${state.ply}"]`);
  if (!line) return;
  line.setAttribute("aria-current", "step");
  const [top, bottom] = [line.offsetTop - list.offsetTop, line.offsetTop - list.offsetTop + line.offsetHeight];
  if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}

function logTurns() {
  const parts = [];
  let turn = -1;
  state.frames.forEach((one, ply) => {
    if (ply === 0) return;
    const before = state.frames[ply - 1];
    if (before.turn !== turn) {
      turn = before.turn;
      parts.push(turnHead(ply, before));
    }
    parts.push(logLine(one, ply));
  });
  return parts;
}

function turnHead(ply, before) {
  let end = ply;
  while (end < lastPly() && state.frames[end].turn === before.turn) end += 1;
  const worth = state.frames[end].seats[before.active].score - before.seats[before.active].score;
  return make("h3", {}, icon(`sign-${before.active}`), ` ${t("turn {n}", { n: before.turn + 1 })}: ${nameOf(before.active)} `,
    make("span", { class: "quiet" }, t("score {n}", { n: plus(worth) })));
}

function logLine(one, ply) {
  const who = one.mover === state.frames[ply - 1].active ? "" : `${nameOf(one.mover)}: `;
  const grade = gradeAt(ply);
  const lost = decisionAt(ply)?.gold ?? 0;
  const line = button("", () => skipTo(ply), { class: lost >= 0.05 ? "line judged" : "line", "data-ply": ply });
  line.append(`${who}${tr(one.move)}`, make("small", {}, allGains(ply)));
  if (lost >= 0.05) {
    line.append(make("b", { class: grade ?? "quiet", title: t("gold lost against the best move found") }, `−${lost.toFixed(1)}`,
      ...(grade ? [` ${GRADES[grade]}`, make("span", { class: "sr" }, t(grade))] : [])));
  }
  return line;
}

// --- What is new --------------------------------------------------------------------------------

// The cells that have changed. In a game: since the last turn of the person to move. In a record: by the last move.
function newCells() {
  const now = frame();
  if (state.source !== "game" || !state.people.length || !atEnd()) return now.at;
  const me = state.people.includes(now.seat) ? now.seat : state.people[0];
  let from = state.ply;
  while (from > 0 && state.frames[from - 1].active !== me) from -= 1;
  const news = state.frames.slice(from + 1, state.ply + 1).flatMap((one) => one.at);
  return uniqueCells(news.length ? news : now.at);
}

const SHOWN_SECONDS = 0.35;  // of each move of others

// Show frames one by one up to the last; a step by hand stops it.
async function showFrom(ply) {
  const run = ++state.showing;
  for (let next = ply; next <= lastPly(); next += 1) {
    state.ply = next;
    draw();
    if (next < lastPly()) await sleep(SHOWN_SECONDS);
    if (run !== state.showing) return false;
  }
  return true;
}
