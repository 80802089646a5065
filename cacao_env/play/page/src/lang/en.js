// The English texts.  es.js has the same keys; tsc compares them.

/** @param {number} n @param {string} one @param {string} many */
const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;

export const en = {
  language: "English",
  decimal: ".",
  and: " and ",
  you: "You",
  player: (/** @type {number} */ n) => `Player ${n}`,

  // The box
  kinds: /** @type {Record<string, string>} */ ({
    plantation1: "plantation",
    plantation2: "double plantation",
    market2: "market 2",
    market3: "market 3",
    market4: "market 4",
    mine1: "gold mine 1",
    mine2: "gold mine 2",
    water: "water",
    sun: "sun site",
    temple: "temple",
    volcano: "volcano",
  }),
  about: /** @type {Record<string, string>} */ ({
    plantation: "Each worker here takes the cacao shown. A player stores five at most.",
    market: "Each worker here may sell one cacao for the price shown.",
    mine: "Each worker here takes the gold shown.",
    water: "Each worker here carries water one field on. The field counts at the end.",
    sun: "Each worker here takes a sun token. A player keeps three at most. A token is worth 1 gold at the end, and pays for overbuilding once the jungle is used up.",
    temple: "At the end the player with the most workers here gets 6 gold, the second 3. Ties share.",
    volcano: "Two sides give 2 gold for each worker; the other two cost 1.",
  }),
  worker: (/** @type {string} */ edges) => `tile ${edges}`,
  sources: {
    sales: "markets",
    mines: "mines",
    volcanoes: "volcanoes",
    water: "water",
    sun: "sun",
    temples: "temples",
    other: "the rest",
  },
  part: (/** @type {string} */ n, /** @type {boolean} */ more, /** @type {string} */ source) =>
    `${n} ${more ? "more" : "less"} from ${source}`,
  goods: {
    gold: (/** @type {string} */ n) => `${n} gold`,
    cacao: (/** @type {string} */ n) => `${n} cacao`,
    sun: (/** @type {string} */ n) => `${n} sun`,
    water: (/** @type {string} */ n) => `${n} water`,
    temples: (/** @type {string} */ n) => `${n} at temples`,
  },
  gold: "gold",
  cacao: "cacao",
  sun: "sun tokens",
  water: "water",
  score: "score",
  pile: "pile",
  display: "Jungle display",
  junglePile: (/** @type {number} */ n) => `${n} in the pile`,
  jungleEmpty: "The jungle is used up: a sun token pays for overbuilding",
  notPlaced: (/** @type {number} */ n, /** @type {string} */ tile) => `${n} × ${tile} not placed yet`,
  ifEnded: "score if the game ended now",

  // Moves
  move: {
    place: (/** @type {string} */ tile, /** @type {string} */ cell) => `placed ${tile} at ${cell}`,
    overbuild: (/** @type {string} */ tile, /** @type {string} */ cell) => `overbuilt ${cell} with ${tile}`,
    fill: (/** @type {string} */ kind, /** @type {string} */ cell) => `filled ${cell} with ${kind}`,
    sell: (/** @type {number} */ n, /** @type {string} */ kind) =>
      n ? `sold ${n} at ${kind}` : `sold nothing at ${kind}`,
    act: (/** @type {number} */ n, /** @type {string} */ kind) =>
      n ? `used ${count(n, "worker", "workers")} at the ${kind}` : `used nobody at the ${kind}`,
  },
  told: (/** @type {string} */ name, /** @type {string} */ made) => `${name} ${made}`,
  youTold: (/** @type {string} */ made, /** @type {string} */ _choice) => `You ${made}`,
  choose: {
    place: (/** @type {string} */ tile, /** @type {string} */ cell) => `Place ${tile} at ${cell}`,
    overbuild: (/** @type {string} */ tile, /** @type {string} */ cell) => `Overbuild ${cell} with ${tile}`,
    fill: (/** @type {string} */ kind, /** @type {string} */ cell) => `Fill ${cell} with ${kind}`,
    sell: (/** @type {number} */ n, /** @type {string} */ kind) =>
      n ? `Sell ${n} at ${kind}` : `Sell nothing at ${kind}`,
    act: (/** @type {number} */ n, /** @type {string} */ kind) =>
      n ? `Use ${count(n, "worker", "workers")} at the ${kind}` : `Forgo the ${kind}`,
  },
  sides: ["north", "east", "south", "west"],
  edgeAt: (/** @type {string} */ cell, /** @type {string} */ side) => `${cell}, from the ${side}`,
  eastWest: "gold east and west",
  northSouth: "gold north and south",
  automatic: "by itself",
  deal: "The deal",
  next: {
    draw: "then a tile is drawn for the next space",
    fill: (/** @type {number} */ n) => `then ${count(n, "jungle space", "jungle spaces")} to fill`,
    act: (/** @type {number} */ n) => `then the workers of ${count(n, "edge", "edges")} work`,
  },
  canBring: (/** @type {string} */ goods) => `the workers of your tile can bring ${goods}`,
  noRoom: "no room for more",
  nothingNow: "Nothing at once",
  nothing: "nothing",
  scoreChange: (/** @type {string} */ n) => `your score ${n}`,

  // The decision
  turnOf: (/** @type {number} */ n, /** @type {number} */ all) => `turn ${n} of ${all}`,
  ask: {
    place: "place a tile",
    fill: "fill the jungle",
    act: "use your workers",
    actToo: "your workers work, too",
    over: "the game is over",
  },
  yourTurn: "Your turn",
  theirTurn: (/** @type {string} */ name) => `${name}’s turn`,
  thinking: (/** @type {string} */ name) => `${name} is thinking …`,
  ownAgents: "The first move of an agent from the command line can take a while: it is loaded and compiled.",
  pausedText: "The others wait.",
  earlier: "You look at an earlier position.",
  backToGame: "Back to the game",
  how: {
    place: "Choose a tile, then a marked space. Press the tile on the table again to turn it.",
    fill: "Choose a tile of the display, then a space marked “?”.",
    act: "Choose a line, or press a marked tile on the table to go through its choices.",
  },
  verbs: { place: "Place", overbuild: "Overbuild", fill: "Fill", act: "Do it" },
  turnTile: "Turn",
  undo: "Undo",
  redo: "Redo",
  madeCopy: "This is a copy. The finished game stays in My games.",
  hint: "Hint",
  hintIs: (/** @type {string} */ move) => `Hint: ${move}`,
  pause: "Pause",
  goOn: "Go on",
  hand: "Your hand",
  handOf: (/** @type {string} */ name) => `${name}’s hand`,
  hidden: "hidden",
  handOver: (/** @type {string} */ name) => `Pass the screen to ${name}`,
  iAm: (/** @type {string} */ name) => `I am ${name}: show my tiles`,
  noCurtain: "We may all see each other’s tiles",
  canChoose: "can be chosen",
  empty: "empty",

  // The table
  table: "The table",
  tableKeys:
    "The tiles on the table. Arrow keys move the cursor, n goes to the next choice, Space chooses, Enter confirms.",
  zoomIn: "Closer",
  zoomOut: "Farther",
  fitAll: "Show all",
  close: "Close",
  below: "Show the tile below",
  fromBelow: "from below to the top",
  workersAt: (/** @type {number} */ n) => count(n, "worker", "workers"),
  ifNow: (/** @type {number} */ n) => `${n} gold if the game ended now`,
  highlight: "highlight these tiles",
  theOthers: "The others, on average",
  whereGold: "where the gold comes from",

  // The end
  wins: (/** @type {string} */ names) => `${names} wins`,
  win: (/** @type {string} */ names) => `${names} win`,
  youWin: "You win",
  tieCacao: "Of players with the same score, the one with more cacao ranks higher.",
  rematch: "Play again",
  swap: "Change seats",

  // Panels
  moves: "Moves",
  temples: "Temples",
  noTemples: "No temple on the table yet.",
  think: "Think",
  players: "Players",
  review: "Review",
  course: "The course of the game",
  steps: "Steps",
  first: "First",
  back: "Back",
  forth: "Forward",
  last: "Last",
  playOn: "Play",
  stop: "Stop",
  scores: "scores",
  chances: "chances",
  chance: "chance to win",
  scoreAt: (/** @type {string} */ name) => `${name}: score if the game had ended then`,
  turn: (/** @type {number} */ n, /** @type {string} */ name) => `${n}. ${name}`,

  // Think
  thinkHow: "What would a strong player do here? The three best moves appear here and on the table.",
  made: "the move made",
  lines: { move: "Move", loss: "Gold", chance: "Wins", follows: "Then" },
  linesHow:
    "Gold: what a move loses against the best one. Wins: your chance to win after it. Then: what is expected to follow.",
  thinkRun: "Ask",
  thinkWaits: "Only when it is your turn.",
  seconds: (/** @type {string} */ n) => `${n} s`,
  expects: "expects",
  everyStep: "at every step",
  noAgents: "No agent is in this page.",

  // Review
  reviewRun: "Review this game",
  reviewOn: "Go on with the review",
  reviewing: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${all} decisions`,
  best: "Best",
  wasBest: "The best move found",
  inTurn: (/** @type {string} */ best, /** @type {string} */ made) =>
    `In this turn it brings ${best}${made && `, the move made ${made}`}.`,
  lost: (/** @type {string} */ n) => `−${n} gold`,
  inaccuracy: "inaccuracy",
  blunder: "blunder",
  nextMistake: "Next mistake",
  mistakeOf: (/** @type {number} */ n, /** @type {number} */ all) => `mistake ${n} of ${all}`,
  tryAgain: "Try again",
  playFrom: "Play on from here",
  because: (/** @type {string} */ n, than = "", above = "") =>
    `By the end of the game the best move is worth ${n} gold more${than && ` than “${than}”`}${above && `, above all because ${above}`}.`,
  gets: (/** @type {[string, string]} */ ...[who, part]) =>
    `${{ You: "you get", "The others, on average": "the others get" }[who] ?? `${who} gets`} ${part}`,
  wholeReason: "How the turn goes on, and all the gold",
  share: (/** @type {[string, string, number, string]} */ ...[name, n, sign, parts]) =>
    `${name}: ${sign ? `${n} ${sign > 0 ? "more" : "less"}` : "as much"}${parts && ` (${parts})`}.`,
  yourPlay: (/** @type {string} */ name) => `${name}: gold lost per decision`,
  betweenAgents: (/** @type {string} */ greedy, /** @type {string} */ best) =>
    `Gold lost per decision, less is better: a careful beginner ${greedy}, the strongest agent ${best}.`,
  luck: "luck of the draw",
  luckHow: "How much the drawn tiles changed the chance to win.",
  noDecision: "No decision here.",
  tryNow: "Your turn again: find a better move.",
  tryRight: "Yes: that is the best move found.",
  tryEqual: "Yes: this is as good as the best move found.",
  tryWrong: (/** @type {string} */ n, /** @type {string} */ parts) =>
    `Not yet: ${n} gold less than the best${parts ? ` (the best: ${parts})` : ""}. Try again.`,
  judging: "Your move is compared with the best …",

  // Puzzles
  puzzles: "Puzzles",
  puzzleAsk: "Find the best placement",
  puzzleDay: "Puzzle of the day",
  puzzleNext: "Next puzzle",
  puzzleSolved: "Solved",
  puzzleShow: "Show the answer",
  puzzleAnswer: "This is the answer. It does not count as solved.",
  puzzleShown: "That was the answer. It does not count as solved.",
  puzzleRating: (/** @type {string} */ own, /** @type {number} */ streak) =>
    `Your rating: ${own}. Solved in a row at the first try: ${streak}.`,
  puzzleRated: (/** @type {number} */ rating) => `puzzle of ${rating}`,
  puzzleLevel: ["Easy", "Medium", "Hard"],
  puzzleProgress: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${all} solved`,
  puzzleWrong: "This move loses gold. Try again.",
  puzzleRight: "Right.",
  noPuzzles: "No puzzles are in this page.",

  // New game
  newGame: "New game",
  whatIs:
    "Cacao is a board game for two to four. You lay tiles, your workers harvest and sell cacao, and the most gold wins.",
  lessonOffer: "New to Cacao? Learn it in eight moves.",
  begin: "Begin",
  first_game: "First game, with a coach",
  numberPlayers: "Players",
  level: "Opponents",
  seatName: (/** @type {number} */ n) => `Seat ${n}`,
  person: "a person",
  name: "name",
  more: "More",
  seed: "Seed of the deal",
  any: "any",
  volcanoes: "Volcanoes instead of gold mines",
  time: "Thinking time of the strongest",
  levels: /** @type {Record<string, string[]>} */ ({
    seedling: ["Seedling", "for a first game: often plays at random"],
    grower: ["Grower", "takes what it sees at once"],
    trader: ["Trader", "plays each move to the end, many times"],
    chief: ["Chief", "a trained network, very strong, answers at once"],
    jaguar: ["Jaguar", "the network with search: the strongest"],
  }),
  ownAgent: "from the command line",

  // Games
  myGames: "My games",
  search: "Search",
  noGames: "No games yet.",
  remove: "Delete",
  export: "Export all",
  imported: (/** @type {number} */ n) => count(n, "game", "games"),
  going: (/** @type {number} */ n, /** @type {number} */ all) => `turn ${n} of ${all}`,
  reviewed: "reviewed",
  others: "From files and links",
  trend: "Gold that you lost per decision, game by game",
  undoDelete: "Restore",
  deleted: "Deleted.",
  dropFile: "Drop a record or a saved game to open it",
  openFile: "Open a file",

  // Share
  shareMenu: "Share",
  file: "File",
  link: "Link",
  picture: "Picture",
  film: "Film",
  yourName: "Your name, for others",
  copied: "The link is copied. It has the whole game.",
  filming: "The film is made …",

  // Settings
  settings: "Settings",
  oneClick: "One click makes a move",
  motion: "Motion",
  speed: "Pace of the others",
  speeds: ["slow", "normal", "fast", "at once"],
  sound: "Sound",
  heat: "Show the best moves on the table",
  theme: "Colours",
  themes: { auto: "as the system", light: "light", dark: "dark" },
  languageLabel: "Language",
  menu: "Menu",
  rules: "Rules",
  keys: "Keys",
  allHands: "All hands",
  rulesTitle: "The rules of Cacao",
  keyList: [
    ["1 … 5", "choose a tile"],
    ["Tab", "reach the table; the arrow keys move its cursor"],
    ["n, p", "cursor to the next or previous space that can be chosen"],
    ["Space", "on the table: choose the space, again: turn the tile"],
    ["R, Shift+R", "turn the tile"],
    ["Enter", "confirm"],
    ["Esc", "cancel the choice"],
    ["U, Shift+U", "undo, redo"],
    ["← →, Home, End", "step through the game"],
    ["F, +, −", "show all, closer, farther"],
  ],

  // Coach: of a space, how many workers find work there, and the gold that it is worth, or the cacao
  coachName: "Coach",
  coachHello:
    "Before a move I may point to something on the table. After a move I say what would have been better, and why.",
  hints: {
    market: (/** @type {string} */ cell, /** @type {number} */ n, /** @type {string} */ gold) =>
      `The market on ${cell} pays ${gold} gold at once to ${count(n, "worker", "workers")}, for cacao that you have or harvest.`,
    mine: (/** @type {string} */ cell, /** @type {number} */ n, /** @type {string} */ gold) =>
      `The mine on ${cell} pays ${gold} gold at once to ${count(n, "worker", "workers")}.`,
    water: (/** @type {string} */ cell, /** @type {number} */ n, /** @type {string} */ gold) =>
      `The water on ${cell} is worth ${gold} gold to ${count(n, "worker", "workers")}.`,
    plantation: (/** @type {string} */ cell, /** @type {number} */ n, /** @type {string} */ cacao) =>
      `The plantation on ${cell} gives ${cacao} cacao to ${count(n, "worker", "workers")}.`,
    temple: (/** @type {string} */ cell, /** @type {number} */ n, /** @type {string} */ gold) =>
      `With ${count(n, "more worker", "more workers")} you lead at the temple on ${cell}: ${gold} gold more at the end.`,
  },
  after: (/** @type {[string, string, string, string]} */ ...[made, got, best, why]) =>
    `Last turn: ${made}. From there it brought ${got}. Better would have been: ${best}. ${why}`,

  // The lesson
  lesson: {
    title: (/** @type {number} */ n, /** @type {number} */ all) => `Lesson, ${n} of ${all}`,
    next: "Next",
    leave: "Leave the lesson",
    play: "First game, with a coach",
    again: "That is allowed, but it shows something else: turn the tile, or choose another space.",
    fill: "Now two worker tiles touch an empty jungle space, so you fill it: choose a tile and a space marked “?”.",
    steps: [
      {
        ask: "Whoever has the most gold after eleven tiles wins. A tile has workers on its edges. Place one so that workers touch the plantation: each takes a cacao.",
        done: "Every worker of a new tile works once, at the jungle tile it faces. You can store five cacao. A tile is named by its workers, clockwise from the top, such as 2-1-0-1. Each step shows another moment of one game.",
      },
      {
        ask: "Some turns later you have two cacao. Place a tile so that workers touch a market: each sells one cacao for the price shown.",
        done: "Gold comes from markets first of all; a mine pays its nuggets at once to each worker. Harvest, then sell where the price is high: cacao that is left at the end is worth nothing. In a game you say how many you sell.",
      },
      {
        ask: "Your tiles also make the jungle grow. Place a tile so that an empty space gets its second worker tile.",
        done: "At a new jungle tile all workers around it work at once, the other player’s too. You chose the tile, so choose what helps you.",
      },
      {
        ask: "Your water carrier stands on −10: that gold is lost at the end. Place a tile so that workers touch the water: each moves the carrier one field on.",
        done: "The fields count −10, −4, −1, 0, 2, 4, 7, 11 and 16 at the end. The number in brackets beside your gold includes them.",
      },
      {
        ask: "A sun site gives a sun token to each worker. Place a tile with workers at one.",
        done: "You can hold three tokens. Each is worth 1 gold at the end. Late in the game it pays for something better, as you will see.",
      },
      {
        ask: "Temples pay at the end: 6 gold for the most workers around, 3 for the second most. Place a tile with workers at a temple.",
        done: "Press a temple to see who leads there. If two lead with as many workers, they share the 6 gold, and nobody is second.",
      },
      {
        ask: "The jungle is used up. Now a sun token lets you put a tile on one of your own. Do that: press one of your framed tiles.",
        done: "The workers of the new tile all work, as those of any new tile do; those below count no more. A tile can be built over once.",
      },
      {
        ask: "Your last tile. Place it where it brings you most: gold, water or a temple.",
        done: "The game is over: gold, water, suns and temples add up, and the most wins. You know enough to play.",
      },
    ],
  },

  // Errors
  badLink: "This link does not hold a game.",
  badFile: (/** @type {string} */ why) => `This file can’t be opened: ${why}`,
  lostGame: "This game is not in this browser. The link worked only there; a shared link has the whole game.",
  agentFailed: (/** @type {string} */ name, /** @type {string} */ why) => `${name} can’t move: ${why}`,
  retry: "Try again",
  lostAll:
    "This browser keeps nothing for this page, so the game is gone. A file or a link from Share would have kept it.",
  notSaved: "This browser keeps no games for this page. A reload ends the game: save it as a file before.",
  saveNow: "Save as a file",
  noServer: "the server does not answer",
};

/** @typedef {typeof en} Texts */
