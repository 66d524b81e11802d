/**
 * Owns which objects existed before the recording of a running program began, so that no recorded statement
 * created them. Pure.
 */

import { firstWhere } from "./sorted.js";
import { ancestor } from "./step-tree.js";

/** @import {Step, Tensor} from "./trace.d.ts" */
/** @import {Index} from "./types.d.ts" */

/**
 * Whether the recorder first saw a Tensor or a Node while no step was running.
 * @param {readonly Step[]} steps
 * @param {{made_by?: number | null, born: number}} record
 */
export function wasThere(steps, { made_by, born }) {
  if (made_by != null) return false;
  const last = steps[firstWhere(steps.length, (place) => (steps[place]?.began ?? 0) > born) - 1];
  return ancestor(steps, last, ({ ended }) => ended === undefined || ended >= born) === undefined;
}

/**
 * Whether a Tensor may be older than the recording of a running program. The recorder first sees an older
 * Tensor as a leaf of a graph, or as the target of an operator's write. A recording of a running program has
 * a tick before its first statement.
 * @param {Index} index
 * @param {Tensor | undefined} tensor
 */
export function isOlder({ steps, frames }, tensor) {
  if ((steps[0]?.began ?? 0) <= (frames[0]?.began ?? 0) + 1) return false;
  const maker = steps[tensor?.made_by ?? -1];
  return maker === undefined || (maker.kind === "operator" && tensor?.born === maker.began);
}
