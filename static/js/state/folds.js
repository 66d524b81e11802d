/** Owns how a visitor opens and folds groups of the graph of the run that stands alone. */

import { replay } from "./store.js";

function layouts() {
  return replay.peek()?.alone?.layouts;
}

/**
 * Open a group that is folded, fold one that is open.
 * @param {string} key
 */
export async function toggleFold(key) {
  await layouts()?.toggleFold(key);
}

/**
 * Open groups with all that are around them.
 * @param {string[]} keys
 */
export async function unfold(keys) {
  await layouts()?.unfold(keys);
}

/** @param {boolean} isOpen */
export async function foldAll(isOpen) {
  await layouts()?.foldAll(isOpen);
}
