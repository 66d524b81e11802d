/** Owns what an address says of a stop, the same at any granularity. Pure. */

import { withGranularity } from "./granularity.js";

/** @import {Index} from "./types.d.ts" */

/**
 * What the address says of a stop: its number by Node, wherever the step is a stop by Node. So a note is
 * found at any granularity.
 * @param {Index} index
 * @param {number} k
 */
export function stepAddress(index, k) {
  const step = index.stops[k]?.step;
  const byNode = withGranularity(index, "node");
  const at = byNode.stop_of.get(step?.id ?? -1) ?? -1;
  return byNode.stops[at]?.step === step ? `step=${at + 1}` : `step=${k + 1}&by=operator`;
}
