// The rules with pictures, and the keys.

const RULES = [
  ["", "Each player grows and sells cacao. The player with the most gold at the end wins; of players with the same gold, the one with more cacao.", []],
  ["A turn", "Place one of the three worker tiles in your hand next to a jungle tile, side by side. Two worker tiles never share a side. A tile has 0 to 3 workers on each of its four sides; turn it as you like.", ["w-0-2101", "w-0-1111", "w-0-3001", "w-0-3100"]],
  ["The jungle grows", "You fill every empty cell that now lies beside two worker tiles with a jungle tile of your choice from the display.", []],
  ["Workers act", "The workers of your new tile act at the jungle tiles beside it. At a new jungle tile the workers of all players beside it act. The workers of a side act together and only once; you may let some or all of them do nothing.", []],
  ["Plantation", KIND_WORDS.plantation, ["j-plantation1", "j-plantation2"]],
  ["Market", KIND_WORDS.market, ["j-market2", "j-market3", "j-market4"]],
  ["Gold mine", KIND_WORDS.mine, ["j-mine1", "j-mine2"]],
  ["Water", "Each worker that acts here carries water one field along the track. The track begins at −10 and ends at 16; the field reached counts at the end.", ["j-water"]],
  ["Sun-worshiping site", KIND_WORDS.sun, ["j-sun"]],
  ["Temple", KIND_WORDS.temple, ["j-temple"]],
  ["Volcano", KIND_WORDS.volcano, ["j-volcano"]],
  ["Overbuilding", "Once the jungle pile and the display are empty, you may pay a sun token to place a tile on top of one of your own worker tiles. Its workers act as usual. A tile can be overbuilt only once. Only the tile on top counts for temples.", ["w-1-3100"]],
  ["The end", "The game ends when all worker tiles are placed. The value of your water field, your sun tokens and your temples are added to your coins.", []],
];
const KEY_WORDS = [
  ["1 … 5", "choose a tile"], ["Tab, ↑ ↓ ← →", "reach the table and move its cursor"], ["n, p", "cursor to the next or previous cell that can be chosen"],
  ["Space", "choose the cell, again: turn the tile"], ["R, Shift+R", "turn the tile"], ["Enter", "confirm"], ["Esc", "cancel the choice"],
  ["← →, Home, End", "step through the game"], ["Space", "play on; not while the table has the focus"], ["F, +, −", "show all, closer, farther"],
];

function openRules() {
  const dialog = byId("rules");
  const parts = RULES.map(([head, text, tiles]) => make("section", {}, head ? make("h2", {}, t(head)) : "",
    tiles.length ? make("div", { class: "tiles" }, ...tiles.map((tile) => icon(tile))) : "", make("p", {}, t(text))));
  const keys = KEY_WORDS.map(([key, text]) => make("tr", {}, make("th", { scope: "row" }, t(key)), make("td", {}, t(text))));
  dialog.replaceChildren(make("h1", {}, t("The rules of Cacao")), make("div", { class: "rules", tabindex: 0, role: "region", "aria-label": t("Rules") }, ...parts,
    make("section", {}, make("h2", {}, t("Keys")), make("table", {}, ...keys))),
  make("div", { class: "end" }, button(t("Close"), () => dialog.close(), { class: "main" })));
  dialog.showModal();
}
