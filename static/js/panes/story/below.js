/** Owns which panes are below the pictures: tabs of one pane, on a small screen tabs of the page. */

/** @import {Index} from "../../run/types.d.ts" */

/**
 * @typedef {object} Entry
 * @property {string} name its title is the message `<name>`, on a small screen `tab-<name>`
 * @property {(index: Index) => boolean} [isThere] whether a run has it; if left out, all have
 */

/** @satisfies {readonly Entry[]} */
const TABLE = /** @type {const} */ ([
  { name: "output", isThere: ({ outputs }) => outputs.length > 0 },
  { name: "variables" },
]);

/** @typedef {(typeof TABLE)[number]["name"]} BelowName */
/** @typedef {Entry & {name: BelowName}} Below */

/**
 * In the order of the tabs: the first that a run has is shown first.
 * @type {readonly [Below, ...Below[]]}
 */
export const BELOW = TABLE;
