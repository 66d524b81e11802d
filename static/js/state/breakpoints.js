/**
 * Owns the breakpoints, the lines at which a visitor wants to stop. The breakpoints of each program are
 * stored until the tab is closed.
 */

import { computed, signal } from "../../vendor/ui.js";
import { listIn, readStored, writeStored } from "../io/browser-storage.js";
import { carried, nextAtBreakpoint } from "../run/stops/line-stops.js";
import { goTo, played, step } from "./store.js";

/** @import {Signal} from "../../vendor/ui.js" */

/** @typedef {{source: string, lines: number[]}} Program a program with its breakpoints */

const KEY = "breakpoints";
const MOST = { programs: 12, lines: 500 };

/**
 * The programs with breakpoints, in the order in which their breakpoints last changed.
 * @type {Signal<Program[]>}
 */
const programs = signal(stored());

/**
 * Reads the programs that this tab stored. The stored value is validated, because other code or the visitor
 * may have changed it.
 */
function stored() {
  return listIn(readStored(KEY, "sessionStorage"), isProgram).slice(-MOST.programs);
}

/**
 * @param {unknown} found
 * @returns {found is Program}
 */
function isProgram(found) {
  if (typeof found !== "object" || found === null) return false;
  const { source, lines } = /** @type {Record<string, unknown>} */ (found);
  return (
    typeof source === "string" && Array.isArray(lines) && lines.length <= MOST.lines && lines.every(isLine)
  );
}

/** @param {unknown} line */
function isLine(line) {
  return Number.isInteger(line) && Number(line) > 0;
}

/**
 * The line numbers of the breakpoints in the shown run. After an edit of the code a breakpoint keeps its
 * line, whose number may change.
 */
export const breakpoints = computed(() => {
  const source = played.value?.index.source;
  if (source === undefined) return new Set();
  const known = programs.value.findLast((program) => program.source === source);
  const last = programs.value.at(-1);
  return new Set(known?.lines ?? (last === undefined ? [] : carried(last.lines, last.source, source)));
});

/**
 * Sets or removes a breakpoint.
 * @param {number} line
 * @returns {boolean} whether the breakpoint is set now
 */
export function toggleBreakpoint(line) {
  const source = played.peek()?.index.source;
  if (source === undefined) return false;
  const lines = new Set(breakpoints.peek());
  const isSet = !lines.delete(line);
  if (isSet) lines.add(line);
  const others = programs.peek().filter((program) => program.source !== source);
  programs.value = [...others, { source, lines: [...lines].slice(-MOST.lines) }].slice(-MOST.programs);
  writeStored(KEY, JSON.stringify(programs.peek()), "sessionStorage");
  return isSet;
}

/**
 * The next or previous stop at which the run reaches a breakpoint.
 * @param {1 | -1} direction
 * @returns {number | undefined}
 */
export function breakpointFrom(direction) {
  const index = played.value?.index;
  return index && nextAtBreakpoint(index, breakpoints.value, step.value, direction);
}

/**
 * Goes to the next or previous stop at which the run reaches a breakpoint.
 * @param {1 | -1} direction
 * @returns {boolean} whether there is such a stop
 */
export function toBreakpoint(direction) {
  const k = breakpointFrom(direction);
  if (k !== undefined) goTo(k);
  return k !== undefined;
}
