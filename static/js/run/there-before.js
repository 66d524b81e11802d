/**
 * Owns which objects existed before a running program was recorded. No statement of the recording created
 * these objects. Pure.
 */

import { firstWhere } from "./sorted.js";
import { ancestor } from "./step-tree.js";

/** @import {Step, Tensor} from "./trace.d.ts" */
/** @import {Index} from "./types.d.ts" */

/**
 * Whether a Tensor or a Node was first seen outside any step.
 * @param {readonly Step[]} steps
 * @param {{made_by?: number | null, born: number}} record
 */
export function wasThere(steps, { made_by, born }) {
  if (made_by != null) return false;
  const last = steps[firstWhere(steps.length, (place) => (steps[place]?.began ?? 0) > born) - 1];
  return ancestor(steps, last, ({ ended }) => ended === undefined || ended >= born) === undefined;
}

/**
 * Whether a Tensor may be older than the recording of a running program. Such a Tensor was first seen as the
 * leaf of a graph, or as the target of an operator's write. A recording of a running program has a tick
 * before its first statement.
 * @param {Index} index
 * @param {Tensor | undefined} tensor
 */
export function isOlder({ steps, frames }, tensor) {
  if ((steps[0]?.began ?? 0) <= (frames[0]?.began ?? 0) + 1) return false;
  const maker = steps[tensor?.made_by ?? -1];
  return maker === undefined || (maker.kind === "operator" && tensor?.born === maker.began);
}
