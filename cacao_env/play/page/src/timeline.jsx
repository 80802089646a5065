// The bar under the table: the eye, steps through the game; and the curve of a finished game.

import { useEffect, useRef, useState } from "preact/hooks";
import * as page from "./app.js";
import { app, update } from "./app.js";
import { Line } from "./art.jsx";
import { eye, fit, zoomBy } from "./board.jsx";
import { num, percent, t } from "./words.js";

const DASHES = [undefined, "9 4", "3 3", "10 3 2 3"]; // of the seats, beside their colours

/** A button with a sign. @param {{ id: string, label: string, line: any, onClick: () => void, disabled?: boolean, pressed?: boolean }} props */
const Tool = ({ id, label, line, onClick, disabled, pressed }) => (
  <button
    type="button"
    id={id}
    class="tool"
    aria-label={label}
    title={label}
    disabled={disabled}
    aria-pressed={pressed}
    onClick={onClick}
  >
    <Line name={line} />
  </button>
);

export function Bar() {
  const { session, ply } = app;
  if (!session) return null;
  const { last } = session;
  return (
    <section class="bar" aria-label={t.steps}>
      <Tool id="fit" label={t.fitAll} line="fit" onClick={fit} pressed={eye.fits} />
      <Tool id="farther" label={t.zoomOut} line="minus" onClick={() => zoomBy(0.8)} />
      <Tool id="closer" label={t.zoomIn} line="plus" onClick={() => zoomBy(1.25)} />
      <span class="gap" />
      <Tool id="first" label={t.first} line="first" disabled={ply === 0} onClick={() => page.go(0)} />
      <Tool id="back" label={t.back} line="back" disabled={ply === 0} onClick={() => page.go(ply - 1)} />
      {session.awaits === null ? (
        <Tool
          id="auto"
          label={app.playing ? t.stop : t.playOn}
          line={app.playing ? "stop" : "play"}
          onClick={page.playOn}
          pressed={app.playing}
        />
      ) : null}
      <Tool id="forth" label={t.forth} line="forth" disabled={ply === last} onClick={() => page.go(ply + 1)} />
      <Tool id="last" label={t.last} line="last" disabled={ply === last} onClick={() => page.go(last)} />
      <input
        id="slider"
        type="range"
        min="0"
        max={last}
        value={ply}
        aria-label={t.moves}
        aria-valuetext={page.toldMoves(ply - 1, ply)}
        onInput={(event) => page.go(Number(event.currentTarget.value))}
      />
      <span id="count">
        {ply} / {last}
      </span>
    </section>
  );
}

/** Scores, or chances to win, over the moves; only where nobody plays any more. */
export function Curve() {
  const { session } = app;
  const ref = useRef(/** @type {SVGSVGElement | null} */ (null));
  const [width, setWidth] = useState(600);
  const shown = session && session.awaits === null && session.saved.kind !== "puzzle";
  useEffect(() => {
    if (!ref.current) return;
    const watch = new ResizeObserver(([{ contentRect }]) => setWidth(Math.max(120, contentRect.width)));
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, [shown]);
  if (!session || !shown) return null;
  const height = 92;
  const { review } = session.saved;
  const isWins = app.curve === "chances" && review;
  const series = session.players.map((_, seat) =>
    isWins
      ? [...review.decisions.map((one) => [one.ply, one.shares[seat]]), [session.last, review.result[seat]]]
      : session.frames.map((one, ply) => [ply, one.position.seats[seat].score]),
  );
  const values = series.flat().map(([, value]) => value);
  const [low, high] = isWins ? [0, 1] : [Math.min(...values, 0), Math.max(...values, 10)];
  const x = (/** @type {number} */ ply) => 38 + ((width - 58) * ply) / Math.max(1, session.last);
  const y = (/** @type {number} */ value) => height - 10 - ((height - 20) * (value - low)) / (high - low);
  const jump = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {SVGSVGElement} */ (ref.current).getBoundingClientRect();
    page.go(Math.round(((event.clientX - box.left - 38) / (width - 58)) * session.last));
  };
  return (
    <section class="curve" aria-label={t.course}>
      {review ? (
        <div class="tabs" role="group" aria-label={t.steps}>
          {
            /** @type {const} */ (["scores", "chances"]).map((kind) => (
              <button
                key={kind}
                type="button"
                aria-pressed={app.curve === kind}
                onClick={() => update({ curve: kind })}
              >
                {t[kind]}
              </button>
            ))
          }
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider does the same by the keyboard */}
      <svg
        id="curve"
        ref={ref}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={isWins ? t.chance : t.ifEnded}
        onClick={jump}
      >
        <line class="axis" x1="38" x2={width - 20} y1={y(Math.max(low, 0))} y2={y(Math.max(low, 0))} />
        {[low, high].map((value) => (
          <text key={value} class="axis" x="33" y={y(value) + 4}>
            {isWins ? percent(value) : num(value)}
          </text>
        ))}
        {series.map((points, seat) => (
          <g key={seat} class={`own${seat}`}>
            <polyline
              points={points.map(([ply, value]) => `${x(ply).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}
              stroke-dasharray={DASHES[seat]}
            >
              <title>{isWins ? `${page.nameOf(seat)}: ${t.chance}` : t.scoreAt(page.nameOf(seat))}</title>
            </polyline>
            {points
              .filter(
                (_, k) => k === points.length - 1 || (k + seat * 5) % Math.max(6, Math.floor(points.length / 4)) === 5,
              )
              .map(([ply, value]) => (
                <use
                  key={ply}
                  class="sign"
                  href={`#sign-${seat}`}
                  x={x(ply) - 7}
                  y={y(value) - 7}
                  width="14"
                  height="14"
                />
              ))}
          </g>
        ))}
        {isWins
          ? review.decisions
              .filter((one) => one.grade)
              .map((one) => (
                <circle
                  key={one.ply}
                  class={`mark ${one.grade}`}
                  cx={x(one.ply)}
                  cy={y(one.shares[one.seat])}
                  r={one.grade === "blunder" ? 6 : 4.5}
                >
                  <title>{`${page.nameOf(one.seat)}: ${t[/** @type {"blunder"} */ (one.grade)]} ${t.lost(num(one.gold, 1))}`}</title>
                </circle>
              ))
          : null}
        <line class="here" x1={x(app.ply)} x2={x(app.ply)} y1="4" y2={height - 4} />
      </svg>
    </section>
  );
}
