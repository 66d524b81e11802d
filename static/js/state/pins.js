/**
 * Owns the names that a visitor hid in the memory picture or pinned to its top. Names are stored until the
 * tab is closed, so they also apply to the next run.
 */

import { signal } from "../../vendor/ui.js";
import { writeStored, readStored } from "../io/browser-storage.js";
import { slotsAt } from "../layout/memory-rows.js";
import { everName } from "../run/naming/naming.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {Index, MemoryLayout, State, Subject, Pins} from "../run/types.d.ts" */

const KEY = "wishes";
/** @type {Pins} */
const NONE = { hidden: [], pinned: [] };

/** @type {Signal<Pins>} */
export const pins = signal(storedPins());

/** @returns {Pins} */
function storedPins() {
  try {
    const { hidden, pinned } = JSON.parse(readStored(KEY, "sessionStorage") ?? "{}");
    const isNames = (/** @type {unknown} */ value) =>
      Array.isArray(value) && value.every((name) => typeof name === "string");
    return isNames(hidden) && isNames(pinned) ? { hidden, pinned } : NONE;
  } catch {
    return NONE;
  }
}

/**
 * Applies pinned and hidden names, for example those of a link, without storing them.
 * @param {Pins} next
 */
export function showPins(next) {
  pins.value = next;
}

/** @param {Pins} next */
function setPins(next) {
  pins.value = next;
  writeStored(KEY, JSON.stringify(next), "sessionStorage");
}

/**
 * Hides names.
 * @param {string[]} names
 */
export function hide(names) {
  const { hidden, pinned } = pins.peek();
  if (names.length > 0)
    setPins({
      hidden: [...new Set([...hidden, ...names])],
      pinned: pinned.filter((name) => !names.includes(name)),
    });
}

/** @param {string} name */
export function bringBack(name) {
  const { hidden, pinned } = pins.peek();
  setPins({ hidden: hidden.filter((other) => other !== name), pinned });
}

/**
 * Pins names to the top of the memory picture, or unpins them if all are already pinned.
 * @param {string[]} names
 */
export function pin(names) {
  const { hidden, pinned } = pins.peek();
  const others = pinned.filter((name) => !names.includes(name));
  if (names.length > 0)
    setPins({ hidden, pinned: others.length === pinned.length ? [...pinned, ...names] : others });
}

/** Clears all pinned and hidden names, when other code with other names is opened. */
export function forgetPins() {
  setPins(NONE);
}

/**
 * The names that pinning or hiding an item of the memory picture applies to: those of its tensor, or of all
 * tensors of its storage.
 * @param {Index} index
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {Subject} subject
 * @returns {string[]}
 */
export function namesOf(index, layout, state, { kind, id }) {
  const row =
    kind === "storage" || kind === "cell"
      ? (layout.rows.find((row) => row.storage === id) ?? layout.spares?.of.get(id))
      : undefined;
  const path = index.names[id];
  const led =
    kind === "name"
      ? (path?.tensor ?? []).map(([, tensor]) => tensor)
      : kind === "grad"
        ? (index.tensors[id]?.grad ?? []).map(([, tensor]) => tensor)
        : kind === "tensor"
          ? [id]
          : [];
  const tensors = row === undefined ? led : slotsAt(row, state).map((slot) => slot.tensor);
  return [...new Set(tensors.map((tensor) => everName(index, tensor)).filter((name) => name !== undefined))];
}

/**
 * Those of the given names that a tensor of the run has.
 * @param {Index} index
 * @param {string[]} names
 */
export function existingNames(index, names) {
  if (names.length === 0) return [];
  const all = new Set(index.tensors.map((tensor) => everName(index, tensor.id)));
  return names.filter((name) => all.has(name));
}
