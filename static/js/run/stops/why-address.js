/**
 * Owns the notation of a question "Why is this value so?" in an address: `grad.12.8` asks about the `grad`
 * of tensor 12 at step 8. `grad.12.8-2.1` also chooses the second part at the third branch of the chain
 * (both count from 0). Pure.
 */

import { at } from "../facts.js";
import { withGranularity } from "./granularity.js";
import { stepAddress } from "./step-address.js";

/** @import {Index} from "../types.d.ts" */

/** @typedef {{kind: "tensor" | "grad", id: number}} Asked the subject: a tensor, or the `grad` of a leaf */
/** @typedef {[branch: number, part: number]} Choice both count from 0 */
/**
 * A question and how an address writes it. `run`: the table of steps, whose identity tells two runs apart.
 * @typedef {{subject: Asked, tick: number, run: object, choices: Choice[], written: string}} Question
 */

const WRITTEN = /^(tensor|grad)\.(0|[1-9]\d{0,8})\.([1-9]\d{0,8})(\.operator)?((?:-\d{1,5}\.\d{1,5}){0,40})$/;

/**
 * The question why a tensor or a `grad` has its value at a stop.
 * @param {Index} index
 * @param {number} k
 * @param {Asked} subject
 * @returns {Question}
 */
export function askedAt(index, k, subject) {
  const step = stepAddress(index, k).replace("step=", "").replace("&by=", ".");
  const tick = index.stops[k]?.tick ?? 0;
  return { subject, tick, run: index.steps, choices: [], written: `${subject.kind}.${subject.id}.${step}` };
}

/**
 * The same question with other choices at the branches of the chain.
 * @param {Question} question
 * @param {Choice[]} choices
 * @returns {Question}
 */
export function following(question, choices) {
  const [asked] = question.written.split("-");
  return { ...question, choices, written: [asked, ...choices.map((each) => each.join("."))].join("-") };
}

/**
 * Parses the question in an address; null if there is none, or if the run has no such tensor or stop.
 * @param {Index} index
 * @param {string | null} written
 * @returns {Question | null}
 */
export function askedIn(index, written) {
  const [, kind, id, number, byOperator, followed] = WRITTEN.exec(written ?? "") ?? [];
  const stops = withGranularity(index, byOperator === undefined ? "node" : "operator").stops;
  const [tensor, stop] = [index.tensors[Number(id)], stops[Number(number) - 1]];
  if (written === null || tensor === undefined || stop === undefined) return null;
  if (!at(tensor.geometry, stop.tick)) return null;
  const subject = { kind: /** @type {Asked["kind"]} */ (kind), id: tensor.id };
  const choices = [...(followed ?? "").matchAll(/(\d+)\.(\d+)/g)].map(
    ([, branch, part]) => /** @type {Choice} */ ([Number(branch), Number(part)]),
  );
  return { subject, tick: stop.tick, run: index.steps, choices, written };
}
