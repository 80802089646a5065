// What is shown, how it is asked for, and small helpers.  Every change of `state` is followed by draw().

const state = {
  source: null,      // "record", "game", or null
  id: null,
  title: "",
  frames: [],        // positions, see cacao_env/play/position.py and history.py
  names: [],
  people: [],        // seats of people
  ply: 0,            // the frame shown
  choices: [],       // of the person who decides, at the last frame
  awaits: null,      // "person", "agent" or null
  canUndo: false,
  over: true,
  hands: true,       // all hands are shown, where that is allowed
  marked: null,      // the seat whose tiles stand out
  about: null,       // the cell that is explained
  pick: { tile: null, cell: null, hover: null, turn: 0 },
  thought: null,
  thinking: false,
  agent: "",         // that thinks
  agents: [],
  everyStep: false,  // think at every step
  playing: false,
  busy: false,       // a request that changes the game is under way
};
const ALONE = JSON.parse(document.getElementById("data").textContent);  // an exported game, or null
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
const frame = () => state.frames[state.ply];
const atEnd = () => state.ply === state.frames.length - 1;
const same = (a, b) => a !== null && b !== null && a[0] === b[0] && a[1] === b[1];

function make(tag, attributes = {}, ...children) {
  const drawn = ["svg", "use", "g", "rect", "circle", "ellipse", "text", "path", "line", "polyline", "title"];
  const one = drawn.includes(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else one.setAttribute(name, value === true ? "" : value);
  }
  one.append(...children.filter((child) => child !== null));
  return one;
}

function icon(name, label = "") {
  const use = make("use", { href: "#" + name });
  const attributes = { viewBox: "0 0 100 100", role: "img", "aria-label": label };
  return make("svg", attributes, ...(label ? [make("title", {}, label)] : []), use);
}
const workerIcon = (seat, kind) => icon(`w-${seat}-${kind}`, [...kind].join("-"));
const jungleIcon = (kind, turned = false) => icon(jungleName(kind, turned), kindWords(kind));
const jungleName = (kind, turned) => `j-${kind}${turned ? "-turned" : ""}`;
const signed = (text) => String(text).replace("-", "−");
const kindWords = (kind) => kind.replace(/(\d)/, " $1");

function say(text, good = false) {
  const box = byId("message");
  box.textContent = text;
  box.className = good ? "good" : "";
  box.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { box.hidden = true; }, good ? 2500 : 12000);
}

async function ask(address, body = undefined, raw = false) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: raw ? body : JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new Error("the viewer does not answer; is it still running?");
  }
  const data = await answer.json().catch(() => ({ error: "the viewer gave no answer" }));
  if (!answer.ok) throw new Error(data.error);
  return data;
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
  return hidden ? null : player.hand;
}
