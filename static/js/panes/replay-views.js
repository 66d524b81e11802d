/** Owns which view draws each kind of replay. A chunk registers its view when it loads. */

/** @import {ComponentType} from "../../vendor/ui.js" */
/** @import {Replay} from "../state/replay.d.ts" */

/**
 * @typedef {object} ReplayView
 * @property {ComponentType} View everything below the header
 * @property {() => string} spoken the announcement of a step for screen readers
 * @property {() => string} look the class of the page while it is shown
 */

/** @type {Map<Replay["kind"], ReplayView>} */
const views = new Map();

/**
 * @param {Replay["kind"]} kind
 * @param {ReplayView} view
 */
export function registerView(kind, view) {
  views.set(kind, view);
}

/**
 * The view of a replay. Without a replay this is the view of a run, which shows the editor.
 * @param {Replay | null} replay
 */
export function viewOf(replay) {
  return /** @type {ReplayView} */ (views.get(replay?.kind ?? "run"));
}
