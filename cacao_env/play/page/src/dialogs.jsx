// What opens above the table: a new game, my games, puzzles, sharing, settings, rules.

import { useEffect, useRef, useState } from "preact/hooks";
import * as page from "./app.js";
import { app, update } from "./app.js";
import { Line, Sign } from "./art.jsx";
import { namesFor, puzzleOf } from "./levels.js";
import { Message } from "./message.jsx";
import { film, picture } from "./pictures.js";
import { Rules } from "./rules.jsx";
import { LANGUAGES, language, levelWords, namesWords, num, t } from "./words.js";

/** @typedef {import("./types.js").Saved} Saved @typedef {import("./types.js").Player} Player */

const CONTENTS = /** @type {Record<string, () => any>} */ ({
  new: NewGame,
  games: Games,
  puzzles: Puzzles,
  share: Share,
  settings: Settings,
  rules: () => <Rules />,
});

/** @type {() => Record<string, string>} */
const titles = () => ({
  new: t.newGame,
  games: t.myGames,
  puzzles: t.puzzles,
  share: t.shareMenu,
  settings: t.settings,
  rules: t.rulesTitle,
});

const close = () => update({ dialog: null });

export function Dialog() {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const { dialog } = app;
  useEffect(() => {
    const box = ref.current;
    if (!box) return;
    if (dialog && !box.open) box.showModal();
    if (!dialog && box.open) box.close();
  }, [dialog]);
  const Content = dialog ? CONTENTS[dialog] : null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={ref}
      class={`d-${dialog}`}
      aria-label={dialog ? titles()[dialog] : t.menu}
      onClose={close}
      onClick={(event) => event.target === ref.current && close()}
    >
      {Content ? (
        <div class="content">
          <header>
            <h1 tabIndex={-1} autofocus>
              {titles()[dialog ?? ""]}
            </h1>
            <button type="button" class="close" aria-label={t.close} onClick={close}>
              ×
            </button>
          </header>
          <Content />
          <Message />
        </div>
      ) : null}
    </dialog>
  );
}

// --- A new game ----------------------------------------------------------------------------------

function NewGame() {
  const kept = app.settings.newGame;
  const [wish, setWish] = useState({
    ...kept,
    seed: "",
    more: false,
    seats: /** @type {(string | null)[]} */ (["", null, null, null]),
    names: ["", "", "", ""],
  });
  const change = (/** @type {Partial<typeof wish>} */ changes) => setWish({ ...wish, ...changes });
  const levels = page.levels(wish.players, wish.volcanoes);
  const level = levels.some(({ id }) => id === wish.level) ? wish.level : (levels.at(-1)?.id ?? "grower");
  const start = (/** @type {Event} */ event) => {
    event.preventDefault();
    const { players, volcanoes, seconds } = wish;
    page.set({ newGame: { players, level: wish.level, volcanoes, seconds } });
    const used = wish.seats.slice(0, players);
    const taken = wish.names.filter(Boolean);
    const others = namesFor(players, Date.now(), taken);
    const seed = wish.seed.trim();
    page.begin({
      players: used.map((seat, k) =>
        seat === ""
          ? { person: true, name: wish.names[k].trim().slice(0, 60) }
          : page.opponent(seat ?? level, others[k], seconds),
      ),
      volcanoes,
      seed: seed === "" ? undefined : /^-?\d{1,15}$/.test(seed) ? Number(seed) : seed,
    });
  };
  const isNew = !app.progress.taught && !app.session;
  return (
    <form onSubmit={start}>
      {isNew ? <p>{t.whatIs}</p> : null}
      {app.client ? (
        <button type="button" id="first-game" class="card first" onClick={page.beginFirst}>
          <strong>{t.first_game}</strong>
          <span>{t.levels.seedling[0]}</span>
        </button>
      ) : null}
      <fieldset class="choice players-choice">
        <legend>{t.numberPlayers}</legend>
        {[2, 3, 4].map((n) => (
          <label key={n} class="pill">
            <input
              type="radio"
              name="players"
              value={n}
              checked={wish.players === n}
              onChange={() => change({ players: n })}
            />
            <span>{n}</span>
          </label>
        ))}
      </fieldset>
      <fieldset class="choice levels">
        <legend>{t.level}</legend>
        {levels.map(({ id }) => (
          <label key={id} class="card">
            <input type="radio" name="level" value={id} checked={level === id} onChange={() => change({ level: id })} />
            <span>
              <strong>{levelWords(id)[0]}</strong>
              <small>{levelWords(id)[1]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <details class="more" open={wish.more} onToggle={(event) => setWish({ ...wish, more: event.currentTarget.open })}>
        <summary>{t.more}</summary>
        <div class="seats">
          {Array.from({ length: wish.players }, (_, k) => (
            <div key={k}>
              <label for={`seat${k}`}>
                <Sign owner={k} /> {t.seatName(k + 1)}
              </label>
              <select
                id={`seat${k}`}
                value={wish.seats[k] ?? level}
                onChange={({ currentTarget: { value } }) =>
                  change({ seats: wish.seats.map((one, at) => (at === k ? value : one)) })
                }
              >
                <option value="">{t.person}</option>
                {levels.map(({ id }) => (
                  <option key={id} value={id}>
                    {levelWords(id)[0]}
                  </option>
                ))}
              </select>
              {wish.seats[k] === "" ? (
                <input
                  type="text"
                  id={`name${k}`}
                  maxLength={60}
                  placeholder={t.name}
                  aria-label={`${t.name} ${k + 1}`}
                  value={wish.names[k]}
                  onInput={({ currentTarget: { value } }) =>
                    change({ names: wish.names.map((one, at) => (at === k ? value : one)) })
                  }
                />
              ) : null}
            </div>
          ))}
        </div>
        <label class="check">
          <input
            type="checkbox"
            id="volcanoes"
            checked={wish.volcanoes}
            onChange={(event) => change({ volcanoes: event.currentTarget.checked })}
          />{" "}
          {t.volcanoes}
        </label>
        <label class="field">
          {t.time}
          <select
            id="seconds"
            value={wish.seconds}
            onChange={(event) => change({ seconds: Number(event.currentTarget.value) })}
          >
            {[0.2, 1, 3, 10].map((n) => (
              <option key={n} value={n}>
                {t.seconds(num(n, n < 1 ? 1 : 0))}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          {t.seed}
          <input
            id="seed"
            type="text"
            placeholder={t.any}
            value={wish.seed}
            onInput={(event) => change({ seed: event.currentTarget.value })}
          />
        </label>
      </details>
      {app.store.lasts ? null : <p class="quiet">{t.notSaved}</p>}
      <footer>
        {isNew ? null : (
          <button type="button" onClick={() => update({ dialog: "rules" })}>
            {t.rules}
          </button>
        )}
        <button type="button" id="lesson" class="link" onClick={() => page.openLesson()}>
          {t.lessonOffer}
        </button>
        <button type="submit" id="begin" class="main">
          {t.begin}
        </button>
      </footer>
    </form>
  );
}

// --- My games ------------------------------------------------------------------------------------

/** @param {Saved} saved */
const playersOf = (saved) => namesWords(page.namesOf(saved.players));

/** What one lost a decision in each reviewed game, the first game first. @param {{ games: Saved[] }} props */
function Trend({ games }) {
  const losses = games
    .flatMap(({ players, review }) => {
      const seats = players.flatMap(({ person }, seat) => (person ? [seat] : []));
      return review && seats.length === 1 ? [review.seats[seats[0]].mean_loss] : [];
    })
    .reverse();
  if (losses.length < 2) return null;
  const most = Math.max(2, ...losses);
  const points = losses.map((loss, k) => [8 + (504 * k) / (losses.length - 1), 52 - (44 * loss) / most]);
  return (
    <figure class="trend">
      <figcaption>
        {t.trend}: {num(losses[0], 2)} … {num(losses[losses.length - 1], 2)}
      </figcaption>
      <svg viewBox="0 0 520 60" role="img" aria-label={`${t.trend}: ${losses.map((loss) => num(loss, 2)).join("; ")}`}>
        <line x1="8" x2="512" y1="52" y2="52" />
        <polyline points={points.join(" ")} />
        {points.map(([x, y]) => (
          <circle key={x} cx={x} cy={y} r="4" />
        ))}
      </svg>
    </figure>
  );
}

function Games() {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const some = app.games.filter((one) =>
    `${playersOf(one)} ${new Date(one.changed).toLocaleDateString(language)}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div class="row">
        <input
          type="search"
          id="search"
          placeholder={t.search}
          aria-label={t.search}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <button type="button" id="open-file" onClick={openFile}>
          {t.openFile}
        </button>
        <button type="button" id="export" disabled={!app.games.length} onClick={page.exportGames}>
          {t.export}
        </button>
      </div>
      {app.store.lasts ? null : (
        <p class="quiet">
          {t.notSaved}{" "}
          <button type="button" class="link" disabled={!app.session} onClick={page.saveFile}>
            {t.saveNow}
          </button>
        </p>
      )}
      <Trend games={app.games.filter(({ kind }) => kind === "game")} />
      <List games={some.filter(({ kind }) => kind !== "record")} />
      <List games={some.filter(({ kind }) => kind === "record")} title={t.others} />
      {some.length ? null : <p class="quiet">{t.noGames}</p>}
    </>
  );
}

/** The list may be older than the game that is shown. @param {Saved} saved */
const openGame = (saved) => page.open(app.session?.saved.id === saved.id ? app.session.saved : saved, { keep: false });

/** @param {{ games: Saved[], title?: string }} props */
const List = ({ games, title }) =>
  games.length ? (
    <>
      {title ? <h2>{title}</h2> : null}
      <ul class="games">
        {games.map((saved) => (
          <li key={saved.id}>
            <button type="button" class="game" onClick={() => openGame(saved)}>
              <strong>{playersOf(saved)}</strong>
              <span>
                {saved.over
                  ? saved.scores
                      .map((score, seat) => (saved.winners.includes(seat) ? `★${num(score)}` : num(score)))
                      .join(" : ")
                  : t.going(saved.turn + 1, saved.turns)}
              </span>
              <small>
                {new Date(saved.changed).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })}
                {saved.review ? ` · ${t.reviewed}` : ""}
              </small>
            </button>
            <button
              type="button"
              class="remove"
              aria-label={`${t.remove}: ${playersOf(saved)}`}
              title={t.remove}
              onClick={() => page.removeGame(saved)}
            >
              <Line name="close" />
            </button>
          </li>
        ))}
      </ul>
    </>
  ) : null;

export function openFile() {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: ".json,application/json" });
  input.onchange = async () => {
    const [file] = input.files ?? [];
    if (file) await page.openText(await file.text());
  };
  input.click();
}

// --- Puzzles -------------------------------------------------------------------------------------

function Puzzles() {
  const { puzzles } = app;
  if (!puzzles.length) return <p>{t.noPuzzles}</p>;
  const day = page.today();
  const daily = puzzleOf(day, puzzles.length);
  return (
    <>
      <button type="button" id="daily" class="card first" onClick={() => page.openPuzzle(daily)}>
        <strong>{t.puzzleDay}</strong>
        <span>
          {page.solvedOn(daily)
            ? `✓ ${t.puzzleSolved}`
            : new Date(`${day}T12:00`).toLocaleDateString(language, { dateStyle: "medium" })}
        </span>
      </button>
      <p>{t.puzzleRating(String(app.progress.rating), app.progress.streak)}</p>
      <div class="levels">
        {t.puzzleLevel.map((name, level) => {
          const some = puzzles.flatMap((one, at) => (one.level === level ? [at] : []));
          if (!some.length) return null;
          const done = some.filter(page.solvedOn).length;
          return (
            <button key={name} type="button" class="card" data-level={level} onClick={() => page.nextPuzzle(level)}>
              <strong>{name}</strong>
              <small>{t.puzzleProgress(done, some.length)}</small>
              <progress value={done} max={some.length} aria-label={t.puzzleProgress(done, some.length)} />
            </button>
          );
        })}
      </div>
    </>
  );
}

// --- Sharing -------------------------------------------------------------------------------------

function Share() {
  const [link, setLink] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => void page.linkOf().then(setLink), [app.settings.name]);
  const make = async (/** @type {() => Promise<Blob>} */ work, /** @type {string} */ name) => {
    setBusy(true);
    try {
      page.download(name, await work());
    } catch (error) {
      page.say(/** @type {Error} */ (error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="share">
      <label class="field">
        {t.yourName}
        <input
          type="text"
          id="my-name"
          maxLength={60}
          value={app.settings.name}
          onInput={(event) => page.set({ name: event.currentTarget.value.trim() })}
        />
      </label>
      <button type="button" id="share-link" class="card" onClick={page.copyLink}>
        <strong>{t.link}</strong>
      </button>
      <button type="button" id="share-file" class="card" onClick={page.saveFile}>
        <strong>{t.file}</strong>
      </button>
      <button type="button" id="share-picture" class="card" disabled={busy} onClick={() => make(picture, "cacao.png")}>
        <strong>{t.picture}</strong>
      </button>
      <button type="button" id="share-film" class="card" disabled={busy} onClick={() => make(film, "cacao.gif")}>
        <strong>{t.film}</strong>
      </button>
      <input
        id="link"
        type="text"
        readOnly
        aria-label={t.link}
        value={link}
        onFocus={(event) => event.currentTarget.select()}
      />
      {busy ? <p role="status">{t.filming}</p> : null}
    </div>
  );
}

// --- Settings ------------------------------------------------------------------------------------

/** @param {{ id: "oneClick" | "motion" | "sound" | "heat", text: string }} props */
const Check = ({ id, text }) => (
  <label class="check">
    <input
      type="checkbox"
      id={`set-${id}`}
      checked={app.settings[id]}
      onChange={(event) => page.set({ [id]: event.currentTarget.checked })}
    />{" "}
    {text}
  </label>
);

function Settings() {
  return (
    <div class="settings">
      <label class="field">
        {t.languageLabel}
        <select id="language" value={language} onChange={(event) => page.set({ language: event.currentTarget.value })}>
          {Object.entries(LANGUAGES).map(([key, texts]) => (
            <option key={key} value={key}>
              {texts.language}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {t.theme}
        <select
          id="theme"
          value={app.settings.theme}
          onChange={(event) => page.set({ theme: /** @type {"auto"} */ (event.currentTarget.value) })}
        >
          {Object.entries(t.themes).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {t.speed}
        <select
          id="pace"
          value={app.settings.pace}
          onChange={(event) => page.set({ pace: Number(event.currentTarget.value) })}
        >
          {t.speeds.map((text, k) => (
            <option key={text} value={k}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Check id="oneClick" text={t.oneClick} />
      <Check id="motion" text={t.motion} />
      <Check id="sound" text={t.sound} />
      <Check id="heat" text={t.heat} />
    </div>
  );
}
