// The page as a whole: drawing, keys, links, files that are dropped.

function draw() {
  drawHeadline();
  drawChoice();
  drawResult();
  drawReview();
  drawSupply();
  drawSeats();
  drawTemples();
  drawLog();
  drawThink();
  drawTimeline();
  drawTable();
  drawAbout();
  drawCurtain();
  byId("subtitle").textContent = state.title;
  document.title = state.title ? `${state.title} – Cacao` : "Cacao";
  byId("hands").checked = state.hands;
  byId("hands-label").hidden = !frame() || (state.source === "game" && state.people.length > 0);
  const download = byId("download");
  download.hidden = state.source !== "game";
  download.href = `/api/games/${state.id}/record`;
  download.textContent = t(state.over ? "Save record" : "Save game");
  byId("link").hidden = !frame();
  remember();
}

function remember() {
  if (!state.source || ALONE) return;
  const ply = atEnd() && state.source === "game" ? "" : `&ply=${state.ply}`;
  history.replaceState(null, "", `#${state.source}=${state.id}${ply}`);
}

function wanted() {
  const found = new URLSearchParams(location.hash.slice(1));
  return { record: found.get("record"), game: found.get("game"), ply: Number(found.get("ply") ?? 0) || 0 };
}

async function openWanted() {
  const want = wanted();
  if (ALONE) return state.frames.length ? skipTo(want.ply) : showRecord(ALONE, want.ply);
  const isShown = want.record ? state.source === "record" && state.id === want.record
    : want.game && state.source === "game" && state.id === want.game;
  if (isShown) return skipTo(want.ply);
  await tried(refreshCatalogue);
  if (want.record) return openRecord(want.record, want.ply);
  if (want.game) {
    await openGame(want.game);
    if (want.ply && frame()) skipTo(want.ply);
    return;
  }
  draw();
  openStart();
}

const KEYS = {
  ArrowLeft: () => skipTo(state.ply - 1),
  ArrowRight: () => skipTo(state.ply + 1),
  Home: () => skipTo(0),
  End: () => skipTo(lastPly()),
  " ": () => playOn(!state.playing),
  r: () => turnPick(1),
  R: () => turnPick(-1),
  Enter: () => confirm(),
  Escape: () => {
    state.pick.cell = null;
    state.about = null;
    state.preview = null;
    draw();
  },
  f: fit,
  "+": () => zoom(1.25),
  "-": () => zoom(0.8),
};

function watchKeys() {
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input[type=text], input[type=range], select, dialog, [role=region]");
    if (busy || event.ctrlKey || event.metaKey || event.altKey || !frame()) return;
    const onButton = event.target.closest("button, a, summary, [role=button], input") && (event.key === "Enter" || event.key === " ");
    if (onButton) return;
    const number = Number(event.key);
    const kinds = pickableTiles();
    if (isChoosing() && number >= 1 && number <= kinds.length) return pickTile(kinds[number - 1]);
    if (!KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
}

function watchFiles() {
  const file = byId("file");
  byId("open").onclick = () => file.click();
  file.onchange = () => {
    if (file.files[0]) readFile(file.files[0]);
    file.value = "";
  };
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("drop").hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) byId("drop").hidden = true;
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    byId("drop").hidden = true;
    byId("start").close();
    const dropped = event.dataTransfer.files[0];
    if (dropped) readFile(dropped);
  });
}

function begun() {
  translatePage();
  watchTable();
  watchTimeline();
  watchKeys();
  if (ALONE) {
    for (const id of ["new", "open"]) byId(id).hidden = true;
  } else {
    watchFiles();
    byId("new").onclick = () => openStart();
    setInterval(followOthers, 1000 * FOLLOW_SECONDS);
  }
  byId("show-rules").onclick = openRules;
  byId("hands").onchange = (event) => {
    state.hands = event.target.checked;
    draw();
  };
  byId("curtain").addEventListener("close", () => { if (state.curtain !== null) byId("curtain").showModal(); });
  byId("message").onclick = () => { byId("message").hidden = true; };
  byId("link").onclick = async () => {
    const base = location.href.split("#")[0];
    const link = `${base}#${ALONE ? "" : `${state.source}=${state.id}&`}ply=${state.ply}`;
    await navigator.clipboard?.writeText(link).catch(() => null);
    say(link, true);
  };
  window.addEventListener("hashchange", openWanted);
  openWanted();
}

begun();
