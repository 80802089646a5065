// The page: its parts, keys, files that are dropped, and how it begins.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import * as page from "./app.js";
import { app, onUpdate, update } from "./app.js";
import { addSymbols, Line } from "./art.jsx";
import { Board, fit, zoomBy } from "./board.jsx";
import { Decision } from "./decide.jsx";
import { Dialog } from "./dialogs.jsx";
import { loadEngine } from "./engine/engine.js";
import { Message } from "./message.jsx";
import { withServer } from "./remote.js";
import { Store } from "./save.js";
import { Moves, Players, Supply, Temples } from "./sides.jsx";
import "./style.css";
import { Think } from "./think.jsx";
import { thinkers } from "./thinkers.js";
import { Bar, Curve } from "./timeline.jsx";
import { t } from "./words.js";

const DATA = /** @type {any} */ (globalThis).CACAO; // what the build puts into the file
const GIVEN = /** @type {any} */ (globalThis).CACAO_GIVEN ?? {}; // what `cacao view` adds

/** @param {{ id: string, line: any, text: string, onClick: () => void }} props */
const Entry = ({ id, line, text, onClick }) => (
  <button type="button" id={id} onClick={onClick} title={text}>
    <Line name={line} />
    <span>{text}</span>
  </button>
);

function Top() {
  return (
    <header class="top">
      <span class="logo">
        <svg viewBox="0 0 100 100" aria-hidden="true">
          <use href="#pod" width="100" height="100" />
        </svg>
        <b>Cacao</b>
      </span>
      <span class="title">{page.title()}</span>
      {app.session && app.session.awaits === null && app.session.saved.kind === "record" ? (
        <label class="check all-hands">
          <input
            type="checkbox"
            id="hands"
            aria-label={t.allHands}
            checked={app.allHands}
            onChange={(event) => update({ allHands: event.currentTarget.checked })}
          />{" "}
          <span>{t.allHands}</span>
        </label>
      ) : null}
      <nav aria-label={t.menu}>
        <Entry id="new" line="plus" text={t.newGame} onClick={() => update({ dialog: "new" })} />
        <Entry id="my-games" line="games" text={t.myGames} onClick={page.showGames} />
        <Entry id="puzzles" line="puzzle" text={t.puzzles} onClick={() => update({ dialog: "puzzles" })} />
        {app.session && app.session.saved.kind !== "puzzle" ? (
          <Entry id="share" line="share" text={t.shareMenu} onClick={() => update({ dialog: "share" })} />
        ) : null}
        <Entry id="show-rules" line="book" text={t.rules} onClick={() => update({ dialog: "rules" })} />
        <Entry id="settings" line="gear" text={t.settings} onClick={() => update({ dialog: "settings" })} />
      </nav>
    </header>
  );
}

/** On a small screen, what else there is; one opens above the table. */
function Tabs() {
  const tabs = /** @type {const} */ (["players", "moves", "temples", "think"]);
  return (
    <nav class="tabs-bar" aria-label={t.more}>
      {tabs.map((name) => (
        <button
          key={name}
          type="button"
          data-panel={name}
          aria-expanded={app.panel === name}
          onClick={() => update({ panel: app.panel === name ? null : name })}
        >
          {t[name]}
        </button>
      ))}
    </nav>
  );
}

function Page() {
  const [, again] = useState(0);
  useEffect(() => onUpdate(() => again((n) => n + 1)), []);
  useEntry();
  const { session } = app;
  const quiet = session && session.awaits === null;
  return (
    <div
      class={`page${quiet ? " looking" : ""}`}
      data-panel={app.panel ?? undefined}
      data-players={session?.players.length}
    >
      <Top />
      <main>
        <div class="left">
          <Players key={session?.saved.id} />
          <Temples />
        </div>
        <div class="middle">
          <Board />
          <Bar />
          <Curve />
        </div>
        <div class="right">
          <Supply />
          <Decision />
          <Tabs />
          {app.panel === "players" ? (
            <div class="drawer">
              <Players />
            </div>
          ) : null}
          <Moves />
          <Think />
        </div>
      </main>
      <Dialog />
      {app.dialog ? null : <Message />}
      <div id="live" class="sr" aria-live="polite">
        {app.spoken}
      </div>
      <Dropping />
    </div>
  );
}

// --- Keys and files ------------------------------------------------------------------------------

/** @type {Record<string, () => void>} */
const KEYS = {
  ArrowLeft: () => page.go(app.ply - 1),
  ArrowRight: () => page.go(app.ply + 1),
  Home: () => page.go(0),
  End: () => page.go(app.session?.last ?? 0),
  " ": () => app.session?.awaits === null && page.playOn(), // a game that goes on is not wound back
  r: () => page.turn(1),
  R: () => page.turn(-1),
  Enter: page.confirm,
  Escape: page.cancel,
  u: page.undo,
  U: page.redo,
  f: fit,
  "+": () => zoomBy(1.25),
  "-": () => zoomBy(0.8),
};

/** @param {KeyboardEvent} event */
function press(event) {
  const target = /** @type {Element} */ (event.target);
  if (
    target.closest("input, select, dialog, [role=region]") ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    app.dialog ||
    !app.session
  )
    return;
  if (target.closest("button, a, summary, [role=button]") && (event.key === "Enter" || event.key === " ")) return;
  const tiles = page.tilesOffered();
  const tile = tiles[Number(event.key) - 1];
  if (tile) return page.pickTile(tile);
  if (!KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}

function Dropping() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const drag = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      setOver(true);
    };
    const leave = (/** @type {DragEvent} */ event) => event.relatedTarget || setOver(false);
    const drop = async (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) await page.openText(await file.text());
    };
    document.addEventListener("dragover", drag);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
  }, []);
  return over ? <div class="drop">{t.dropFile}</div> : null;
}

// --- Back ----------------------------------------------------------------------------------------

/** What lies above the table has an entry of its own in the history, so that Back closes it. */
function useEntry() {
  const isAbove = Boolean(app.session && (app.dialog || app.panel));
  useEffect(() => {
    if (isAbove && !history.state?.above) history.pushState({ above: true }, "");
    if (isAbove || !history.state?.above) return;
    isLeft = true;
    history.back();
  }, [isAbove]);
}

let isLeft = false; // what lay above was closed otherwise

function wentBack() {
  if (history.state?.above || !(isLeft || app.dialog || app.panel)) return;
  if (!isLeft) update({ dialog: null, panel: null });
  isLeft = false;
  page.remember();
}

// --- The beginning -------------------------------------------------------------------------------

/** Bytes of a text that the build has made: gzip, then base64. @param {string} text */
async function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length); // (``Uint8Array.from`` takes a fifth of a second a megabyte)
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function begin() {
  addSymbols();
  const wasm = await bytesOf(DATA.wasm);
  app.engine = await loadEngine(wasm, DATA.fields);
  app.client = thinkers(DATA.worker, { wasm, fields: DATA.fields, network: await bytesOf(DATA.network) });
  app.puzzles = DATA.puzzles ?? [];
  app.store = await Store.open();
  try {
    Object.assign(app.settings, await app.store.setting("settings", {}));
    Object.assign(app.progress, await app.store.setting("progress", {}));
  } catch {
    app.store = new Store(null); // what the browser has kept is damaged
  }
  page.applySettings();
  matchMedia("(prefers-reduced-motion: reduce)").addEventListener("change", page.applySettings);
  render(<Page />, /** @type {Element} */ (document.getElementById("page")));
  document.addEventListener("keydown", press);
  window.addEventListener("hashchange", page.openWanted);
  window.addEventListener("popstate", wentBack);
  if (GIVEN.server) {
    app.engine.agents.push(...GIVEN.server.agents.map((/** @type {any} */ one) => ({ ...one, own: true })));
    app.client = withServer(app.client, GIVEN.server.agents);
  }
  if (GIVEN.record && !location.hash) await page.openText(GIVEN.record);
  else await page.openWanted();
}

void begin();
