/** Owns the summary of a run: how the run ended and its findings, each with a link to a stop. Pure. */

import { stopAtTick, stopOfFinding } from "../run/facts.js";
import { endingStop } from "../run/stops/opening.js";
import { firstNanIn } from "../run/values/first-nan.js";
import { birthIn } from "../run/values/nonfinite.js";
import { vanishingOf } from "../run/values/gradient-sizes.js";
import { everName } from "../run/naming/naming.js";
import { isSilentlyWrong } from "../run/trials.js";

/** @import {Contents, CorrectedGradients, Finding} from "../run/trace.d.ts" */
/** @import {Index, Sentence} from "../run/types.d.ts" */

/**
 * A sentence of the summary of a run. `stop`: the stop to which its link leads; null if the run has no
 * stops.
 * @typedef {{
 *   look: "well" | "stopped" | "badly" | "warned" | "hinted",
 *   sentence: Sentence,
 *   stop: number | null,
 * }} Part
 */

/**
 * The sentences of the summary: how the run ended, the findings, where gradients vanished, the first NaN of
 * the forward, and the objects that the sandbox replaced. A finding that explains the exception is part of
 * the first sentence.
 * @param {Index} index
 * @param {CorrectedGradients | null | undefined} corrected if known
 * @returns {Part[]}
 */
export function summaryOf(index, corrected) {
  const why = index.ended.kind === "raised" ? cause(index) : undefined;
  const others = othersOf(
    index,
    index.findings.filter((finding) => finding !== why),
    corrected,
  );
  const noted = [vanishedIn(index), nanIn(index), substituted(index)];
  return [endOf(index, why), others, ...noted].filter((part) => part !== null);
}

/**
 * The sentence that the sandbox replaced objects of the program: the first kind of object, and the number of
 * other kinds.
 * @param {Index} index
 * @returns {Part | null}
 */
function substituted(index) {
  const found = index.steps.filter((step) => step.substituted !== undefined);
  const [first] = found;
  if (first?.substituted === undefined || index.stops.length === 0) return null;
  const stop = stopAtTick(index, first.began);
  const more = new Set(found.map((step) => step.substituted)).size - 1;
  const args = { what: first.substituted, step: stop + 1, more };
  return { look: "hinted", sentence: { id: "summary-substituted", args }, stop };
}

/**
 * The sentence about the leaf from which the gradients of a backward vanish.
 * @param {Index} index
 * @returns {Part | null}
 */
function vanishedIn(index) {
  const found = vanishingOf(index);
  const name = found === null ? undefined : everName(index, found.first.leaf);
  if (found === null || name === undefined || index.stops.length === 0) return null;
  const stop = stopAtTick(index, found.first.tick);
  return { look: "hinted", sentence: { id: "summary-vanished", args: { name, step: stop + 1 } }, stop };
}

/**
 * The sentence about the operator of the forward that computed the first NaN, if no finding is about this
 * NaN.
 * @param {Index} index
 * @returns {Part | null}
 */
function nanIn(index) {
  const first = birthIn(index)?.isForward ? firstNanIn(index) : null;
  if (first === null || index.stops.length === 0) return null;
  const stop = stopAtTick(index, first.tick);
  const args = { operator: first.operator.name ?? "?", step: stop + 1 };
  return { look: "hinted", sentence: { id: "summary-nan", args }, stop };
}

/**
 * @param {Index} index
 * @param {Finding | undefined} why
 * @returns {Part}
 */
function endOf(index, why) {
  const { kind } = index.ended;
  const stop = index.stops.length === 0 ? null : endingStop(index);
  const isSomeFound = [index.findings[0] ?? null, vanishedIn(index), nanIn(index)].some(
    (part) => part !== null,
  );
  const found = isSomeFound ? "some" : index.unfinished > 0 ? "unknown" : "none";
  const args = {
    type: "",
    message: "",
    ...index.end_arguments,
    step: stop === null ? 0 : stop + 1,
    line: index.end_arguments?.line ?? index.stops[stop ?? -1]?.place ?? 0,
    found,
  };
  const look = kind === "finished" ? "well" : kind === "cancelled" ? "stopped" : "badly";
  const id = why === undefined ? `summary-${kind}` : "summary-raised-why";
  return { look, sentence: { id, args: why === undefined ? args : { ...args, why: titleOf(why) } }, stop };
}

/**
 * The error finding that explains the exception which ended the run.
 * @param {Index} index
 */
function cause(index) {
  const stop = endingStop(index);
  const errors = index.findings.filter(({ severity }) => severity === "error");
  return errors.find((finding) => stopOfFinding(index, finding) >= stop) ?? errors[0];
}

/**
 * The sentence about the most serious kind of findings: silently wrong gradients, or else warnings, or else
 * hints.
 * @param {Index} index
 * @param {Finding[]} findings
 * @param {CorrectedGradients | null | undefined} corrected
 * @returns {Part | null}
 */
function othersOf(index, findings, corrected) {
  const silent = findings.filter(isSilentlyWrong);
  const serious = findings.filter(({ severity }) => severity !== "hint");
  const told = silent.length > 0 ? silent : serious.length > 0 ? serious : findings;
  const stops = told.map((finding) => stopOfFinding(index, finding));
  const stop = Math.min(...stops);
  const first = told[stops.indexOf(stop)];
  if (first === undefined) return null;
  const [count, more] = [told.length, told.length - 1];
  const args = { step: stop + 1, count, more, title: titleOf(first) };
  return {
    look: serious.length > 0 ? "warned" : "hinted",
    sentence:
      told === silent
        ? { id: "summary-silent", args: { ...args, ...effectOf(silent, corrected) } }
        : { id: serious.length > 0 ? "summary-warnings" : "summary-hints", args },
    stop: index.stops.length === 0 ? null : stop,
  };
}

/**
 * What is certain about silently wrong gradients: how many are wrong, that some are wrong, that some may be,
 * or that none is.
 * @param {Finding[]} silent
 * @param {CorrectedGradients | null | undefined} corrected corrected gradients of the first backward with
 *   wrong gradients
 */
function effectOf(silent, corrected) {
  const isOne = new Set(silent.map(({ steps = [] }) => steps.at(-1))).size === 1;
  if (isOne && corrected?.kind === "same") return { effect: "same" };
  if (isOne && corrected?.kind === "right") {
    const wrong = corrected.gradients.filter(({ wrong, right }) => !isSame(wrong, right));
    return { effect: "counted", count: wrong.length };
  }
  return { effect: silent.some((finding) => finding.arguments?.effect === "wrong") ? "wrong" : "unknown" };
}

/**
 * @param {Contents} one
 * @param {Contents} other
 */
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * @param {Finding} finding
 * @returns {Sentence}
 */
function titleOf({ kind, arguments: args = {} }) {
  return { id: `finding-${kind}-title`, args };
}
