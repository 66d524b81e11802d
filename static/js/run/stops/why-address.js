/**
 * Owns a question "Why is this value so?" as it stands in an address: `grad.12.8` is about the `grad` of
 * tensor 12 at step 8. Pure.
 */

import { at } from "../facts.js";
import { withGranularity } from "./granularity.js";
import { stepAddress } from "./step-address.js";

/** @import {Index} from "../types.d.ts" */

/** @typedef {{kind: "tensor" | "grad", id: number}} Asked about: a tensor, or the `grad` of a leaf */
/** @typedef {{subject: Asked, tick: number, run: object, written: string}} Question `run`: its steps */

const WRITTEN = /^(tensor|grad)\.(0|[1-9]\d{0,8})\.([1-9]\d{0,8})(\.operator)?$/;

/**
 * A question about a run, asked at a stop.
 * @param {Index} index
 * @param {number} k
 * @param {Asked} subject
 * @returns {Question}
 */
export function askedAt(index, k, subject) {
  const step = stepAddress(index, k).replace("step=", "").replace("&by=", ".");
  const tick = index.stops[k]?.tick ?? 0;
  return { subject, tick, run: index.steps, written: `${subject.kind}.${subject.id}.${step}` };
}

/**
 * The question that an address asks about a run; null: none, or one about another run.
 * @param {Index} index
 * @param {string | null} written
 * @returns {Question | null}
 */
export function askedIn(index, written) {
  const [, kind, id, number, byOperator] = WRITTEN.exec(written ?? "") ?? [];
  const stops = withGranularity(index, byOperator === undefined ? "node" : "operator").stops;
  const [tensor, stop] = [index.tensors[Number(id)], stops[Number(number) - 1]];
  if (written === null || tensor === undefined || stop === undefined) return null;
  if (!at(tensor.geometry, stop.tick)) return null;
  const subject = { kind: /** @type {Asked["kind"]} */ (kind), id: tensor.id };
  return { subject, tick: stop.tick, run: index.steps, written };
}
