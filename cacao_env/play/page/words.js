// Languages.  English texts stand in the code; a language is one file, XX.json, of English text to its own.
// Texts of the server go through the same table: a {name} in it stands for any words.

const LANGUAGES = { en: {}, ...FACTS.LANGUAGES };
const language = chosenLanguage();
const TEXTS = LANGUAGES[language];
const PATTERNS = Object.entries(TEXTS).filter(([english]) => english.includes("{"))
  .sort((one, other) => literal(other[0]) - literal(one[0])).map(([english, own]) => pattern(english, own));

function chosenLanguage() {
  const kept = keptSetting("language");
  const wished = [kept, ...navigator.languages.map((one) => one.slice(0, 2))];
  return wished.find((one) => one in LANGUAGES) ?? "en";
}

// Settings of this browser; where it keeps none, they last as long as the page.
function keptSetting(name) {
  try {
    return localStorage.getItem(`cacao ${name}`);
  } catch {
    return null;
  }
}

function keepSetting(name, value) {
  try {
    localStorage.setItem(`cacao ${name}`, value);
  } catch {
    // a private window, or a page in a file
  }
}

function literal(english) {
  return english.replace(/\{\w+\}/g, "").length;
}

function pattern(english, own) {
  const names = [...english.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
  const source = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "(.+?)");
  return { match: new RegExp(`^${source}$`), names, own };
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

// A text of the page in the language chosen.
const t = (english, values = {}) => filled(TEXTS[english] ?? english, values);

// A text of the server in the language chosen, as far as the table has its parts.
function tr(text) {
  if (!text || language === "en") return text;
  if (TEXTS[text] !== undefined) return TEXTS[text];
  for (const separator of ["; ", ", "]) {
    if (text.includes(separator)) return text.split(separator).map(tr).join(separator);
  }
  for (const { match, names, own } of PATTERNS) {
    const found = match.exec(text);
    if (found) return filled(own, Object.fromEntries(names.map((name, number) => [name, tr(found[number + 1])])));
  }
  const [, who, what] = /^([^:]+): (.+)$/.exec(text) ?? [];
  return who ? `${tr(who)}: ${tr(what)}` : text;
}

// The page's own texts: elements with data-t have English ones.
function translatePage() {
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-t]")) {
    for (const name of ["aria-label", "title"]) {
      if (one.hasAttribute(name)) one.setAttribute(name, t(one.getAttribute(name)));
    }
    if (!one.firstElementChild && one.textContent.trim()) one.textContent = t(one.textContent.trim());
  }
  const choice = byId("language");
  const names = { en: "English", ...Object.fromEntries(Object.entries(FACTS.LANGUAGES).map(([key, texts]) => [key, texts.English])) };
  choice.replaceChildren(...Object.entries(names).map(([key, name]) => make("option", { value: key, selected: key === language }, name)));
  choice.onchange = () => {
    keepSetting("language", choice.value);
    location.reload();
  };
}
