/**
 * Lists the panes below the pictures, such as output and variables. The panes below the pictures are tabs of
 * one pane, or on a small screen tabs of the page.
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
 * The panes below the pictures, in the order of their tabs. For a new run, the first pane that has something
 * to show is selected.
 * @type {readonly [Below, ...Below[]]}
 */
export const BELOW = TABLE;
