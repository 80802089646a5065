// A game in play: requests that change it, agents that decide, other tabs, the hand-over between people.

const AGENT_SECONDS = 0.45;   // that an agent's decision is shown at least
const FOLLOW_SECONDS = 1.5;   // between two looks whether another tab has changed the game

function showGame(game) {
  clear("game", game.id, game.names);
  takeGame(game, { isNew: true });
}

// Take the answer of a game: frames from `since` on, and the decision to make.
async function takeGame(game, { isNew = false, byAgent = false } = {}) {
  const wasAtEnd = isNew || atEnd();
  const from = Math.max(1, game.since);
  state.frames = [...state.frames.slice(0, game.since), ...game.frames];
  if (game.people.length > 1 && !game.over) {  // nobody looks back at another's hand
    state.frames = state.frames.map((one, ply) => (ply < lastPly()
      ? { ...one, seats: one.seats.map((seat) => ({ ...seat, hand: null })) } : one));
  }
  Object.assign(state, {
    title: game.names.map(tr).join(" – "), people: game.people, names: game.names, seats: game.seats, peopleNames: game.people_names,
    volcanoes: game.volcanoes, choices: game.choices, awaits: game.awaits, over: game.over, changes: game.changes,
    canUndo: game.can_undo, busy: false,
  });
  if (wasAtEnd) Object.assign(state, { thought: null, about: null, hint: null, preview: null });
  if (!wasAtEnd) state.ply = Math.min(state.ply, lastPly());
  else if (byAgent && !isStill() && from <= lastPly()) {
    if (!await showFrom(from)) return draw();
  } else {
    state.showing += 1;
    state.ply = lastPly();
  }
  if (isNew) beginView();
  if (byAgent || isNew) speak(byAgent ? `${moveWords()}. ${headline()}` : headline());
  settle();
}

// The last frame is reached: people choose, agents are asked.
function settle() {
  raiseCurtain();
  resetPick();
  draw();
  if (state.everyStep && state.awaits === "person" && atEnd()) think();
  if (state.awaits === "agent" && !state.busy) letAgentDecide();
}

async function change(what, body = {}) {
  const id = state.id;
  state.busy = true;
  draw();
  const isShown = () => state.source === "game" && state.id === id;
  try {
    const game = await ask(`/api/games/${id}/${what}`, { ...body, ply: lastPly(), changes: state.changes });
    if (isShown()) await takeGame(game, { byAgent: what === "advance" });
  } catch (error) {
    if (!isShown()) return;
    state.busy = false;
    if (error.status === 409) return reload();  // this tab is behind, or its first try was heard
    say(error.message);
    draw();
  }
}

const play = (choice) => change("play", { action: choice.action });
const undoMove = () => change("undo");

async function reload() {
  const id = state.id;
  const game = await tried(() => ask(`/api/games/${id}`));
  if (game && state.id === id) takeGame(game);
}

// Ask for the deciding agent's move; of several tabs one does it, the others follow.
async function letAgentDecide() {
  const [id, changes] = [state.id, state.changes];
  await sleep(isStill() ? 0 : AGENT_SECONDS);
  const isWanted = () => state.source === "game" && state.id === id && state.changes === changes && state.awaits === "agent"
    && !state.busy && !state.paused;
  if (!isWanted()) return;
  if (!navigator.locks) return change("advance");
  await navigator.locks.request(`cacao ${id}`, { ifAvailable: true }, async (lock) => {
    const now = lock && await ask(`/api/games/${id}/changes`, undefined, { quiet: true }).catch(() => null);
    if (now?.changes === changes && isWanted()) await change("advance");
  });
  if (isWanted() && state.changes !== changes) letAgentDecide();
}

function pauseAgents() {
  state.paused = !state.paused;
  draw();
  if (!state.paused) skipTo(lastPly());
  if (!state.paused && atEnd() && state.awaits === "agent" && !state.busy) letAgentDecide();
}

// What other tabs do to the game is seen here too.
async function followOthers() {
  if (state.source !== "game" || state.busy || document.hidden) return;
  const id = state.id;
  const now = await ask(`/api/games/${id}/changes`, undefined, { quiet: true }).catch(() => null);
  if (!now || state.id !== id || state.busy) return;
  if (now.changes !== state.changes) reload();
  else if (state.awaits === "agent" && atEnd()) letAgentDecide();
}

// --- Several people at one screen ---------------------------------------------------------------

function raiseCurtain() {
  const seat = state.frames[lastPly()].seat;
  const isShared = state.people.length > 1 && state.awaits === "person" && !state.noCurtain;
  state.curtain = isShared && seat !== state.shownTo ? seat : null;
  if (state.curtain === null && state.awaits === "person") state.shownTo = seat;
}

function drawCurtain() {
  const dialog = byId("curtain");
  if (state.curtain === null) {
    if (dialog.open) dialog.close();
    return;
  }
  if (dialog.open) return;
  const name = nameOf(state.curtain);
  const again = make("input", { type: "checkbox", id: "no-curtain" });
  dialog.replaceChildren(icon(`sign-${state.curtain}`), make("h1", {}, t("Hand over to {name}", { name })),
    button(t("I am {name}: show my tiles", { name }), () => {
      state.noCurtain = again.checked;
      state.shownTo = state.curtain;
      state.curtain = null;
      resetPick();
      draw();
    }, { class: "main", id: "lift-curtain" }),
    make("label", { class: "switch" }, again, t("we may all see each other's tiles: do not ask again")));
  dialog.showModal();
}
