// The coach of a game: before a placement what the best one found lives on, after a turn what it lost.
// It says no sentence twice in a game, and nothing of a move that was good enough.

import { judge, madeWords, moveAt, why } from "./advice.js";
import { isChoosing, offered } from "./choose.js";
import { beside, kindOn } from "./session.js";
import { app, update } from "./state.js";
import { cellWords, choiceWords, num, t } from "./words.js";

/** @import { Choice, Judged, Move, Position } from "./types.js" */
/** @import { Session } from "./session.js" */

const WORTH = 2; // gold, or cacao where there is no gold; less is no hint

/** The decision of the turn that lost most. @type {{ session: Session, turn: number, judged: Judged, best: string } | null} */
let worst = null;

/** What the workers of a placed tile find at once, the most gold first; a lead at a temple that is new counts 6.
 * @param {Position} now @param {number} seat @param {Move} move */
export function found(now, seat, move) {
  const mine = now.seats[seat];
  const track = /** @type {number[]} */ (app.engine.tables.water_track);
  const at = (move.edges ?? []).flatMap((workers, side) => {
    const cell = beside(move.cell, side);
    const kind = kindOn(now, cell);
    return workers && kind ? [{ workers, kind: kind.replace(/\d/, ""), n: Number(kind.at(-1)) || 1, cell }] : [];
  });
  const harvest = at.reduce((sum, one) => sum + (one.kind === "plantation" ? one.workers * one.n : 0), 0);
  const cacao = Math.min(5, mine.cacao + harvest);
  const goods = at.map(({ workers, kind, n, cell }) => {
    const there = now.tiles.find((tile) => tile.row === cell[0] && tile.column === cell[1])?.workers ?? [];
    const leads = (/** @type {number} */ own) => there.every((rival, other) => other === seat || rival < own);
    const gold = {
      market: Math.min(workers, cacao) * n,
      mine: workers * n,
      water: track[Math.min(track.length - 1, mine.water + workers)] - track[mine.water],
      temple: leads(there[seat] + workers) && !leads(there[seat]) ? 6 : 0,
    }[kind];
    const harvested = kind === "plantation" ? Math.min(5 - mine.cacao, workers * n) : 0;
    return { kind, workers, gold: gold ?? 0, cacao: harvested, cell };
  });
  return goods.sort((a, b) => b.gold - a.gold);
}

/** Say something new. @param {Session} session @param {string} text */
function tell(session, text) {
  const { saved } = session;
  if (!text || saved.told?.includes(text)) return;
  saved.told = [...(saved.told ?? []), text];
  update({ coach: text });
}

/** What the turn before brought, and what the best choice would have: said when its workers are done. */
function tellWorst() {
  const told = worst;
  worst = null;
  if (!told || told.session !== app.session || told.session.last <= told.judged.ply) return;
  const { session, judged, best } = told;
  tell(session, t.after(madeWords(session, judged), best, why(judged, { name: t.you })));
}

/** Before a placement: what was lost in the turn before, or else what the best one found lives on. */
export async function coach() {
  const { session, client } = app;
  if (!session?.saved.coached || !client || !isChoosing() || session.now.phase !== "place" || app.coach) return;
  const { now, last } = session;
  if (worst && worst.turn < now.turn) tellWorst();
  if (app.coach) return;
  const thought = await client.lines(session.dataAt(last), { agent: "trinitario", seed: 1 }).catch(() => null);
  if (!thought || app.session !== session || session.last !== last || app.coach) return;
  const move = moveAt(last, thought.lines?.[0].action ?? thought.actions[0]);
  const most = found(now, now.seat ?? 0, move).find(({ gold, cacao }) => gold >= WORTH || cacao >= WORTH);
  if (!most || move.type !== "place") return;
  const hint = t.hints[/** @type {"water"} */ (most.kind)];
  tell(session, hint(cellWords(most.cell), most.workers, num(most.gold || most.cacao)));
}

/** Judge a decision. @param {Session} session @param {Choice} choice */
export async function coachAfter(session, choice) {
  const { saved, last, now } = session;
  update({ coach: "" });
  if (!saved.coached || !app.client || offered().length < 2) return;
  const one = await judge(session, choice.action).catch(() => null);
  if (!one || app.session !== session) return;
  saved.judged = [...(saved.judged ?? []).filter(({ ply }) => ply < last), one];
  if (!one.grade) return;
  const best = moveAt(last, one.best);
  const same = worst?.session === session && worst.turn === now.turn && worst.judged.ply < last;
  if (same && worst && worst.judged.gold >= one.gold) return;
  worst = { session, turn: now.turn, judged: one, best: choiceWords(best, kindOn(now, best.cell)) };
  void coach(); // the next turn may have begun
}
