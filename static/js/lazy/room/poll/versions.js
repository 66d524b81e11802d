/** Owns what is told of a write while the class looks for the one that made something stale. */

/** @import {Around} from "../../../panes/chunks.js" */
/** @import {Poll} from "./poll-state.js" */

/** @param {{asked: Poll, run: Around}} _props */
export function Versions(_props) {
  return null;
}
