// The rules with pictures, and the keys.

const RULES = [
  ["", "Each player grows and sells cacao along the river. Whoever has most gold at the end wins; ties go to the player with more cacao.", []],
  ["A turn", "Place one of the three worker tiles in your hand beside a jungle tile, side to side. Worker tiles never touch each other by a side. Its four sides have 0 to 3 workers; turn it as you like.", ["w-0-2101", "w-0-1111", "w-0-3001", "w-0-3100"]],
  ["The jungle grows", "Every empty cell that now lies beside two worker tiles is filled with a jungle tile of your choice from the display.", []],
  ["Workers act", "Every worker side that touches a new jungle tile, and every side of your new tile, acts – also those of the others. Each side acts once, with all its workers or fewer.", []],
  ["Plantation", KIND_WORDS.plantation, ["j-plantation1", "j-plantation2"]],
  ["Market", KIND_WORDS.market, ["j-market2", "j-market3", "j-market4"]],
  ["Gold mine", KIND_WORDS.mine, ["j-mine1", "j-mine2"]],
  ["Water", "Each worker that acts here carries water one field along the track. The track begins at −10 and ends at 16; the field reached counts at the end.", ["j-water"]],
  ["Sun-worshiping site", KIND_WORDS.sun, ["j-sun"]],
  ["Temple", KIND_WORDS.temple, ["j-temple"]],
  ["Volcano", KIND_WORDS.volcano, ["j-volcano"]],
  ["Overbuilding", "Once the jungle pile and the display are empty, a sun token pays for covering one of your own worker tiles with a tile of your hand. A tile can be covered once. Only the tile on top counts for temples.", ["w-1-3100"]],
  ["The end", "When all worker tiles are placed, water, sun tokens and temples are added to the coins.", []],
];
const KEY_WORDS = [
  ["1 … 5", "choose a tile"], ["Tab, ↑ ↓ ← →", "reach the table and move its cursor"], ["n, p", "cursor to the next or previous cell that can be chosen"],
  ["Space", "choose the cell, again: turn the tile"], ["R, Shift+R", "turn the tile"], ["Enter", "confirm"], ["Esc", "choose nothing"],
  ["← →, Home, End", "step through the game"], ["Space", "play on, outside of the table"], ["F, +, −", "show all, closer, farther"],
];

function openRules() {
  const dialog = byId("rules");
  const parts = RULES.map(([head, text, tiles]) => make("section", {}, head ? make("h2", {}, t(head)) : "",
    tiles.length ? make("div", { class: "tiles" }, ...tiles.map((tile) => icon(tile))) : "", make("p", {}, t(text))));
  const keys = KEY_WORDS.map(([key, text]) => make("tr", {}, make("th", { scope: "row" }, key), make("td", {}, t(text))));
  dialog.replaceChildren(make("h1", {}, t("The rules of Cacao")), make("div", { class: "rules", tabindex: 0, role: "region", "aria-label": t("Rules") }, ...parts,
    make("section", {}, make("h2", {}, t("Keys")), make("table", {}, ...keys))),
  make("div", { class: "end" }, button(t("Close"), () => dialog.close(), { class: "main" })));
  dialog.showModal();
}
