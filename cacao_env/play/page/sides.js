// Beside the table: whose decision it is, display and piles, the village boards.

const DOING = { place: "to place a tile", fill: "to fill a jungle cell", act: "to act" };

function drawHeadline() {
  const now = frame();
  const box = byId("headline");
  if (!now) return box.replaceChildren("No game yet");
  if (now.phase === "over") {
    const names = now.winners.map((seat) => state.names[seat]);
    const verb = names.length > 1 || names[0] === "you" ? "win" : "wins";
    return box.replaceChildren(`The game is over: ${names.join(" and ")} ${verb}`);
  }
  const name = state.names[now.seat];
  const are = name === "you" ? "you are" : `${name} is`;
  box.replaceChildren(`Turn ${now.turn + 1} of ${now.turns}: ${are} ${DOING[now.phase]}`);
}

function drawSupply() {
  const now = frame();
  const box = byId("supply");
  box.hidden = !now;
  if (!now) return;
  const shown = now.display.map((kind) => jungleIcon(kind));
  while (shown.length < 2) shown.push(make("span", { class: "none" }));
  const left = Object.entries(now.pile).map(([kind, count]) =>
    make("span", {}, jungleIcon(kind), String(count)));
  box.replaceChildren(
    make("div", { class: "display" }, make("h2", {}, "display"), ...shown),
    make("div", {}, make("h2", {}, now.overbuilding ? "jungle tiles used up: overbuild for a sun token" : `jungle pile: ${now.pile_size}`),
      make("div", { class: "kinds" }, ...left)),
  );
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
    make("span", { title: `${count} × ${[...kind].join("-")} not placed yet` }, workerIcon(seat, kind), String(count)));
  const card = make("div", {
    class: "seat" + (now.seat === seat ? " deciding" : ""), "data-seat": seat, role: "button", tabindex: 0,
    title: "click: make these tiles stand out", "aria-pressed": String(state.marked === seat),
    onclick: () => mark(seat), onkeydown: (event) => { if (event.key === "Enter") mark(seat); },
  },
  make("div", { class: "head" }, icon(`sign-${seat}`), make("span", { class: "name" }, state.names[seat]),
    make("span", { class: "badge" }, badge),
    make("span", { class: "gold", title: "gold, and in brackets the score if the game ended now" }, signed(`${player.gold} (${player.score})`))),
  make("div", { class: "body" },
    make("div", { class: "row" }, make("span", { class: "quiet" }, "water"),
      make("div", { class: "track" }, ...FACTS.WATER.map((worth, field) =>
        make("i", { class: field === player.water ? "here" : null }, signed(worth))))),
    make("div", { class: "row" }, make("span", { class: "quiet" }, "cacao"), pips(player.cacao, 5, ""),
      make("span", { class: "quiet" }, "sun"), pips(player.sun, 3, "suns"),
      make("span", { class: "quiet" }, `temples ${templeGold(seat)}`)),
    make("div", { class: "row" }, drawHand(player, seat),
      make("span", { class: "quiet" }, `pile ${player.pile}`),
      make("div", { class: "kinds", "aria-label": "not placed yet" }, ...left))));
  card.style.setProperty("--own", `var(--seat${seat})`);
  card.style.setProperty("--light", `var(--light${seat})`);
  return card;
}

function mark(seat) {
  state.marked = state.marked === seat ? null : seat;
  draw();
}

function pips(count, places, kind) {
  const all = Array.from({ length: places }, (_, place) => make("i", { class: place < count ? "on" : null }));
  return make("div", { class: "pips " + kind, "aria-label": `${count} of ${places}` }, ...all);
}

function templeGold(seat) {
  return frame().tiles.reduce((sum, tile) => sum + (tile.gold ? tile.gold[seat] : 0), 0);
}

function drawHand(player, seat) {
  const hand = handOf(seat) ?? Array(player.held).fill(null);
  return make("div", { class: "hand" }, ...hand.map((kind) => (kind ? workerIcon(seat, kind) : icon(`back-${seat}`, "hidden"))));
}
