// All that can be done on the page; the parts that draw it use no other module of these.

export * from "./advice.js";
export * from "./choose.js";
export * from "./exercises.js";
export * from "./games.js";
export { remember } from "./kept.js";
export * from "./lesson.js";
export * from "./play.js";
export * from "./said.js";
export * from "./state.js";
export * from "./turns.js";
