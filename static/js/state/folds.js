/**
 * Owns the commands that fold and unfold groups of boxes in the pictures of the shown run. A message says
 * when a picture would have too many boxes.
 */

import { replay, toast } from "./store.js";
import { say } from "./words.js";

/** @import {FoldedBy} from "../run/types.d.ts" */

function layouts() {
  return replay.peek()?.alone?.layouts;
}

/**
 * Unfolds a folded group of the graph, or folds an unfolded one.
 * @param {string} key
 */
export async function toggleFold(key) {
  sayIfTooMany(await layouts()?.toggleFold(key));
}

/**
 * Unfolds groups and all groups that contain them.
 * @param {string[]} keys
 */
export async function unfold(keys) {
  sayIfTooMany(await layouts()?.unfold(keys));
}

/**
 * Unfolds (1) or folds (-1) one level of nested groups in the graph.
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
 * Unfolds a folded group of storages, or folds an unfolded one.
 * @param {string} key
 */
export async function toggleStorages(key) {
  await layouts()?.toggleStorages(key);
}

/**
 * Unfolds (1) or folds (-1) one level of nested groups in the memory picture.
 * @param {1 | -1} direction
 */
export async function turnStorages(direction) {
  await layouts()?.turnStorages(direction);
}

/**
 * Unfolds the groups that contain a storage, so that the storage is drawn.
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
