/** Owns the commands that open and fold groups in both pictures of a single run. */

import { replay, toast } from "./store.js";
import { say } from "./words.js";

/** @import {FoldedBy} from "../run/types.d.ts" */

function layouts() {
  return replay.peek()?.alone?.layouts;
}

/**
 * Opens a folded group, or folds an open group.
 * @param {string} key
 */
export async function toggleFold(key) {
  sayIfTooMany(await layouts()?.toggleFold(key));
}

/**
 * Opens groups and all groups around them.
 * @param {string[]} keys
 */
export async function unfold(keys) {
  sayIfTooMany(await layouts()?.unfold(keys));
}

/**
 * Opens or folds one level of groups.
 * @param {1 | -1} direction
 */
export async function turnLevel(direction) {
  sayIfTooMany(await layouts()?.turnLevel(direction));
}

/** @param {FoldedBy} by the criterion by which Nodes are grouped */
export async function foldBy(by) {
  sayIfTooMany(await layouts()?.foldBy(by));
}

/** @param {boolean} isOpen */
export async function foldAll(isOpen) {
  sayIfTooMany(await layouts()?.foldAll(isOpen));
}

/**
 * Shows the storages of a folded group, or folds the storages of an open group.
 * @param {string} key
 */
export async function toggleStorages(key) {
  await layouts()?.toggleStorages(key);
}

/**
 * Shows or folds the storages of one level of groups.
 * @param {1 | -1} direction
 */
export async function turnStorages(direction) {
  await layouts()?.turnStorages(direction);
}

/**
 * Opens the groups that contain a folded storage.
 * @param {number} storage
 * @param {string} key of the group that is drawn
 */
export async function unfoldStorage(storage, key) {
  await layouts()?.unfoldStorage(storage, key);
}

/** @param {boolean | undefined} isShown */
function sayIfTooMany(isShown) {
  if (isShown === false) toast.value = { text: say("graph-too-many") };
}
