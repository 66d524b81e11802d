/**
 * Holds the view that draws each kind of replay. A chunk with a new kind of replay registers its view when
 * it is loaded.
 */

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
 * The view that draws a replay. Without a replay it is the view of a single run, which then shows the
 * editor.
 * @param {Replay | null} replay
 */
export function viewOf(replay) {
  return /** @type {ReplayView} */ (views.get(replay?.kind ?? "run"));
}
