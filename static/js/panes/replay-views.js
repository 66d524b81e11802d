/** Owns which view draws each kind of replay. A part that comes later registers the view of its own kind. */

/** @import {ComponentType} from "../../vendor/ui.js" */
/** @import {Replay} from "../state/replay.d.ts" */

/**
 * @typedef {object} ReplayView
 * @property {ComponentType} View everything between the header and the end of the page
 * @property {() => string} spoken what a screen reader hears of the step
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
 * The view of a replay. With nothing to replay it is that of a run, which shows the editor.
 * @param {Replay | null} replay
 */
export function viewOf(replay) {
  return /** @type {ReplayView} */ (views.get(replay?.kind ?? "run"));
}
