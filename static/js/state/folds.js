/** Owns how a visitor opens and folds groups of both pictures of the run that stands alone. */

import { replay, toast } from "./store.js";
import { say } from "./words.js";

/** @import {FoldedBy} from "../run/types.d.ts" */

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

/**
 * Open or fold one level of groups.
 * @param {1 | -1} direction
 */
export async function turnLevel(direction) {
  sayIfTooMany(await layouts()?.turnLevel(direction));
}

/** @param {FoldedBy} by what groups are from now on */
export async function foldBy(by) {
  sayIfTooMany(await layouts()?.foldBy(by));
}

/** @param {boolean} isOpen */
export async function foldAll(isOpen) {
  sayIfTooMany(await layouts()?.foldAll(isOpen));
}

/**
 * Show the storages of a group that is folded, fold one that is open.
 * @param {string} key
 */
export async function toggleStorages(key) {
  await layouts()?.toggleStorages(key);
}

/**
 * Show or fold the storages of one level of groups.
 * @param {1 | -1} direction
 */
export async function turnStorages(direction) {
  await layouts()?.turnStorages(direction);
}

/**
 * Open the groups that a storage is folded in.
 * @param {number} storage
 * @param {string} key of the one that is drawn
 */
export async function unfoldStorage(storage, key) {
  await layouts()?.unfoldStorage(storage, key);
}

/** @param {boolean | undefined} isShown */
function sayIfTooMany(isShown) {
  if (isShown === false) toast.value = { text: say("graph-too-many") };
}
