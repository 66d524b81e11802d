/** Owns how a visitor wants the page to be, for as long as this browser remembers. */

import { effect, signal } from "../vendor/ui.js";
import { keep, kept } from "./kept.js";

/** @import {Signal} from "../vendor/ui.js" */

/** Whether words stand in the place of the pictures. */
export const asText = remembered("text");
/** Whether the code runs as it is typed. */
export const isLive = remembered("live");

/** A switch that is off until a visitor turns it on. @param {string} name @returns {Signal<boolean>} */
function remembered(name) {
  const own = signal(kept(name) === "on");
  effect(() => keep(name, own.value ? "on" : "off"));
  return own;
}
