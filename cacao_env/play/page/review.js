// The review of a finished game: see cacao_env/play/review.py.

const GRADES = { inaccuracy: "?!", blunder: "??" };
const REVIEW_SECONDS = 0.6;  // between two questions how far a review is

const decisionAt = (ply) => state.review?.decisions.find((one) => one.ply === ply - 1);
const gradeAt = (ply) => decisionAt(ply)?.grade || null;
const gradedDecisions = () => state.review.decisions.filter((one) => one.grade);
const lossWords = (one) => t("−{n} gold", { n: one.gold.toFixed(1) });

const luckWords = (luck) => signed(`${luck > 0 ? "+" : ""}${Math.round(100 * luck)}%`);

// The best move beside the one that led to a frame, to be shown on the table.
function bestAt(ply) {
  const one = decisionAt(ply);
  return one && one.best !== one.move ? { ...one.best_parts, seat: one.seat } : null;
}

async function askReview() {
  const asked = { [state.source]: state.id };
  const isStillShown = () => state.source in asked && asked[state.source] === state.id;
  state.reviewing = { done: 0, total: 0 };
  draw();
  for (;;) {
    const answer = await tried(() => ask("/api/review", asked));
    if (!isStillShown()) return;
    state.reviewing = answer && !answer.review ? answer : null;
    if (answer?.review) takeReview(answer.review);
    draw();
    if (!state.reviewing) return;
    await sleep(REVIEW_SECONDS);
  }
}

function takeReview(review) {
  state.review = review;
  state.curve = "wins";
}

function winSeries() {
  return state.names.map((_, seat) => ({
    seat,
    isMain: true,
    title: t("{name}: probability to win", { name: nameOf(seat) }),
    points: [...state.review.decisions.map((one) => [one.ply, one.shares[seat]]), [lastPly(), state.review.result[seat]]],
  }));
}

function drawReview() {
  const box = byId("review");
  box.hidden = !state.review && !state.reviewing;
  if (box.hidden) return;
  if (state.reviewing) {
    const { done, total } = state.reviewing;
    return box.replaceChildren(make("h2", {}, t("Review")),
      make("progress", { id: "review-progress", value: done, max: Math.max(1, total), "aria-label": t("reviewed") }),
      ` ${t("{done} of {total} decisions", { done, total })}`);
  }
  box.replaceChildren(make("h2", {}, t("Review")), ...drawJudged(), drawSummaries(),
    make("small", { class: "quiet" }, t("Losses in gold against the best found; {n} or more is an inaccuracy, {m} a blunder. Judged by {judge} and playouts.", {
      n: state.review.thresholds.inaccuracy, m: state.review.thresholds.blunder, judge: state.review.judge,
    })));
}

// The decision that led to the frame shown.
function drawJudged() {
  const one = decisionAt(state.ply);
  if (!one) return [make("div", { class: "judged quiet" }, t("No decision here."))];
  const reach = one.exact || one.low === one.high ? "" : ` [${one.low.toFixed(1)}, ${one.high.toFixed(1)}]`;
  const isBest = one.best === one.move;
  const verdict = isBest ? t("the best move found") : `${one.grade ? `${t(one.grade)}: ` : ""}${lossWords(one)}${reach}`;
  const rows = [make("div", {}, make("strong", {}, nameOf(one.seat)), ` ${tr(one.move)}`), make("div", { class: one.grade || "fine" }, verdict)];
  if (!isBest) rows.push(make("div", { class: "best" }, `${t("best:")} ${tr(one.best)}`));
  return [make("div", { class: "judged" }, ...rows)];
}

function drawSummaries() {
  const decisions = state.review.decisions;
  const link = (number) => (number === null ? "–" : button(String(decisions[number].ply + 1), () => skipTo(decisions[number].ply + 1), {
    class: "link", title: tr(decisions[number].move),
  }));
  const head = ["", "mean loss", "?!", "??", "best", "worst", "luck"].map((text) =>
    make("th", { scope: "col", class: text ? "number" : null }, t(text)));
  const rows = state.review.seats.map((one, seat) => make("tr", {},
    make("th", { scope: "row" }, icon(`sign-${seat}`), ` ${breakable(nameOf(seat))}`),
    ...[one.mean_loss.toFixed(2), one.inaccuracies, one.blunders, link(one.best), link(one.worst), luckWords(one.luck)]
      .map((part) => { const cell = make("td", { class: "number" }); cell.append(part); return cell; })));
  return make("div", { class: "wide" }, make("table", { class: "summaries" }, make("tr", {}, ...head), ...rows));
}
