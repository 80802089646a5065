// Los textos en español, con los términos de la edición publicada.

/** @param {number} n @param {string} one @param {string} many */
const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;

/** @param {string} kind */
const isHer = (kind) => /^(plant|mina)/.test(kind);
/** @param {string} kind */
const the = (kind) => `${isHer(kind) ? "la" : "el"} ${kind}`;
/** @param {string} kind */
const to = (kind) => (isHer(kind) ? `a la ${kind}` : `al ${kind}`);
/** @param {string} kind */
const a = (kind) => `${isHer(kind) ? "una" : "un"} ${kind}`;

/** Why a file can't be opened; the engine says it in English. @param {string} why */
function because(why) {
  const [, move] = /^move (\d+)/.exec(why) ?? [];
  if (move) return `la jugada ${move} no es válida`;
  if (/not JSON|JSON/.test(why)) return "no es JSON";
  if (/^result/.test(why)) return "el resultado no es el de las jugadas";
  if (/^the moves end/.test(why)) return "faltan las últimas jugadas";
  if (/too long/.test(why)) return "es demasiado grande";
  if (/version/.test(why)) return "la versión no es la de esta página";
  return "no contiene una partida completa y correcta";
}

/** @type {import("./en.js").Texts} */
export const es = {
  language: "Español",
  decimal: ",",
  and: " y ",
  you: "Tú",
  player: (n) => `Jugador ${n}`,

  kinds: {
    plantation1: "plantación simple",
    plantation2: "plantación doble",
    market2: "mercado 2",
    market3: "mercado 3",
    market4: "mercado 4",
    mine1: "mina de oro 1",
    mine2: "mina de oro 2",
    water: "cenote",
    sun: "centro de culto solar",
    temple: "templo",
    volcano: "volcán",
  },
  about: {
    plantation: "Cada recolector toma aquí el cacao indicado. Los almacenes guardan cinco.",
    market: "Cada recolector puede vender aquí un fruto del cacao al precio indicado.",
    mine: "Cada recolector toma aquí el oro indicado.",
    water: "Cada recolector mueve aquí el aguador un remanso. El remanso cuenta al final.",
    sun: "Cada recolector toma aquí una ficha de Sol. Caben tres. Cada ficha vale 1 oro al final y, agotada la selva, permite construir sobre una loseta propia.",
    temple:
      "Al final, quien tenga más recolectores junto al templo recibe 6 oros y el segundo, 3. Los empatados reparten.",
    volcano: "Dos lados dan 2 oros por recolector; los otros dos cuestan 1.",
  },
  worker: (edges) => `loseta ${edges}`,
  sources: {
    sales: "mercados",
    mines: "minas",
    volcanoes: "volcanes",
    water: "agua",
    sun: "Sol",
    temples: "templos",
    other: "lo demás",
  },
  part: (n, more, source) => `${n} ${more ? "más" : "menos"} por ${source}`,
  goods: {
    gold: (n) => `${n} de oro`,
    cacao: (n) => `${n} de cacao`,
    sun: (n) => `${n} de Sol`,
    water: (n) => `${n} de agua`,
    temples: (n) => `${n} en templos`,
  },
  gold: "oro",
  cacao: "cacao",
  sun: "fichas de Sol",
  water: "agua",
  score: "puntos",
  pile: "pila",
  display: "Selva explorada",
  junglePile: (n) => `${n} en la pila de la selva`,
  jungleEmpty: "La selva se ha agotado: una ficha de Sol permite construir sobre una loseta",
  notPlaced: (n, tile) => `${n} × ${tile} sin colocar`,
  ifEnded: "puntos si la partida acabara ahora",

  move: {
    place: (tile, cell) => `coloca ${tile} en ${cell}`,
    overbuild: (tile, cell) => `construye con ${tile} sobre ${cell}`,
    fill: (kind, cell) => `llena ${cell} con ${a(kind)}`,
    sell: (n, kind) => (n ? `vende ${n} en ${the(kind)}` : `no vende nada en ${the(kind)}`),
    act: (n, kind) => (n ? `usa ${count(n, "recolector", "recolectores")} en ${the(kind)}` : `renuncia ${to(kind)}`),
  },
  told: (name, made) => `${name} ${made}`,
  youTold: (_made, choice) => `Tú: ${choice}`,
  choose: {
    place: (tile, cell) => `Colocar ${tile} en ${cell}`,
    overbuild: (tile, cell) => `Construir con ${tile} sobre ${cell}`,
    fill: (kind, cell) => `Llenar ${cell} con ${a(kind)}`,
    sell: (n, kind) => (n ? `Vender ${n} en ${the(kind)}` : `No vender nada en ${the(kind)}`),
    act: (n, kind) => (n ? `Usar ${count(n, "recolector", "recolectores")} en ${the(kind)}` : `Renunciar ${to(kind)}`),
  },
  sides: ["norte", "este", "sur", "oeste"],
  edgeAt: (cell, side) => `${cell}, desde el ${side}`,
  eastWest: "oro al este y al oeste",
  northSouth: "oro al norte y al sur",
  automatic: "sin preguntar",
  deal: "El reparto",
  next: {
    draw: "luego se roba una loseta para el siguiente espacio",
    fill: (n) => `luego ${count(n, "espacio de selva", "espacios de selva")} por llenar`,
    act: (n) => `luego trabajan los recolectores de ${n === 1 ? "1 margen" : `${n} márgenes`}`,
  },
  canBring: (goods) => `los recolectores de tu loseta pueden dar ${goods}`,
  noRoom: "no cabe más",
  nothingNow: "Nada de inmediato",
  nothing: "nada",
  scoreChange: (n) => `tus puntos ${n}`,

  turnOf: (n, all) => `turno ${n} de ${all}`,
  ask: {
    place: "coloca una loseta",
    fill: "llena la selva",
    act: "usa tus recolectores",
    actToo: "tus recolectores también trabajan",
    over: "la partida ha terminado",
  },
  yourTurn: "Tu turno",
  theirTurn: (name) => `Turno de ${name}`,
  thinking: (name) => `${name} está pensando …`,
  ownAgents: "La primera jugada de un agente de la línea de órdenes puede tardar: se carga y se compila.",
  pausedText: "Los demás esperan.",
  earlier: "Miras una posición anterior.",
  backToGame: "Volver a la partida",
  how: {
    place: "Elige una loseta y luego un espacio marcado. Pulsa otra vez la loseta en la mesa para girarla.",
    fill: "Elige una loseta de la selva explorada y luego un espacio marcado con «?».",
    act: "Elige una línea, o pulsa una loseta marcada para recorrer sus opciones.",
  },
  verbs: { place: "Colocar", overbuild: "Construir sobre", fill: "Llenar", act: "Hacerlo" },
  turnTile: "Girar",
  undo: "Deshacer",
  redo: "Rehacer",
  madeCopy: "Esto es una copia. La partida terminada sigue en Mis partidas.",
  hint: "Pista",
  hintIs: (move) => `Pista: ${move}`,
  pause: "Pausa",
  goOn: "Seguir",
  hand: "Tu mano",
  handOf: (name) => `Mano de ${name}`,
  hidden: "oculta",
  handOver: (name) => `Pasa la pantalla a ${name}`,
  iAm: (name) => `Soy ${name}: muestra mis losetas`,
  noCurtain: "Todos podemos ver las losetas de los demás",
  canChoose: "se puede elegir",
  empty: "vacío",

  table: "La mesa",
  tableKeys:
    "Las losetas de la mesa. Las flechas mueven el cursor, n va a la siguiente opción, Espacio elige, Intro confirma.",
  zoomIn: "Acercar",
  zoomOut: "Alejar",
  fitAll: "Ver todo",
  close: "Cerrar",
  below: "Ver la loseta de abajo",
  fromBelow: "de abajo arriba",
  workersAt: (n) => count(n, "recolector", "recolectores"),
  ifNow: (n) => `${n} de oro si la partida acabara ahora`,
  highlight: "resaltar estas losetas",
  theOthers: "Los demás, de media",
  whereGold: "de dónde viene el oro",

  wins: (names) => `Gana ${names}`,
  win: (names) => `Ganan ${names}`,
  youWin: "Ganas tú",
  tieCacao: "Con los mismos puntos, queda por delante quien tiene más frutos del cacao.",
  rematch: "Jugar otra vez",
  swap: "Cambiar de sitio",

  moves: "Jugadas",
  temples: "Templos",
  noTemples: "Aún no hay templos en la mesa.",
  think: "Pensar",
  players: "Jugadores",
  review: "Análisis",
  course: "El curso de la partida",
  steps: "Pasos",
  first: "Primera",
  back: "Atrás",
  forth: "Adelante",
  last: "Última",
  playOn: "Reproducir",
  stop: "Parar",
  scores: "puntos",
  chances: "probabilidades",
  chance: "probabilidad de ganar",
  scoreAt: (name) => `${name}: puntos si la partida hubiera acabado entonces`,
  turn: (n, name) => `${n}. ${name}`,

  thinkHow: "¿Qué haría aquí un jugador fuerte? Las tres mejores jugadas aparecen aquí y en la mesa.",
  made: "la jugada hecha",
  lines: { move: "Jugada", loss: "Oro", chance: "Gana", follows: "Después" },
  linesHow:
    "Oro: lo que una jugada pierde frente a la mejor. Gana: tu probabilidad de ganar tras ella. Después: lo que se espera que siga.",
  thinkRun: "Preguntar",
  thinkWaits: "Solo cuando te toca a ti.",
  seconds: (n) => `${n} s`,
  expects: "espera",
  everyStep: "en cada paso",
  noAgents: "Esta página no tiene agentes.",

  reviewRun: "Analizar esta partida",
  reviewOn: "Seguir con el análisis",
  reviewing: (done, all) => `${done} de ${all} decisiones`,
  best: "Mejor",
  wasBest: "La mejor jugada encontrada",
  inTurn: (best, made) => `En este turno da ${best}${made && `; la jugada hecha, ${made}`}.`,
  lost: (n) => `−${n} de oro`,
  inaccuracy: "imprecisión",
  blunder: "error grave",
  nextMistake: "Siguiente error",
  mistakeOf: (n, all) => `error ${n} de ${all}`,
  tryAgain: "Intentarlo otra vez",
  playFrom: "Seguir jugando desde aquí",
  because: (n, than = "", above = "") =>
    `Al final de la partida, la mejor jugada vale ${n} de oro más${than && ` que «${than}»`}${above && `, sobre todo porque ${above}`}.`,
  gets: (who, part) =>
    `${{ Tú: "tú recibes", "Los demás, de media": "los demás reciben" }[who] ?? `${who} recibe`} ${part}`,
  wholeReason: "Cómo sigue el turno, y todo el oro",
  share: (name, n, sign, parts) =>
    `${name}: ${sign ? `${n} ${sign > 0 ? "más" : "menos"}` : "lo mismo"}${parts && ` (${parts})`}.`,
  yourPlay: (name) => `${name}: oro perdido por decisión`,
  betweenAgents: (greedy, best) =>
    `Oro perdido por decisión, menos es mejor: un principiante cuidadoso, ${greedy}; el agente más fuerte, ${best}.`,
  luck: "suerte al robar",
  luckHow: "Cuánto cambiaron las losetas robadas la probabilidad de ganar.",
  noDecision: "Aquí no hay decisión.",
  tryNow: "Te toca otra vez: busca una jugada mejor.",
  tryRight: "Sí: es la mejor jugada encontrada.",
  tryEqual: "Sí: es tan buena como la mejor jugada encontrada.",
  tryWrong: (n, parts) =>
    `Todavía no: ${n} de oro menos que la mejor${parts ? ` (la mejor: ${parts})` : ""}. Prueba otra vez.`,
  judging: "Se compara tu jugada con la mejor …",

  puzzles: "Problemas",
  puzzleAsk: "Busca la mejor colocación",
  puzzleDay: "Problema del día",
  puzzleNext: "Otro problema",
  puzzleSolved: "Resuelto",
  puzzleShow: "Ver la solución",
  puzzleAnswer: "Esta es la solución. No cuenta como resuelto.",
  puzzleShown: "Esa era la solución. No cuenta como resuelto.",
  puzzleRating: (own, streak) => `Tu puntuación: ${own}. Resueltos seguidos a la primera: ${streak}.`,
  puzzleRated: (rating) => `problema de ${rating}`,
  puzzleLevel: ["Fácil", "Medio", "Difícil"],
  puzzleProgress: (done, all) => `${done} de ${all} resueltos`,
  puzzleWrong: "Con esta jugada pierdes oro. Prueba otra vez.",
  puzzleRight: "Correcto.",
  noPuzzles: "Esta página no tiene problemas.",

  newGame: "Partida nueva",
  whatIs:
    "Cacao es un juego de mesa de dos a cuatro jugadores. Colocas losetas, tus recolectores cosechan y venden cacao, y gana quien tenga más oro.",
  lessonOffer: "¿No conoces Cacao? Apréndelo en ocho jugadas.",
  begin: "Empezar",
  first_game: "Primera partida, con ayuda",
  numberPlayers: "Jugadores",
  level: "Rivales",
  seatName: (n) => `Puesto ${n}`,
  person: "una persona",
  name: "nombre",
  more: "Más",
  seed: "Semilla del reparto",
  any: "cualquiera",
  volcanoes: "Volcanes en vez de minas de oro",
  time: "Tiempo para pensar del más fuerte",
  levels: {
    seedling: ["Brote", "para una primera partida: a menudo juega al azar"],
    grower: ["Cultivador", "toma lo que ve enseguida"],
    trader: ["Mercader", "juega cada jugada hasta el final, muchas veces"],
    chief: ["Cacique", "una red entrenada, muy fuerte, responde al instante"],
    jaguar: ["Jaguar", "la red con búsqueda: el más fuerte"],
  },
  ownAgent: "el de la línea de órdenes",

  myGames: "Mis partidas",
  search: "Buscar",
  noGames: "Aún no hay partidas.",
  remove: "Borrar",
  export: "Exportar todo",
  imported: (n) => count(n, "partida", "partidas"),
  going: (n, all) => `turno ${n} de ${all}`,
  reviewed: "analizada",
  others: "De archivos y enlaces",
  trend: "Oro que perdiste por decisión, partida a partida",
  undoDelete: "Recuperar",
  deleted: "Borrada.",
  dropFile: "Suelta un registro o una partida guardada para abrirlo",
  openFile: "Abrir un archivo",

  shareMenu: "Compartir",
  file: "Archivo",
  link: "Enlace",
  picture: "Imagen",
  film: "Película",
  yourName: "Tu nombre, para los demás",
  copied: "El enlace está copiado. Contiene toda la partida.",
  filming: "Se hace la película …",

  settings: "Ajustes",
  oneClick: "Una pulsación hace la jugada",
  motion: "Movimiento",
  speed: "Ritmo de los demás",
  speeds: ["lento", "normal", "rápido", "al instante"],
  sound: "Sonido",
  heat: "Mostrar las mejores jugadas en la mesa",
  theme: "Colores",
  themes: { auto: "como el sistema", light: "claros", dark: "oscuros" },
  languageLabel: "Idioma",
  menu: "Menú",
  rules: "Reglas",
  keys: "Teclas",
  allHands: "Todas las manos",
  rulesTitle: "Las reglas de Cacao",
  keyList: [
    ["1 … 5", "elegir una loseta"],
    ["Tab", "llegar a la mesa; las flechas mueven su cursor"],
    ["n, p", "cursor al siguiente o anterior espacio que se puede elegir"],
    ["Espacio", "en la mesa: elegir el espacio; otra vez: girar la loseta"],
    ["R, Mayús+R", "girar la loseta"],
    ["Intro", "confirmar"],
    ["Esc", "anular la elección"],
    ["U, Mayús+U", "deshacer, rehacer"],
    ["← →, Inicio, Fin", "recorrer la partida"],
    ["F, +, −", "ver todo, acercar, alejar"],
  ],

  coachName: "Consejo",
  coachHello: "Antes de una jugada puedo señalarte algo en la mesa. Después te digo qué habría sido mejor, y por qué.",
  hints: {
    market: (cell, n, gold) =>
      `El mercado de ${cell} paga ahora mismo ${gold} de oro a ${count(n, "recolector", "recolectores")}, por el cacao que tienes o coseches.`,
    mine: (cell, n, gold) =>
      `La mina de ${cell} da ahora mismo ${gold} de oro a ${count(n, "recolector", "recolectores")}.`,
    water: (cell, n, gold) =>
      `El cenote de ${cell} vale ${gold} de oro para ${count(n, "recolector", "recolectores")}.`,
    plantation: (cell, n, cacao) =>
      `La plantación de ${cell} da ${cacao} de cacao a ${count(n, "recolector", "recolectores")}.`,
    temple: (cell, n, gold) =>
      `Con ${count(n, "recolector más", "recolectores más")} vas por delante en el templo de ${cell}: ${gold} de oro más al final.`,
  },
  after: (made, got, best, why) => `El turno pasado: ${made}. Desde ahí dio ${got}. Mejor habría sido: ${best}. ${why}`,

  lesson: {
    title: (n, all) => `Lección, ${n} de ${all}`,
    next: "Siguiente",
    leave: "Salir de la lección",
    play: "Primera partida, con ayuda",
    again: "Está permitido, pero muestra otra cosa: gira la loseta o elige otro espacio.",
    fill: "Ahora dos losetas de recolectores tocan un espacio de selva vacío, así que lo llenas: elige una loseta y un espacio marcado con «?».",
    steps: [
      {
        ask: "Gana quien tenga más oro después de once losetas. Una loseta tiene recolectores en sus márgenes. Coloca una de modo que toquen la plantación: cada uno toma un cacao.",
        done: "Cada recolector de una loseta nueva trabaja una vez, en la loseta de selva que tiene delante. Caben cinco de cacao. Una loseta se nombra por sus recolectores, desde arriba y hacia la derecha, como 2-1-0-1. Cada paso muestra otro momento de una partida.",
      },
      {
        ask: "Unos turnos después tienes dos de cacao. Coloca una loseta con recolectores junto a un mercado: cada uno vende un cacao al precio indicado.",
        done: "El oro viene sobre todo de los mercados; una mina paga al momento sus pepitas a cada recolector. Cosecha y luego vende donde el precio es alto: el cacao que queda al final no vale nada. En una partida decides cuánto vendes.",
      },
      {
        ask: "Tus losetas también hacen crecer la selva. Coloca una de modo que un espacio vacío toque su segunda loseta de recolectores.",
        done: "En una loseta de selva nueva trabajan enseguida todos los recolectores de alrededor, también los del otro. Tú la eliges: elige lo que te ayude.",
      },
      {
        ask: "Tu aguador está en −10: ese oro se pierde al final. Coloca una loseta con recolectores junto al cenote: cada uno mueve el aguador un remanso.",
        done: "Los remansos cuentan −10, −4, −1, 0, 2, 4, 7, 11 y 16 al final. El número entre paréntesis junto a tu oro ya los incluye.",
      },
      {
        ask: "Un centro de culto solar da una ficha de Sol a cada recolector. Coloca una loseta con recolectores junto a uno.",
        done: "Caben tres fichas. Cada una vale 1 de oro al final. Al final de la partida paga algo mejor, como verás.",
      },
      {
        ask: "Los templos pagan al final: 6 de oro a quien tenga más recolectores alrededor y 3 al segundo. Coloca una loseta con recolectores junto a un templo.",
        done: "Pulsa un templo para ver quién va por delante. Si dos van por delante con los mismos, reparten los 6 de oro y nadie es segundo.",
      },
      {
        ask: "La selva se ha agotado. Ahora una ficha de Sol te permite poner una loseta sobre una tuya. Hazlo: pulsa una de tus losetas marcadas.",
        done: "Los recolectores de la loseta nueva trabajan todos, como en cualquier otra; los de debajo ya no cuentan. Sobre una loseta se construye una sola vez.",
      },
      {
        ask: "Tu última loseta. Colócala donde más te dé: oro, agua o un templo.",
        done: "La partida ha terminado: oro, agua, soles y templos se suman, y gana quien tenga más. Ya sabes lo suficiente para jugar.",
      },
    ],
  },

  badLink: "Este enlace no contiene una partida.",
  badFile: (why) => `No se puede abrir este archivo: ${because(why)}`,
  lostGame:
    "Esta partida no está en este navegador. El enlace solo servía allí; un enlace compartido contiene toda la partida.",
  agentFailed: (name, why) => `${name} no puede jugar: ${why}`,
  retry: "Probar otra vez",
  lostAll:
    "Este navegador no guarda nada de esta página, así que la partida se ha perdido. Un archivo o un enlace de Compartir la habrían conservado.",
  notSaved:
    "Este navegador no guarda partidas de esta página. Al recargar se pierde la partida: guárdala antes en un archivo.",
  saveNow: "Guardar en un archivo",
  noServer: "el servidor no responde",
};
