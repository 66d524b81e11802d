/** Owns the table of the panes below the pictures: tabs of one pane, on a small screen tabs of the page. */

import { Output } from "./output.js";
import { changeCount, Variables } from "./variables.js";

/** @import {VNode} from "../../../vendor/ui.js" */
/** @import {Index, State} from "../../run/types.d.ts" */

/**
 * @typedef {object} Entry
 * @property {string} name its title is the message `<name>`, on a small screen `tab-<name>`
 * @property {(props: {label: string}) => VNode | null} View gets the id of the element that labels it
 * @property {(index: Index) => boolean} [isThere] whether a run has it; if left out, all have
 * @property {(index: Index, now: State) => number} [count] of its tab, told as `<name>-changed`
 */

/** @satisfies {readonly Entry[]} */
const TABLE = /** @type {const} */ ([
  { name: "output", View: Output, isThere: ({ outputs }) => outputs.length > 0 },
  { name: "variables", View: Variables, count: changeCount },
]);

/** @typedef {(typeof TABLE)[number]["name"]} BelowName */
/** @typedef {Entry & {name: BelowName}} Below */

/**
 * In the order of the tabs: the first that a run has is shown first.
 * @type {readonly [Below, ...Below[]]}
 */
export const BELOW = TABLE;
