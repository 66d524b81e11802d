/**
 * Owns what the page's address contains: the open lesson, the link of a stored snippet, the code itself as
 * #code=…, or two compared snippets. The fragment also has the step as #step=8 (from 1), the granularity,
 * and the open "Why?" question. In a room, the address contains only the room's code.
 */

import { effect } from "../../vendor/ui.js";
import { GRANULARITIES } from "../run/stops/granularity.js";
import {
  chooseGranularity,
  goTo,
  isLinked,
  linked,
  program,
  replay,
  room,
  snippet,
  step,
} from "../state/store.js";
import { flushWhenLeft, replace } from "./address-bar.js";

/** @import {Granularity} from "../run/types.d.ts" */

/**
 * @typedef {object} Requested
 * @property {string | null} code the packed code that the address contains
 * @property {number | null} step
 * @property {Granularity | null} granularity
 * @property {boolean} stand_in
 * @property {URLSearchParams | null} view how the page showed it when it was shared; not parsed yet
 */

/**
 * The parameters that describe how a step is shown, such as zoom and folded groups. lazy/view parses them.
 */
const VIEW = ["lang", "zoom", "folds", "open", "rows", "why", "pin", "hide"];

/**
 * Parses the fragment of the address. If the fragment has a step but no granularity, the step is counted at
 * the granularity of Nodes.
 * @returns {Requested}
 */
export function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = Number.parseInt(hash.get("step") ?? "", 10);
  const step = Number.isFinite(number) ? Math.max(0, number - 1) : null;
  const granularity =
    GRANULARITIES.find((each) => each === hash.get("by")) ?? (step === null ? null : "node");
  const code = location.pathname === "/" && location.search === "" ? hash.get("code") : null;
  const view = VIEW.some((name) => hash.has(name)) ? hash : null;
  return { code, step, granularity, stand_in: hash.get("on") === "stand-in", view };
}

/**
 * The fragment of an address that opens a step.
 * @param {number} step from 0
 * @param {Granularity} granularity
 * @param {boolean} stand_in whether the CPU stood in for a GPU; false for a stored snippet, where the server
 *   stores it
 */
export function hashOf(step, granularity, stand_in) {
  return `#step=${step + 1}${granularity === "node" ? "" : `&by=${granularity}`}${stand_in ? "&on=stand-in" : ""}`;
}

/**
 * Keeps the address and the shown step in sync. The address changes with the step, without history entries.
 * If the visitor edits the fragment, the page opens the code, the step and the view that the fragment
 * describes.
 * @param {(requested: Requested & {code: string}) => void} open
 * @param {(view: URLSearchParams) => void} showAs
 */
export function syncAddress(open, showAs) {
  flushWhenLeft();
  effect(() =>
    replace(
      room.value === null ? (replay.value?.address(step.value) ?? addressOfEditor()) : `/r/${room.value}`,
    ),
  );
  window.addEventListener("hashchange", () => {
    const requested = readHash();
    const { code, view } = requested;
    if (view !== null) showAs(view);
    if (code !== null && code !== linked.peek()?.code) return open({ ...requested, code });
    if (requested.granularity !== null) chooseGranularity(requested.granularity);
    if (requested.step !== null) goTo(requested.step);
  });
}

/**
 * The address that opens the code in the editor: a stored snippet, an address with the code itself, a
 * lesson's program, or the start page.
 * @param {string} [hash] selects a step
 */
export function addressOfEditor(hash = "") {
  if (snippet.value !== null) return `/s/${snippet.value}${hash}`;
  if (isLinked.value && linked.value !== null) {
    const at = hash === "" ? linked.value.at : hash.slice(1);
    return `/#code=${linked.value.code}${at === "" ? "" : `&${at}`}`;
  }
  return (program.value === null ? "/" : `/lessons/${program.value}`) + hash;
}
