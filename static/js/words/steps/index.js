/** The entry of the sentences about steps and storages, which are loaded with the first run. */

export { firstShown, openingStop } from "../../run/stops/opening.js";
export { pointersIn } from "../../run/naming/pointers.js";
export { stepSentences } from "./sentences.js";
export { isBrokenOff } from "./of-exceptions.js";
export { holding } from "./of-holders.js";
