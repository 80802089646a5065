// Beside the table: players, the display and piles, temples, the moves.

import { useEffect, useRef, useState } from "preact/hooks";
import * as page from "./app.js";
import { app, update } from "./app.js";
import { BackIcon, Icon, JungleIcon, Sign, WorkerIcon } from "./art.jsx";
import { TempleTable } from "./board.jsx";
import { capital, cellWords, edgesWords, goodsWords, levelWords, moveWords, num, plus, t } from "./words.js";

/** @typedef {import("./types.js").Position} Position @typedef {import("./types.js").Sources} Sources */

/** A number that counts up to its value. @param {{ value: number }} props */
function Count({ value }) {
  const [shown, show] = useState(value);
  const from = useRef(value);
  useEffect(() => {
    const start = from.current;
    from.current = value;
    if (page.isStill() || Math.abs(value - start) > 60) return show(value);
    const begun = performance.now();
    let frame = 0;
    const step = (/** @type {number} */ now) => {
      const part = Math.min(1, (now - begun) / 600);
      show(Math.round(start + (value - start) * part));
      if (part < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [value]);
  return <>{num(shown)}</>;
}

// --- Players -------------------------------------------------------------------------------------

export function Players() {
  const now = page.frame()?.position;
  if (!now) return null;
  return (
    <section class="players" aria-label={t.players} data-players={now.players}>
      {now.seats.map((_, seat) => (
        <Player key={seat} seat={seat} now={now} />
      ))}
    </section>
  );
}

/** @param {{ seat: number, now: Position }} props */
function Player({ seat, now }) {
  const one = now.seats[seat];
  const player = app.session?.players[seat];
  const { gold, score } = uncounted(now, seat);
  const marked = app.marked === seat;
  const state = now.winners.includes(seat) && !app.counting ? "won" : now.seat === seat ? "decides" : "";
  const temples = app.session?.frames[app.ply].sources[seat].temples ?? 0;
  return (
    <article class={`player own${seat} ${state}${marked ? " marked" : ""}`} data-seat={seat}>
      <header>
        <Sign owner={seat} />
        <button
          type="button"
          class="name"
          aria-pressed={marked}
          title={t.highlight}
          onClick={() => update({ marked: marked ? null : seat })}
        >
          {page.nameOf(seat)}
        </button>
        {player && !player.person ? <span class="level">{levelWords(player.level)[0]}</span> : null}
        {state === "won" ? (
          <span class="crown" aria-hidden="true">
            ★
          </span>
        ) : null}
        <button
          type="button"
          class="gold"
          aria-expanded={app.opened === seat}
          title={`${t.ifEnded}: ${num(score)}. ${t.whereGold}`}
          onClick={() => update({ opened: app.opened === seat ? null : seat })}
        >
          <Icon name="coin" />
          <b>
            <Count value={gold} />
          </b>
          <small>({num(score)})</small>
        </button>
      </header>
      {app.opened === seat ? <Breakdown seats={[seat]} /> : null}
      <div class="brief" aria-hidden="true">
        {
          /** @type {const} */ ([
            ["pod", one.cacao],
            ["sunface", one.sun],
            ["drop", one.worth],
            ["pyramid", temples],
          ]).map(([name, n]) => (
            <span key={name}>
              <Icon name={name} />
              {num(n)}
            </span>
          ))
        }
      </div>
      <div class="goods">
        <Pips what={t.cacao} count={one.cacao} of={5} name="pod" />
        <Pips what={t.sun} count={one.sun} of={3} name="sunface" />
        <span class="temples" title={t.temples}>
          <Icon name="pyramid" />
          {num(temples)}
        </span>
      </div>
      <Track field={one.water} worth={one.worth} />
      <div class="tiles">
        <SeatHand seat={seat} />
        <span class="unplaced">
          {Object.entries(one.left).map(([kind, n]) => (
            <span key={kind} title={t.notPlaced(n, edgesWords(kind))}>
              <WorkerIcon owner={seat} kind={kind} />
              {n}
            </span>
          ))}
        </span>
      </div>
    </article>
  );
}

// While the temples are counted, those that are still to come are left out.
/** @param {Position} now @param {number} seat */
function uncounted(now, seat) {
  const { gold, score } = now.seats[seat];
  const { counting } = app;
  if (now.phase !== "over") return { gold, score };
  if (!counting) return { gold: score, score };
  const rest = counting.cells
    .slice(counting.at + 1)
    .map(([row, column]) => now.tiles.find((one) => one.row === row && one.column === column));
  const left = rest.reduce((sum, tile) => sum + (tile?.gold?.[seat] ?? 0), 0);
  return { gold: score - left, score: score - left };
}

// The hands of others: their backs, or the tiles where a spectator may see them.  One's own is larger, beside the table.
/** @param {{ seat: number }} props */
function SeatHand({ seat }) {
  const { session } = app;
  if (!session) return null;
  const held = session.frames[app.ply].position.seats[seat].held;
  if (page.handSeat() === seat)
    return (
      <span class="hand-count">
        {t.pile}: {session.frames[app.ply].position.seats[seat].pile}
      </span>
    );
  const hand = page.curtainFor() === null ? session.hand(app.ply, seat, app.allHands) : null;
  return (
    <span class="small-hand">
      {(hand ?? Array(held).fill(null)).map((kind, k) => (
        <span key={k}>{kind ? <WorkerIcon owner={seat} kind={kind} /> : <BackIcon owner={seat} />}</span>
      ))}
    </span>
  );
}

/** @param {{ what: string, count: number, of: number, name: string }} props */
const Pips = ({ what, count, of, name }) => (
  <span class="pips" role="img" aria-label={`${what}: ${count} / ${of}`}>
    {Array.from({ length: of }, (_, k) => (
      <span key={k} class={k < count ? "on" : ""}>
        <Icon name={name} />
      </span>
    ))}
  </span>
);

/** @param {{ field: number, worth: number }} props */
function Track({ field, worth }) {
  const values = /** @type {number[]} */ (app.engine.tables.water_track);
  return (
    <div class="track" role="img" aria-label={`${t.water}: ${num(worth)}`}>
      <Icon name="drop" />
      {values.map((value, k) => (
        <i key={value} class={k === field ? "here" : k < field ? "passed" : ""}>
          {num(value)}
        </i>
      ))}
    </div>
  );
}

const SOURCES = {
  sales: "j-market3",
  mines: "j-mine1",
  volcanoes: "j-volcano",
  water: "drop",
  sun: "sunface",
  temples: "pyramid",
};

/** Where the gold of some seats comes from, a row a seat. @param {{ seats: number[], ranks?: number[] }} props */
export function Breakdown({ seats, ranks }) {
  const frame = page.frame();
  if (!frame) return null;
  const { position, sources } = frame;
  const kinds = /** @type {(keyof Sources)[]} */ (Object.keys(SOURCES)).filter(
    (one) => one !== (position.volcanoes ? "mines" : "volcanoes"),
  );
  return (
    <table class="breakdown">
      <thead>
        <tr>
          {ranks ? <th scope="col">{t.players}</th> : null}
          {kinds.map((kind) => (
            <th key={kind} scope="col" title={t.sources[kind]}>
              <Icon name={SOURCES[kind]} />
              <span class="sr">{t.sources[kind]}</span>
            </th>
          ))}
          <th scope="col">{t.score}</th>
        </tr>
      </thead>
      <tbody>
        {seats.map((seat) => (
          <tr key={seat} data-seat={seat}>
            {ranks ? (
              <th scope="row">
                {ranks[seat]}. <Sign owner={seat} /> {page.nameOf(seat)}
              </th>
            ) : null}
            {kinds.map((kind) => (
              <td key={kind} data-source={kind}>
                {num(sources[seat][kind])}
              </td>
            ))}
            <td>
              <b>{num(position.seats[seat].score)}</b>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// --- Display and pile ----------------------------------------------------------------------------

export function Supply() {
  const now = page.frame()?.position;
  if (!now) return null;
  const choosing = now.phase === "fill" ? page.tilesOffered() : [];
  return (
    <section class="supply" aria-label={t.display}>
      <div class="display">
        {[0, 1].map((k) => {
          const kind = now.display[k];
          if (!kind) return <span key={k} class="none" />;
          if (!choosing.includes(kind))
            return (
              <span key={k}>
                <JungleIcon kind={kind} />
              </span>
            );
          return (
            <button
              key={k}
              type="button"
              class="pickable"
              data-tile={kind}
              aria-pressed={kind === app.pick.tile}
              onClick={() => page.pickTile(kind)}
            >
              <JungleIcon kind={kind} />
            </button>
          );
        })}
      </div>
      <div class="pile">
        <h2>{now.overbuilding && now.phase !== "over" ? t.jungleEmpty : t.junglePile(now.pile_size)}</h2>
        <div class="kinds">
          {Object.entries(now.pile).map(([kind, n]) => (
            <span key={kind}>
              <JungleIcon kind={kind} />
              {n}
            </span>
          ))}
        </div>
      </div>
    </section>
  );
}

// --- Temples -------------------------------------------------------------------------------------

/** Every temple, a row each: workers of each seat, and what they would get. */
export function Temples() {
  const now = page.frame()?.position;
  const all = now?.tiles.filter((tile) => tile.workers) ?? [];
  if (!now) return null;
  return (
    <section class="panel temples-panel" aria-label={t.temples}>
      <h2>{t.temples}</h2>
      {all.length ? (
        <table class="standing">
          <thead>
            <tr>
              <th scope="col">
                <span class="sr">{t.temples}</span>
              </th>
              {now.seats.map((_, seat) => (
                <th key={seat} scope="col">
                  <Sign owner={seat} />
                  <span class="sr">{page.nameOf(seat)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {all.map((tile) => (
              <tr key={String([tile.row, tile.column])}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => update({ about: [tile.row, tile.column] })}>
                    {cellWords([tile.row, tile.column])}
                  </button>
                </th>
                {tile.workers?.map((workers, seat) => (
                  <td key={seat}>
                    {workers || "·"} {tile.gold?.[seat] ? <b>+{tile.gold[seat]}</b> : null}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p class="quiet">{t.noTemples}</p>
      )}
    </section>
  );
}

export { TempleTable };

// --- The moves -----------------------------------------------------------------------------------

export function Moves() {
  const { session } = app;
  const list = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    const box = list.current;
    const line = /** @type {HTMLElement | null | undefined} */ (box?.querySelector("[aria-current]"));
    if (!box) return;
    if (!line) {
      box.scrollTop = 0;
      return;
    }
    const top = line.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    if (top < box.scrollTop || top + line.offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top - box.clientHeight / 2;
  }, [app.ply, app.panel, session, session?.last]);
  if (!session) return null;
  return (
    <section class="panel moves">
      <h2>{t.moves}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={t.moves} ref={list}>
        {session.frames.map((_, ply) => (ply ? <MoveLine key={ply} ply={ply} /> : null))}
      </div>
    </section>
  );
}

/** @param {{ ply: number }} props */
function MoveLine({ ply }) {
  const session = /** @type {import("./session.js").Session} */ (app.session);
  const { step, move } = session.frames[ply];
  const before = session.frames[ply - 1].position;
  if (!step || !move) return null;
  const judged = page.judgedAt(ply);
  const isFirst = ply === 1 || session.frames[ply - 2].position.turn !== before.turn;
  const mine = goodsWords(session.gains(ply)[step.seat]).join(" ");
  return (
    <>
      {isFirst ? (
        <h3>
          <Sign owner={before.active ?? 0} /> {t.turn(before.turn + 1, page.nameOf(before.active ?? 0))}{" "}
          <TurnWorth ply={ply} />
        </h3>
      ) : null}
      <button
        type="button"
        class={`line ${judged?.grade ?? ""}`}
        aria-current={ply === app.ply ? "step" : undefined}
        data-ply={ply}
        onClick={() => page.go(ply)}
      >
        <span>
          {step.seat !== before.active ? `${page.nameOf(step.seat)}: ` : ""}
          {capital(moveWords(move, session.kindAt(ply)))} <small>{mine || (move.workers ? t.noRoom : "")}</small>
        </span>
        {judged && judged.gold >= 0.05 ? <Loss judged={judged} /> : null}
      </button>
    </>
  );
}

/** What the whole turn did to the score. @param {{ ply: number }} props */
function TurnWorth({ ply }) {
  const session = /** @type {import("./session.js").Session} */ (app.session);
  const before = session.frames[ply - 1].position;
  let end = ply;
  while (
    end < session.last &&
    session.frames[end].position.turn === before.turn &&
    session.frames[end].position.phase !== "over"
  )
    end += 1;
  const seat = before.active ?? 0;
  return <small>{plus(session.frames[end].position.seats[seat].score - before.seats[seat].score)}</small>;
}

const SIGNS = { "": "", inaccuracy: "?!", blunder: "??" };

/** @param {{ judged: import("./types.js").Judged }} props */
export const Loss = ({ judged }) => (
  <b class={`loss ${judged.grade}`} title={judged.grade ? t[judged.grade] : ""}>
    {num(-judged.gold, 1)} {SIGNS[judged.grade]}
    {judged.grade ? <span class="sr">{t[judged.grade]}</span> : null}
  </b>
);
