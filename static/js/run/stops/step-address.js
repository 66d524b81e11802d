/** Owns the address of a stop, which is the same at any granularity. Pure. */

import { withGranularity } from "./granularity.js";

/** @import {Index} from "../types.d.ts" */

/** Matches the address of a stop. */
export const STEP = /^step=([1-9]\d{0,8})(&by=operator)?$/;

/**
 * The address of a stop: its number at the granularity of Nodes, if this granularity has the stop. Therefore
 * a note is found at any granularity.
 * @param {Index} index
 * @param {number} k
 */
export function stepAddress(index, k) {
  const step = index.stops[k]?.step;
  const byNode = withGranularity(index, "node");
  const at = byNode.stop_of.get(step?.id ?? -1) ?? -1;
  return byNode.stops[at]?.step === step ? `step=${at + 1}` : `step=${k + 1}&by=operator`;
}

/**
 * The stop with an address, if the index has that stop.
 * @param {Index} index
 * @param {string} address
 */
export function stopAt(index, address) {
  const [, number, by] = STEP.exec(address) ?? [];
  const step = withGranularity(index, by === undefined ? "node" : "operator").stops[Number(number) - 1]?.step;
  const k = index.stop_of.get(step?.id ?? -1) ?? -1;
  return step !== undefined && index.stops[k]?.step === step ? k : undefined;
}
