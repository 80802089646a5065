// Beside the table: whose decision it is, display and piles, village boards, temples, the result.

const DOING = { place: "to place a tile", fill: "to fill a jungle cell", act: "to act" };
const SOURCES = ["sales", "mines", "volcanoes", "water", "sun", "temples"];

function drawHeadline() {
  byId("headline").textContent = headline();
}

function headline() {
  const now = frame();
  if (!now) return t("No game yet");
  if (now.phase === "over") {
    const names = now.winners.map(nameOf).join(t(" and "));
    const isYou = now.winners.length === 1 && state.names[now.winners[0]] === "you";
    if (isYou) return t("The game is over: you win");
    return t(now.winners.length > 1 ? "The game is over: {names} win" : "The game is over: {names} wins", { names });
  }
  const values = { n: now.turn + 1, all: now.turns, name: nameOf(now.seat), doing: t(DOING[now.phase]) };
  return t(state.names[now.seat] === "you" ? "Turn {n} of {all}: you are {doing}" : "Turn {n} of {all}: {name} is {doing}", values);
}

function drawSupply() {
  const now = frame();
  const box = byId("supply");
  box.hidden = !now || now.phase === "over";
  if (box.hidden) return;
  const shown = now.display.map((kind) => pickable(kind, jungleIcon(kind), now.phase === "fill"));
  while (shown.length < 2) shown.push(make("span", { class: "none" }));
  const left = Object.entries(now.pile).map(([kind, count]) =>
    make("span", {}, jungleIcon(kind), String(count)));
  const head = now.overbuilding ? t("no jungle tiles left: a sun token pays for overbuilding") : t("jungle pile: {n}", { n: now.pile_size });
  box.replaceChildren(
    make("div", { class: "display" }, make("h2", {}, t("display")), ...shown),
    make("div", {}, make("h2", {}, head), make("div", { class: "kinds" }, ...left)),
  );
}

// A tile of the hand or the display: a button while it can be chosen.
function pickable(kind, drawn, isNow) {
  if (!isNow || !isChoosing() || !pickableTiles().includes(kind)) return drawn;
  const one = button("", (event) => {
    event.stopPropagation();
    pickTile(kind);
  }, { class: "pickable", "data-pick": kind, "aria-pressed": String(kind === state.pick.tile) });
  one.append(drawn);
  return one;
}

function drawSeats() {
  const now = frame();
  byId("seats").replaceChildren(...(now ? now.seats.map(drawSeat) : []));
}

function drawSeat(player, seat) {
  const now = frame();
  const isWinner = now.winners.includes(seat);
  const badge = isWinner ? "winner" : now.seat === seat ? "to decide" : now.active === seat ? "turn" : "";
  const left = Object.entries(player.left).map(([kind, count]) =>
    make("span", { title: t("{n} × {tile} not placed yet", { n: count, tile: edgesWords(kind) }) }, workerIcon(seat, kind), String(count)));
  const name = button(nameOf(seat), (event) => {
    event.stopPropagation();
    mark(seat);
  }, { class: "name", "aria-pressed": String(state.marked === seat), title: t("highlight these tiles") });
  const gold = button(signed(`${player.gold} (${player.score})`), (event) => {
    event.stopPropagation();
    state.opened = state.opened === seat ? null : seat;
    draw();
  }, { class: "gold", "aria-expanded": String(state.opened === seat), title: t("gold, and in brackets the score if the game ended now; click to see where it comes from") });
  const card = make("div", {
    class: "seat" + (now.seat === seat ? " deciding" : ""), "data-seat": seat, onclick: () => mark(seat),
  },
  make("div", { class: "head" }, icon(`sign-${seat}`), name, make("span", { class: "badge" }, badge ? t(badge) : ""), gold),
  make("div", { class: "body" },
    state.opened === seat ? breakdown([seat]) : null,
    make("div", { class: "row" }, make("span", { class: "quiet" }, t("water")),
      make("div", { class: "track", role: "img", "aria-label": t("water {n}", { n: player.worth }) }, ...FACTS.WATER.map((worth, field) =>
        make("i", { class: field === player.water ? "here" : null }, signed(worth))))),
    make("div", { class: "row" }, make("span", { class: "quiet" }, t("cacao")), pips(player.cacao, 5, "", t("cacao")),
      make("span", { class: "quiet" }, t("sun")), pips(player.sun, 3, "suns", t("sun")),
      make("span", { class: "quiet" }, `${t("temples")} ${templeGold(seat)}`)),
    make("div", { class: "row" }, drawHand(player, seat),
      make("span", { class: "quiet" }, t("pile {n}", { n: player.pile })),
      make("div", { class: "kinds" }, ...left))));
  card.style.setProperty("--own", `var(--seat${seat})`);
  card.style.setProperty("--light", `var(--light${seat})`);
  return card;
}

function mark(seat) {
  state.marked = state.marked === seat ? null : seat;
  draw();
}

function pips(count, places, kind, what) {
  const all = Array.from({ length: places }, (_, place) => make("i", { class: place < count ? "on" : null }));
  return make("div", { class: "pips " + kind, role: "img", "aria-label": `${what}: ${count} / ${places}` }, ...all);
}

const temples = () => frame().tiles.filter((tile) => tile.gold);
const templeGold = (seat) => temples().reduce((sum, tile) => sum + tile.gold[seat], 0);

function drawHand(player, seat) {
  const hand = handOf(seat) ?? Array(player.held).fill(null);
  const isNow = frame().seat === seat && frame().phase === "place";
  return make("div", { class: "hand" }, ...hand.map((kind) => (kind
    ? pickable(kind, workerIcon(seat, kind), isNow) : icon(`back-${seat}`, t("hidden")))));
}

// --- Where the gold comes from, temples, the end ------------------------------------------------

// The gold of some seats by source, a row a seat.
function breakdown(seats, ranks = null) {
  const now = frame();
  const kinds = SOURCES.filter((source) => source !== "volcanoes" || now.volcanoes).filter((source) => source !== "mines" || !now.volcanoes);
  const head = make("tr", {}, ...(seats.length > 1 ? [make("th", { scope: "col" }, "")] : []),
    ...kinds.map((source) => make("th", { scope: "col", class: "number" }, t(source))),
    make("th", { scope: "col", class: "number" }, t("score")));
  const rows = seats.map((seat) => make("tr", { "data-seat": seat },
    ...(seats.length > 1 ? [make("th", { scope: "row" }, ranks ? `${ranks[seat]}. ` : "", icon(`sign-${seat}`), ` ${breakable(nameOf(seat))}`)] : []),
    ...kinds.map((source) => make("td", { class: "number", "data-source": source }, signed(now.sources[seat][source]))),
    make("td", { class: "number" }, make("strong", {}, signed(now.seats[seat].score)))));
  return make("table", { class: "breakdown" }, head, ...rows);
}

function drawTemples() {
  const box = byId("temples");
  box.hidden = !frame() || !temples().length;
  if (box.hidden) return;
  byId("temples-list").replaceChildren(...temples().map((tile) => make("div", {},
    button(`${kindWords("temple")} ${cellWords([tile.row, tile.column])}`, () => {
      state.about = [tile.row, tile.column];
      draw();
    }, { class: "link" }), templeTable(tile))));
}

function drawResult() {
  const box = byId("result");
  const now = frame();
  box.hidden = !now || now.phase !== "over";
  if (box.hidden) return;
  const ahead = (a, b) => now.seats[a].score - now.seats[b].score || now.seats[a].cacao - now.seats[b].cacao;
  const order = now.seats.map((_, seat) => seat).sort((a, b) => ahead(b, a));
  const ranks = order.map((_, seat) => 1 + order.filter((other) => ahead(other, seat) > 0).length);
  const isTie = order.some((seat, place) => place > 0 && now.seats[seat].score === now.seats[order[place - 1]].score);
  const again = state.source === "game" ? [
    button(t("Rematch"), () => rematch(0), { id: "rematch", class: "main" }),
    button(t("Swap seats"), () => rematch(1), { id: "swap", title: t("another game in which the seats have moved on by one") }),
  ] : [];
  const judge = state.review || ALONE ? [] : [button(t("Review"), askReview, { id: "ask-review", disabled: state.reviewing !== null })];
  const save = state.source === "game" ? [make("a", { class: "button", href: `/api/games/${state.id}/record`, download: "" }, t("Save record"))] : [];
  box.replaceChildren(make("h2", {}, t("Result")), make("div", { class: "wide" }, breakdown(order, ranks)),
    isTie ? make("p", { class: "quiet tie" }, t("Of players with the same score, the one with more cacao ranks higher.")) : "", make("div", { class: "buttons" }, ...again, ...judge, ...save));
}
