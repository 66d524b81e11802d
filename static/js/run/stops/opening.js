/**
 * Owns the stop at which the page opens a run: where the run goes wrong, or else where backward has computed
 * the gradients. Pure.
 */

import { stopAtTick, stopOfFinding } from "../facts.js";
import { constructionBetween, constructionsOf } from "./constructions.js";
import { firstWithAny } from "./first-shown.js";
import { firstNanIn } from "../values/first-nan.js";
import { innermost } from "../step-tree.js";

/** @import {Index} from "../types.d.ts" */

/**
 * The stop at which the page opens a run: that of the first error finding, or else of the exception, the
 * first warning, the first hint, the first NaN, the end of the first backward, or the end of the run.
 * @param {Index} index
 */
export function openingStop(index) {
  const last = Math.max(0, index.stops.length - 1);
  const raised = index.ended.kind === "raised" ? endingStop(index) : undefined;
  return (
    firstFound(index, "error") ??
    raised ??
    firstFound(index, "warning") ??
    firstFound(index, "hint") ??
    firstNanStop(index) ??
    endOfBackward(index) ??
    last
  );
}

/**
 * The first stop at which a storage or a Node exists; the first stop of the run if there is none. Stops
 * within the construction of a Module are skipped.
 * @param {Index} index
 */
export function firstShown(index) {
  const found = firstWithAny(index, [index.storages, index.nodes]);
  const first = found < 0 ? 0 : found;
  const constructions = constructionsOf(index);
  const { over = -1 } = constructionBetween(constructions, first, -1) ?? {};
  const shown = [...constructions.shown].filter((k) => k >= first && k < over);
  return over < 0 ? first : Math.min(over, ...shown);
}

/**
 * The stop at which the run ended: the stop of the exception that ended it, or else the last stop.
 * @param {Index} index
 */
export function endingStop(index) {
  const last = index.stops.length - 1;
  if (index.ended.kind !== "raised") return last;
  const raised = index.stops.findLastIndex((stop) => stop.kind === "exception");
  return raised === -1 ? last : raised;
}

/**
 * @param {Index} index
 * @param {"error" | "warning" | "hint"} severity
 */
function firstFound(index, severity) {
  const stops = index.findings
    .filter((finding) => finding.severity === severity)
    .map((finding) => stopOfFinding(index, finding));
  return stops.length === 0 ? undefined : Math.min(...stops);
}

/** @param {Index} index */
function firstNanStop(index) {
  const first = firstNanIn(index);
  return first === null || index.stops.length === 0 ? undefined : stopAtTick(index, first.tick);
}

/**
 * The stop at the end of the statement during which backward ran the first Node.
 * @param {Index} index
 */
function endOfBackward(index) {
  const node = index.steps.find(({ kind, ended }) => kind === "node" && ended !== undefined);
  if (node === undefined) return undefined;
  const statement = innermost(index.steps, node, "statement");
  const stop = index.stop_of.get(statement?.id ?? -1) ?? -1;
  return stop < 0 ? stopAtTick(index, node.ended ?? 0) : stop;
}
