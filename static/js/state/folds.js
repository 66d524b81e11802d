/** Owns how a visitor opens and folds groups of the graph of the run that stands alone. */

import { replay, toast } from "./store.js";
import { say } from "./words.js";

function layouts() {
  return replay.peek()?.alone?.layouts;
}

/**
 * Open a group that is folded, fold one that is open.
 * @param {string} key
 */
export async function toggleFold(key) {
  sayIfTooMany(await layouts()?.toggleFold(key));
}

/**
 * Open groups with all that are around them.
 * @param {string[]} keys
 */
export async function unfold(keys) {
  sayIfTooMany(await layouts()?.unfold(keys));
}

/** @param {boolean} isOpen */
export async function foldAll(isOpen) {
  sayIfTooMany(await layouts()?.foldAll(isOpen));
}

/** @param {boolean | undefined} isShown */
function sayIfTooMany(isShown) {
  if (isShown === false) toast.value = { text: say("graph-too-many") };
}
