// The rules, from rules.md (cacao_env/play/rulebook.py), and the keys.

const KEY_WORDS = [
  ["1 … 5", "choose a tile"], ["Tab, ↑ ↓ ← →", "reach the table and move its cursor"], ["n, p", "cursor to the next or previous cell that can be chosen"],
  ["Space", "choose the cell, again: turn the tile"], ["R, Shift+R", "turn the tile"], ["Enter", "confirm"], ["Esc", "cancel the choice"],
  ["← →, Home, End", "step through the game"], ["Space", "play on; not while the table has the focus"], ["F, +, −", "show all, closer, farther"],
];

function rulesPicture({ name, words, size: [width, height] }) {
  return make("svg", { viewBox: `0 0 ${width} ${height}`, width: 0.5 * width, height: 0.5 * height, role: "img", "aria-label": t(words) }, make("title", {}, t(words)),
    make("use", { href: `#rules-${name}` }));
}

function rulesBlock({ head, text, items, numbered, picture, rows }) {
  if (head) return make("h2", {}, t(head));
  if (picture) return rulesPicture(picture);
  if (items) return make(numbered ? "ol" : "ul", {}, ...items.map((one) => make("li", {}, t(one))));
  if (!rows) return make("p", {}, t(text));
  const [names, ...tiles] = rows;
  return make("table", {}, make("tr", {}, ...names.map((one) => make("th", { scope: "col" }, t(one)))),
    ...tiles.map(([drawn, ...words]) => make("tr", {}, make("td", {}, rulesPicture(drawn)), ...words.map((one) => make("td", {}, t(one))))));
}

function openRules() {
  const dialog = byId("rules");
  const keys = KEY_WORDS.map(([key, text]) => make("tr", {}, make("th", { scope: "row" }, t(key)), make("td", {}, t(text))));
  dialog.replaceChildren(make("h1", {}, t("The rules of Cacao")), make("div", { class: "rules", tabindex: 0, role: "region", "aria-label": t("Rules") },
    ...FACTS.RULES.map(rulesBlock), make("h2", {}, t("Keys")), make("table", {}, ...keys)),
  make("div", { class: "end" }, button(t("Close"), () => dialog.close(), { class: "main" })));
  dialog.showModal();
}
