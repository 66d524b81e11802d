/**
 * Owns the notation of a stop in an address, such as `step=8`. The notation of a stop is the same at every
 * granularity of stepping. Pure.
 */

import { withGranularity } from "./granularity.js";

/** @import {Index} from "../types.d.ts" */

/** Matches the notation of a stop: `step=8` or `step=8&by=operator`. */
export const STEP = /^step=([1-9]\d{0,8})(&by=operator)?$/;

/**
 * The notation of a stop: its number among the statements and Nodes of the run, or, for a stop of an
 * operator, among the operators too.
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
 * The stop that a notation means; undefined if the granularity of the index has no such stop.
 * @param {Index} index
 * @param {string} address
 */
export function stopAt(index, address) {
  const [, number, by] = STEP.exec(address) ?? [];
  const step = withGranularity(index, by === undefined ? "node" : "operator").stops[Number(number) - 1]?.step;
  const k = index.stop_of.get(step?.id ?? -1) ?? -1;
  return step !== undefined && index.stops[k]?.step === step ? k : undefined;
}
