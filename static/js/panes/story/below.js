/**
 * Owns which panes are below the pictures. These panes are tabs of one pane, or tabs of the page on a small
 * screen.
 */

/** @import {Index} from "../../run/types.d.ts" */

/**
 * @typedef {object} Entry
 * @property {string} name the title is the message `<name>`; on a small screen `tab-<name>`
 * @property {(index: Index) => boolean} [isThere] whether a run has the pane; without it, every run has
 */

/** @satisfies {readonly Entry[]} */
const TABLE = /** @type {const} */ ([
  { name: "output", isThere: ({ outputs }) => outputs.length > 0 },
  { name: "variables" },
]);

/** @typedef {(typeof TABLE)[number]["name"]} BelowName */
/** @typedef {Entry & {name: BelowName}} Below */

/**
 * The panes in the order of the tabs. A run opens at the first pane that it has.
 * @type {readonly [Below, ...Below[]]}
 */
export const BELOW = TABLE;
