// What an agent makes of the position shown.

import * as page from "./app.js";
import { app, update } from "./app.js";
import { kindOn } from "./session.js";
import { choiceWords, levelWords, num, percent, t } from "./words.js";

export function Think() {
  const { session, thought } = app;
  if (!session || !app.client || session.saved.kind === "puzzle") return null;
  const { players, volcanoes } = session.saved.options;
  const may = page.mayThink();
  return (
    <section class="panel think" aria-label={t.think}>
      <div class="ask">
        <h2>{t.think}</h2>
        <select
          id="thinker"
          aria-label={t.level}
          value={app.agent}
          onChange={(event) => update({ agent: event.currentTarget.value, thought: null })}
        >
          {page.levels(players, volcanoes).map(({ id }) => (
            <option key={id} value={id}>
              {levelWords(id)[0]}
            </option>
          ))}
        </select>
        <button type="button" id="run-think" disabled={!may || app.thinking !== null} onClick={page.think}>
          {app.thinking ? "…" : t.thinkRun}
        </button>
        {session.awaits === null ? (
          <label class="check">
            <input
              type="checkbox"
              id="every"
              checked={app.everyStep}
              onChange={(event) => everyStep(event.currentTarget.checked)}
            />{" "}
            {t.everyStep}
          </label>
        ) : null}
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={t.think}>
        {thought ? (
          <Thought thought={thought} />
        ) : (
          <p class="quiet">{may || session.awaits === null ? t.thinkHow : t.thinkWaits}</p>
        )}
      </div>
    </section>
  );
}

/** @param {boolean} on */
function everyStep(on) {
  update({ everyStep: on });
  if (on) void page.think();
}

/** @param {{ thought: import("./types.js").Analysis & { ply: number } }} props */
function Thought({ thought }) {
  const position = /** @type {any} */ (page.frame()).position;
  return (
    <>
      {thought.win_shares ? (
        <p class="expects">
          {t.expects}:{" "}
          {thought.win_shares.map((share, seat) => (
            <span key={seat} class={`own${seat}`}>
              {page.nameOf(seat)} {percent(share)}{" "}
              {thought.scores ? <small>({num(thought.scores[seat], 1)})</small> : null}
            </span>
          ))}
        </p>
      ) : null}
      <table class="lines">
        <tbody>
          {thought.actions.slice(0, 12).map((action, k) => (
            <Row key={action} thought={thought} k={k} kindOf={(cell) => kindOn(position, cell)} />
          ))}
        </tbody>
      </table>
    </>
  );
}

/** A line: pointing at it shows the move, pressing it chooses the move where one may; it plays nothing.
 * @param {{ thought: import("./types.js").Analysis & { ply: number }, k: number, kindOf: (cell: import("./types.js").Cell) => string }} props */
function Row({ thought, k, kindOf }) {
  const action = thought.actions[k];
  const move = page.moveAt(thought.ply, action);
  const show = () => update({ preview: { ...move, seat: thought.seat } });
  const hide = () => update({ preview: null });
  const press = () => {
    const choice = page.offered().find((one) => one.action === action);
    if (choice) page.choose(choice);
    else show();
  };
  return (
    <tr onPointerEnter={show} onPointerLeave={hide}>
      <td>
        <button type="button" class="link" onFocus={show} onBlur={hide} onClick={press}>
          {choiceWords(move, kindOf(move.cell))}
        </button>
      </td>
      <td class="number">{percent(thought.weights[k])}</td>
      {thought.values ? <td class="number">{num(thought.values[k], 2)}</td> : null}
    </tr>
  );
}
