// The decision: one panel at one place and of one height, whatever is to be decided.

import * as page from "./app.js";
import { app, update } from "./app.js";
import { Icon, JungleIcon, Line, Sign, WorkerIcon } from "./art.jsx";
import { dragTile } from "./board.jsx";
import { ratingOf } from "./levels.js";
import { kindOn } from "./session.js";
import { Breakdown, Loss } from "./sides.jsx";
import { choiceWords, num, percent, plus, t } from "./words.js";

/** @typedef {import("./types.js").Position} Position @typedef {import("./types.js").Choice} Choice */

export function Decision() {
  const { session } = app;
  const now = page.frame()?.position;
  if (!session || !now) return null;
  const curtain = page.curtainFor();
  return (
    <section
      class="decision"
      aria-label={t.ask[now.phase]}
      data-phase={now.phase}
      data-exercise={page.exercise() ? "" : undefined}
    >
      <Head now={now} />
      {curtain !== null ? <Curtain seat={curtain} /> : <Body now={now} />}
      {curtain !== null ? null : <Buttons now={now} />}
    </section>
  );
}

/** @param {{ now: Position }} props */
function Head({ now }) {
  const seat = page.headSeat();
  const { turn } = (page.judgedAt(app.ply) && app.session?.frames[app.ply - 1].position) || now; // of a move that is judged
  return (
    <h1 id="headline">
      {seat !== null ? <Sign owner={seat} /> : null}
      <span>{app.lesson ? t.lesson.title(app.lesson.step + 1, page.lessonSteps) : page.headline()}</span>
      {now.phase !== "over" ? (
        <small title={t.turnOf(turn + 1, now.turns)}>
          {app.puzzle ? t.puzzleRated(ratingOf(app.puzzles[app.puzzle.at])) : `${turn + 1} / ${now.turns}`}
        </small>
      ) : null}
    </h1>
  );
}

/** @param {{ now: Position }} props */
function Body({ now }) {
  const { session } = app;
  if (!session) return null;
  if (page.exercise()) return <Exercise now={now} />;
  if (now.phase === "over" && page.atEnd() && !app.counting) return <Result />;
  if (page.isChoosing()) return <Choosing now={now} />;
  if (session.saved.kind === "record" || session.over) return <Look now={now} />;
  return <Waiting now={now} />;
}

// --- A person decides ----------------------------------------------------------------------------

/** @param {{ now: Position }} props */
const Choosing = ({ now }) => (
  <>
    {now.phase === "act" ? <Acts now={now} /> : <Hand now={now} />}
    <Effect now={now} />
  </>
);

// The hand, once and large; while a jungle space is filled, the display.
/** @param {{ now: Position }} props */
export function Hand({ now }) {
  const { session } = app;
  const offered = page.tilesOffered();
  const isFill = now.phase === "fill" && offered.length > 0;
  const seat = isFill ? (now.seat ?? 0) : page.handSeat();
  if (!session || seat === null) return null;
  const hand = isFill ? offered : (session.hand(app.ply, seat, app.allHands) ?? []);
  if (!hand.length) return null; // all tiles are placed
  const kinds = offered.length ? [...new Set(hand)] : hand;
  return (
    <div
      class="hand"
      role="group"
      aria-label={isFill ? t.display : page.nameOf(seat) === t.you ? t.hand : t.handOf(page.nameOf(seat))}
    >
      {kinds.map((kind, k) => {
        const copies = offered.length && !isFill ? hand.filter((one) => one === kind).length : 1;
        const picture = isFill ? <JungleIcon kind={kind} /> : <WorkerIcon owner={seat} kind={kind} />;
        if (!offered.includes(kind))
          return (
            <span key={k} class="held">
              {picture}
            </span>
          );
        return (
          <button
            key={k}
            type="button"
            class="pickable"
            data-tile={kind}
            aria-pressed={kind === app.pick.tile}
            title={String(k + 1)}
            onClick={() => page.pickTile(kind)}
            onPointerDown={(event) => !event.button && dragTile(event, kind)}
          >
            {picture}
            {copies > 1 ? <b class="copies">×{copies}</b> : null}
          </button>
        );
      })}
    </div>
  );
}

/** The choices of edges, the best first. @param {{ now: Position }} props */
const Acts = ({ now }) => (
  <div class="acts">
    {page.offered().map((choice) => (
      <button
        key={choice.action}
        type="button"
        aria-pressed={choice.action === app.pick.action}
        data-action={choice.action}
        onClick={() => page.chooseOrPlay(choice)}
        onPointerEnter={() => update({ preview: { ...choice.move, seat: now.seat ?? 0 } })}
        onPointerLeave={() => update({ preview: null })}
      >
        <Icon name={`j-${kindOn(now, choice.move.cell)}`} />
        <span>{page.wordsOf(choice)}</span>
        <Gains choice={choice} seat={now.seat ?? 0} />
      </button>
    ))}
  </div>
);

const GOODS = /** @type {const} */ ({ gold: "coin", cacao: "pod", sun: "sunface", water: "drop", temples: "pyramid" });

/** What a choice brings to who decides, as small signs. @param {{ choice: Choice, seat: number }} props */
function Gains({ choice, seat }) {
  const goods = choice.effects.gains[seat] ?? {};
  return (
    <span class="gains" aria-hidden="true">
      {Object.entries(GOODS).map(([name, icon]) => {
        const n = goods[/** @type {keyof typeof GOODS} */ (name)];
        return n ? (
          <span key={name}>
            {plus(n)}
            <Icon name={icon} />
          </span>
        ) : null;
      })}
    </span>
  );
}

/** The rest of a reason, for those who ask. @param {{ text?: string }} props */
const Rest = ({ text }) =>
  text ? (
    <details class="more">
      <summary>{t.wholeReason}</summary>
      {text}
    </details>
  ) : null;

const Coach = () => (
  <>
    <p class="tip" role="status">
      <b>{t.coachName}</b> {app.coach?.text}
    </p>
    <Rest text={app.coach?.more} />
  </>
);

/** What the choice would do. @param {{ now: Position }} props */
function Effect({ now }) {
  const choice = page.ghost();
  if (!choice)
    return (
      <div class="effect" id="effect">
        {app.coach ? <Coach /> : <p class="quiet">{now.phase === "over" ? "" : t.how[now.phase]}</p>}
      </div>
    );
  const { fills, draws, acts } = choice.effects;
  const isWhole = !fills && !draws && !acts; // what is still to be decided may bring more
  const worth = choice.worth && isWhole ? `(${t.scoreChange(plus(choice.worth))})` : "";
  const isFirm = page.picked() !== null;
  return (
    <div class={`effect${isFirm ? " firm" : ""}`} id="effect">
      {now.phase === "act" ? null : <strong>{page.wordsOf(choice)}</strong>}
      <p>
        <Gains choice={choice} seat={now.seat ?? 0} /> {worth} {page.broughtWords(choice, false)}
      </p>
      {app.hint && isFirm ? <p class="hint">{app.hint}</p> : null}
    </div>
  );
}

/** @param {{ now: Position }} props */
function Buttons({ now }) {
  const { session } = app;
  if (!session || app.counting) return <div class="buttons" />;
  const choosing = page.isChoosing();
  const choice = page.picked();
  const ghost = page.ghost();
  const turns = ghost
    ? page.choicesAt(ghost.move.cell).filter(({ move }) => move.type === ghost.move.type).length > 1
    : now.phase === "place";
  const live = page.isLive();
  return (
    <div class="buttons">
      {choosing || app.showing || (session.awaits === "agent" && page.atEnd()) ? (
        // While others decide the button stays, so that a second click on it meets no other one.
        <button
          type="button"
          id={choosing ? "confirm" : undefined}
          class="main"
          disabled={!choosing || !choice}
          onClick={page.confirm}
        >
          {t.verbs[choice?.move.type ?? (now.phase === "over" ? "act" : now.phase)]}
        </button>
      ) : null}
      {choosing && now.phase !== "act" ? (
        <button type="button" id="turn" disabled={!turns} onClick={() => page.turn(1)} title="R">
          <Line name="turn" />
          {t.turnTile}
        </button>
      ) : null}
      {(live || page.exercise()) && !page.atEnd() && !app.showing ? (
        <button type="button" id="to-game" class="main" onClick={() => page.go(session.last)}>
          {t.backToGame}
        </button>
      ) : null}
      {session.awaits === "agent" ? (
        <button type="button" id="pause" aria-pressed={app.paused} onClick={app.paused ? page.resume : page.pause}>
          <Line name={app.paused ? "play" : "pause"} />
          {app.paused ? t.goOn : t.pause}
        </button>
      ) : null}
      {choosing && page.mayThink() ? (
        <button
          type="button"
          id="hint"
          class="only"
          aria-label={t.hint}
          title={t.hint}
          disabled={app.thinking !== null}
          onClick={page.hint}
        >
          {app.thinking ? "…" : <Line name="hint" />}
        </button>
      ) : null}
      {app.trying ? (
        <button type="button" id="back-to-review" onClick={page.backToReview}>
          {t.review}
        </button>
      ) : null}
      {app.puzzle ? <PuzzleButtons /> : null}
      {app.lesson ? <LessonButtons /> : null}
      {(!live && !page.exercise()) || (session.over && page.atEnd()) ? <AfterButtons /> : null}
      {live ? (
        <button
          type="button"
          id="undo"
          class="only"
          aria-label={t.undo}
          disabled={!session.canUndo}
          onClick={page.undo}
          title={`${t.undo} (U)`}
        >
          <Line name="undo" />
        </button>
      ) : null}
      {live && session.undone.length ? (
        <button
          type="button"
          id="redo"
          class="only"
          aria-label={t.redo}
          onClick={page.redo}
          title={`${t.redo} (Shift+U)`}
        >
          <Line name="redo" />
        </button>
      ) : null}
    </div>
  );
}

// --- Others decide, hand-over --------------------------------------------------------------------

/** @param {{ now: Position }} props */
function Waiting({ now }) {
  const { session } = app;
  const seat = session?.now.seat ?? 0;
  const player = session?.players[seat];
  const isSlow = player && !player.person && !session.saved.actions.length && player.level === player.agent;
  const text = app.showing
    ? page.toldTurn()
    : !page.atEnd()
      ? t.earlier
      : app.paused
        ? t.pausedText
        : app.deciding
          ? `${t.thinking(page.nameOf(seat))} ${isSlow ? t.ownAgents : ""}`
          : page.toldTurn();
  return (
    <>
      <Hand now={now} />
      <div class="effect">
        {app.coach && !app.showing ? <Coach /> : null}
        <p>{text}</p>
        {app.deciding && !app.paused ? <span class="working" aria-hidden="true" /> : null}
      </div>
    </>
  );
}

// The table stays in view, with what the last move did; only hands are hidden.
/** @param {{ seat: number }} props */
function Curtain({ seat }) {
  const name = page.nameOf(seat);
  return (
    <div class="curtain" id="curtain">
      <p>{page.toldMoves(app.ply - 1, app.ply)}</p>
      <h2>
        <Sign owner={seat} /> {t.handOver(name)}
      </h2>
      <button type="button" class="main" id="lift-curtain" onClick={() => page.liftCurtain()}>
        {t.iAm(name)}
      </button>
      <div class="buttons">
        <button type="button" class="link" id="no-curtain" onClick={() => page.liftCurtain(true)}>
          {t.noCurtain}
        </button>
        <button type="button" class="link" id="undo" disabled={!app.session?.canUndo} onClick={page.undo}>
          {t.undo}
        </button>
      </div>
    </div>
  );
}

// --- Looking at a finished game ------------------------------------------------------------------

/** The move that led to the frame, and what a review says of it. @param {{ now: Position }} props */
function Look({ now }) {
  const { session } = app;
  const frame = page.frame();
  if (!session || !frame) return null;
  const judged = page.judgedAt(app.ply);
  const isBest = judged && (judged.best === judged.action || judged.gold < page.LEAST);
  const [short, rest] = judged ? page.why(judged, { made: page.madeWords(session, judged) }) : [];
  const [number, all] = [page.mistakes().indexOf(app.ply) + 1, page.mistakes().length];
  return (
    <>
      <div class="effect told">
        {frame.step?.auto ? <small class="quiet">({t.automatic})</small> : null}{" "}
        {judged && !isBest ? <Loss judged={judged} /> : null}{" "}
        {number ? <small class="quiet">{t.mistakeOf(number, all)}</small> : null}
        {judged && isBest ? <p class="fine">{t.wasBest}</p> : null}
        {judged && !isBest ? (
          <>
            <p>
              {t.best}: {bestWords(judged)}. {short}
            </p>
            <Rest text={rest} />
          </>
        ) : null}
        {session.saved.review && !judged ? <p class="quiet">{t.noDecision}</p> : null}
      </div>
      {judged ? null : <Hand now={now} />}
    </>
  );
}

/** @param {import("./types.js").Judged} judged */
function bestWords(judged) {
  const move = page.moveAt(judged.ply, judged.best);
  const position = /** @type {import("./session.js").Session} */ (app.session).frames[judged.ply].position;
  return choiceWords(move, kindOn(position, move.cell));
}

// Gold lost a decision: what a careful beginner and the strongest agent lose, measured with the same judge.
const REFERENCES = { greedy: 0.63, best: 0.19 }; // node references.mjs 8

/** One's play as a number, and the luck beside it. */
function Figures() {
  const { session } = app;
  const review = session?.saved.review;
  if (!session || !review) return null;
  const most = Math.max(2, ...review.seats.map((one) => one.mean_loss));
  const at = (/** @type {number} */ loss) => `${100 - (100 * Math.min(loss, most)) / most}%`;
  return (
    <div class="figures">
      {review.seats.map((one, seat) => (
        <div key={seat} class={`own${seat}`} title={t.yourPlay(page.nameOf(seat))}>
          <span class="who">
            <Sign owner={seat} /> {page.nameOf(seat)}
          </span>
          <span class="scale">
            <i style={{ left: at(REFERENCES.greedy) }} />
            <i style={{ left: at(REFERENCES.best) }} />
            <b style={{ left: at(one.mean_loss) }} />
          </span>
          <span class="number">{num(one.mean_loss, 2)}</span>
          <span class="number quiet" title={t.luckHow}>
            {t.luck} {one.luck > 0 ? "+" : ""}
            {one.luck < 0 ? `−${percent(-one.luck)}` : percent(one.luck)}
          </span>
        </div>
      ))}
      <small class="quiet">{t.betweenAgents(num(REFERENCES.greedy, 2), num(REFERENCES.best, 2))}</small>
    </div>
  );
}

/** The end: the players by rank. */
function Result() {
  const { session } = app;
  const now = page.frame()?.position;
  if (!session || !now) return null;
  const ahead = (/** @type {number} */ a, /** @type {number} */ b) =>
    now.seats[a].score - now.seats[b].score || now.seats[a].cacao - now.seats[b].cacao;
  const order = now.seats.map((_, seat) => seat).sort((a, b) => ahead(b, a));
  const ranks = now.seats.map((_, seat) => 1 + order.filter((other) => ahead(other, seat) > 0).length);
  const isTie = order.some((seat, k) => k > 0 && now.seats[seat].score === now.seats[order[k - 1]].score);
  return (
    <div class="result scroll" id="result" tabIndex={0} role="region" aria-label={t.ask.over}>
      <Breakdown seats={order} ranks={ranks} />
      {isTie ? <p class="quiet tie">{t.tieCacao}</p> : null}
      {session.saved.review ? <Figures /> : null}
    </div>
  );
}

function AfterButtons() {
  const { session } = app;
  if (!session) return null;
  const { saved } = session;
  const judged = page.judgedAt(app.ply);
  const mistakes = page.mistakes();
  const next = mistakes.find((ply) => ply > app.ply) ?? mistakes[0] ?? null; // from the start again after the last one
  return (
    <>
      {saved.over && saved.kind === "game" && page.atEnd() ? (
        <>
          <button type="button" id="rematch" class="main" onClick={() => page.rematch(0)}>
            {t.rematch}
          </button>
          <button type="button" id="swap" onClick={() => page.rematch(1)}>
            {t.swap}
          </button>
        </>
      ) : null}
      {saved.review || (next !== null && saved.over) ? (
        <button
          type="button"
          id="next-mistake"
          class={page.atEnd() ? "" : "main"}
          disabled={next === null}
          onClick={() => page.go(next ?? 0)}
        >
          {t.nextMistake}
        </button>
      ) : null}
      {saved.over && app.client && !saved.review ? (
        app.reviewing ? (
          <span class="reviewing">
            <progress
              id="review-progress"
              value={app.reviewing.done}
              max={Math.max(1, app.reviewing.total)}
              aria-label={t.review}
            />{" "}
            {t.reviewing(app.reviewing.done, app.reviewing.total)}
          </span>
        ) : (
          <button type="button" id="ask-review" onClick={page.review}>
            {saved.judged?.length && !saved.coached ? t.reviewOn : t.reviewRun}
          </button>
        )
      ) : null}
      {judged && judged.best !== judged.action && judged.grade ? (
        <button type="button" id="try-again" onClick={() => page.tryAgain(app.ply)}>
          {t.tryAgain}
        </button>
      ) : null}
      {!page.atEnd() || !saved.over ? (
        <button type="button" id="play-from" onClick={() => page.playFrom(app.ply)}>
          {t.playFrom}
        </button>
      ) : null}
    </>
  );
}

// --- Exercises -----------------------------------------------------------------------------------

/** A puzzle, a decision that is tried again, or a step of the lesson. @param {{ now: Position }} props */
function Exercise({ now }) {
  const { text = "", solved = false } = page.exercise() ?? {};
  const [short, rest] = (app.puzzle ?? app.trying)?.why ?? [];
  return (
    <>
      <p class={`verdict${solved ? " fine" : ""}${app.lesson ? " taught" : ""}`} id="verdict">
        {text}
      </p>
      {short ? <p id="why">{short}</p> : null}
      <Rest text={rest} />
      {solved && now.phase === "over" ? <Result /> : null}
      {page.isChoosing() ? <Choosing now={now} /> : <Hand now={now} />}
    </>
  );
}

function PuzzleButtons() {
  const { puzzle } = app;
  if (!puzzle) return null;
  const { level } = app.puzzles[puzzle.at];
  return (
    <>
      {puzzle.solved ? null : (
        <button type="button" id="answer" onClick={page.showAnswer}>
          {t.puzzleShow}
        </button>
      )}
      <button type="button" id="next-puzzle" class={puzzle.solved ? "main" : ""} onClick={() => page.nextPuzzle(level)}>
        {t.puzzleNext}
      </button>
    </>
  );
}

function LessonButtons() {
  const { lesson } = app;
  if (!lesson) return null;
  const isLast = lesson.step === page.lessonSteps - 1;
  const next = () => (isLast ? page.beginFirst() : page.openLesson(lesson.step + 1));
  return (
    <>
      {lesson.solved && lesson.text ? (
        <button type="button" id="next-step" class="main" onClick={next}>
          {isLast ? t.lesson.play : t.lesson.next}
        </button>
      ) : null}
      <button type="button" id="leave-lesson" onClick={page.leaveLesson}>
        {t.lesson.leave}
      </button>
    </>
  );
}
