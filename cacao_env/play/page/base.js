// What is shown, how it is asked for, and small helpers.  Every change of `state` is followed by draw().

const state = {
  source: null,      // "record", "game", or null
  id: null,
  title: "",
  frames: [],        // positions, see cacao_env/play/position.py and history.py
  names: [],
  seats: [],         // of a game: "human" or an agent's name
  peopleNames: [],   // given names, "" for none
  volcanoes: false,
  people: [],        // seats of people
  ply: 0,            // the frame shown
  choices: [],       // of the person who decides, at the last frame
  awaits: null,      // "person", "agent" or null
  canUndo: false,
  over: true,
  changes: 0,        // how often the game has changed, as the server counts
  hands: true,       // all hands are shown, where that is allowed
  marked: null,      // the seat whose tiles stand out
  opened: null,      // the seat whose score is broken down
  about: null,       // the cell that is explained
  cursor: null,      // the cell that the keyboard points at
  lifted: new Set(), // overbuilt tiles that show what lies below, by "row,column"
  pick: { tile: null, cell: null, hover: null, turn: 0 },
  preview: null,     // a move that is shown on the table without being played
  hint: null,
  thought: null,
  thinking: false,
  agent: "",         // that thinks
  agents: [],
  everyStep: false,  // think at every step
  playing: false,
  paused: false,     // agents wait
  showing: 0,        // counts runs of frames shown one by one; the latest goes on
  busy: false,       // a request that changes the game is under way
  review: null,
  reviewing: null,   // { done, total } while a review is made
  curve: "scores",   // or "wins"
  curtain: null,     // the seat that the screen is handed over to
  shownTo: null,     // the seat whose hand was shown last
  noCurtain: false,
};
const ALONE = JSON.parse(document.getElementById("data").textContent);  // an exported game, or null
const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = ["svg", "use", "g", "rect", "circle", "ellipse", "text", "path", "line", "polyline", "polygon", "title"];
const byId = (id) => document.getElementById(id);
const frame = () => state.frames[state.ply];
const lastPly = () => state.frames.length - 1;
const atEnd = () => state.ply === lastPly();
const same = (a, b) => Boolean(a && b && a[0] === b[0] && a[1] === b[1]);
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

function make(tag, attributes = {}, ...children) {
  const one = SVG_TAGS.includes(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else one.setAttribute(name, value === true ? "" : value);
  }
  one.append(...children.filter((child) => child !== null && child !== undefined));
  return one;
}

const button = (text, onclick, more = {}) => make("button", { type: "button", onclick, ...more }, text);

function icon(name, label = "") {
  const use = make("use", { href: "#" + name });
  const spoken = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return make("svg", { viewBox: "0 0 100 100", ...spoken }, ...(label ? [make("title", {}, label)] : []), use);
}
const edgesWords = (kind) => [...kind].join("-");
const workerIcon = (seat, kind) => icon(`w-${seat}-${kind}`, edgesWords(kind));
const jungleIcon = (kind, turned = false) => icon(jungleName(kind, turned), kindWords(kind));
const jungleName = (kind, turned) => `j-${kind}${turned ? "-turned" : ""}`;
const signed = (text) => String(text).replace("-", "−");
const plus = (number) => (number > 0 ? `+${number}` : signed(number));
const kindWords = (kind) => tr(kind.replace(/(\d)/, " $1"));
const breakable = (name) => name.replace(/[:+]/g, "$&\u200b");  // long names wrap there
const cellWords = (cell) => `${cell[0]},${cell[1]}`;
const nameOf = (seat) => tr(state.names[seat]);

function say(text, good = false) {
  const box = byId("message");
  (document.querySelector("dialog[open]") ?? document.body).append(box);  // above a dialog's backdrop
  box.textContent = tr(text);
  box.className = good ? "good" : "";
  box.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { box.hidden = true; }, good ? 2500 : 12000);
}

// Words for people who listen to the page.
function speak(text) {
  byId("live").textContent = text;
}

const RETRIES = [0.5, 1, 2, 4];  // seconds before a failed request is sent again
let waiting = 0;  // requests that may have to wait for a compilation

async function ask(address, body = undefined, { raw = false, quiet = false } = {}) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: raw ? body : JSON.stringify(body),
  };
  const watching = quiet ? null : setInterval(showCompiling, 700);
  if (!quiet) waiting += 1;
  try {
    for (const [number, seconds] of [...RETRIES, null].entries()) {
      const answer = await fetch(address, options).catch(() => null);
      if (answer && answer.status !== 503) {
        if (number && !quiet) byId("message").hidden = true;
        const data = await answer.json().catch(() => ({ error: "the viewer gave no answer" }));
        if (answer.ok) return data;
        throw Object.assign(new Error(data.error), { status: answer.status });
      }
      if (quiet) break;
      const why = answer ? t("The viewer is busy.") : t("The viewer does not answer.");
      if (seconds === null) throw new Error(`${why} ${t("Is it still running?")}`);
      say(`${why} ${t("Trying again ({n} of {all}) …", { n: number + 1, all: RETRIES.length })}`);
      await sleep(seconds);
    }
    throw new Error(t("The viewer does not answer."));
  } finally {
    clearInterval(watching);
    if (!quiet) waiting -= 1;
    if (!waiting) byId("compiling").hidden = true;
  }
}

// A request that takes long may be the first of its kind: show how far the compilation is.
async function showCompiling() {
  const now = await fetch("/api/compiling").then((answer) => answer.json()).catch(() => ({}));
  const box = byId("compiling");
  box.hidden = !waiting || !now.total;  // the answer may have come in the meantime
  if (!box.hidden) {
    box.replaceChildren(t("Compiling, this once: {done} of {total} parts", now),
      make("progress", { value: now.done, max: now.total, "aria-label": t("compiled") }));
  }
}

async function tried(work) {
  try {
    return await work();
  } catch (error) {
    say(error.message);
    return null;
  }
}

// Frames come with each different tile once.
function unpacked(packed) {
  return packed.frames.map((one) => ({ ...one, tiles: one.tiles.map((number) => packed.tiles[number]) }));
}

// The hand as it may be shown now: null where it is hidden.
function handOf(seat) {
  const player = frame().seats[seat];
  const hidden = state.people.length === 0 && !state.hands && seat !== frame().seat;
  return hidden || state.curtain !== null ? null : player.hand;
}
