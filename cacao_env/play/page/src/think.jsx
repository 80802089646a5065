// What an agent makes of the position shown.

import * as page from "./app.js";
import { app, update } from "./app.js";
import { kindOn } from "./session.js";
import { choicesWords, choiceWords, levelWords, num, percent, t } from "./words.js";

export function Think() {
  const { session, thought } = app;
  if (!session || !app.client || session.saved.kind === "puzzle") return null;
  const { players, volcanoes } = session.saved.options;
  const may = page.mayThink();
  return (
    <section class="panel think">
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
          <ThoughtOf thought={thought} />
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

/** @typedef {import("./types.js").Analysis & { ply: number }} Thought @typedef {import("./types.js").Move} Move */

/** @param {{ thought: Thought }} props */
function ThoughtOf({ thought }) {
  const { position } = /** @type {import("./session.js").Session} */ (app.session).frames[thought.ply];
  const actions = thought.lines?.map(({ action }) => action) ?? thought.actions.slice(0, 12);
  const moves = actions.map((action) => page.moveAt(thought.ply, action));
  // Of lines the chances are those of the best one; what the agent itself expects is measured otherwise.
  const [shares, scores] = thought.lines ? [thought.lines[0].shares, null] : [thought.win_shares, thought.scores];
  const made = app.ply > thought.ply ? page.judgedAt(app.ply)?.action : null;
  const words = choicesWords(moves, (cell) => kindOn(position, cell)).map((one, k) =>
    actions[k] === made ? `${one} (${t.made})` : one,
  );
  return (
    <>
      {shares ? (
        <p class="expects">
          {t.expects}:{" "}
          {shares.map((share, seat) => (
            <span key={seat} class={`own${seat}`}>
              {page.nameOf(seat)} {percent(share)} {scores ? <small>({num(scores[seat], 1)})</small> : null}
            </span>
          ))}
        </p>
      ) : null}
      <table class="lines" title={t.linesHow}>
        <thead>
          <tr>
            <th scope="col">{t.lines.move}</th>
            <th scope="col">{thought.lines ? t.lines.loss : ""}</th>
            <th scope="col">{t.lines.chance}</th>
          </tr>
        </thead>
        {thought.lines ? (
          thought.lines.map((line, k) => (
            <LineOfPlay key={line.action} thought={thought} line={line} k={k} words={words[k]} />
          ))
        ) : (
          <tbody>
            {moves.map((move, k) => (
              <Row
                key={thought.actions[k]}
                move={move}
                action={thought.actions[k]}
                seat={thought.seat}
                words={words[k]}
              >
                <td />
                <td class="number">{percent(thought.weights[k])}</td>
              </Row>
            ))}
          </tbody>
        )}
      </table>
    </>
  );
}

/** A move with its gold and chance, and under it what is expected to follow.
 * @param {{ thought: Thought, line: import("./types.js").Line, k: number, words: string }} props */
function LineOfPlay({ thought, line, k, words }) {
  const follows = line.follows.map(({ seat, move }, n) => {
    const told = choiceWords(move);
    const isNew = seat !== (line.follows[n - 1]?.seat ?? thought.seat);
    return isNew ? `${page.nameOf(seat)}: ${told}` : told;
  });
  return (
    <tbody class={`line${k + 1}`}>
      <Row
        move={page.moveAt(thought.ply, line.action)}
        action={line.action}
        seat={thought.seat}
        words={`${k + 1}. ${words}`}
      >
        <td class="number">{num(-line.loss, 1)}</td>
        <td class="number">{percent(line.shares[thought.seat])}</td>
      </Row>
      {follows.length ? (
        <tr class="follows">
          <td colSpan={3}>
            {t.lines.follows}: {follows.join(". ")}
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

/** A move: pointing at it shows it, pressing it chooses it where one may; it plays nothing.
 * @param {{ move: Move, action: number, seat: number, words: string, children: any }} props */
function Row({ move, action, seat, words, children }) {
  const show = () => update({ preview: { ...move, seat } });
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
          {words}
        </button>
      </td>
      {children}
    </tr>
  );
}
