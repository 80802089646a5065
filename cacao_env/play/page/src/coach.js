// The coach of a first game: one tip where it helps, each once a game.

import { app, frame, offered } from "./app.js";
import { kindOn } from "./session.js";
import { t } from "./words.js";

/** The tip for the decision shown, "" for none. */
export function coached() {
  const { session } = app;
  const now = frame()?.position;
  if (!session?.saved.coached || !now || !offered().length) return "";
  if (now.phase === "fill") return t.coach.fill;
  if (now.phase === "act") {
    const sells = offered().some(({ move }) => kindOn(now, move.cell).startsWith("market"));
    return sells ? t.coach.market : t.coach.act;
  }
  const mine = now.seats[now.seat ?? 0];
  if (now.overbuilding && mine.sun > 0) return t.coach.sun;
  const round = Math.floor(now.turn / now.players);
  if (round === 1) return t.coach.market;
  if (round === 3 && now.tiles.some(({ kind }) => kind === "temple")) return t.coach.temple;
  if (round >= 4 && mine.worth < 0) return t.coach.water;
  return t.coach.place;
}
