// What the browser keeps of the game shown: the game itself, and where the address points.

import { app, atEnd, say } from "./state.js";
import { t } from "./words.js";

export const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("cacao");

export async function keep() {
  const { session } = app;
  if (!session || session.saved.kind === "puzzle") return;
  try {
    await app.store.keep(session.saved);
    tabs?.postMessage(session.saved.id);
  } catch {
    say(t.notSaved);
  }
}

export function remember() {
  const { session, puzzle } = app;
  if (!session || history.state?.above) return; // a dialog is open: it has an entry of its own
  if (puzzle) return history.replaceState(null, "", `#puzzle=${app.puzzles[puzzle.at].number}`);
  if (session.saved.kind === "puzzle") return;
  const ply = atEnd() && session.saved.kind === "game" ? "" : `&ply=${app.ply}`;
  const hash = `#game=${session.saved.id}${ply}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}
