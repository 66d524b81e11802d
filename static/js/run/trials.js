/** Owns the verdicts on the fixes of a run: whether a fix was tested, and whether it works. Pure. */

/** @import {Finding} from "./trace.d.ts" */

/**
 * `pending`: the fix is being tested; `untold`: the test had no result; `unsteady`: the test had no result
 * because runs of the unchanged program differ.
 * @typedef {"works" | "fails" | "untried" | "untold" | "unsteady" | "pending"} Verdict
 */
/**
 * `finding`: index in the document; `fix`: index in the finding; `reason`: why the fix was not tried or does
 * not work.
 * @typedef {{finding: number, fix: number, verdict: Verdict, reason?: string}} Trial
 */

/** The reasons of a test without a result. */
const UNTOLD = ["unfinished", "gradients_unknown"];

/**
 * Whether a fix works. A fix without an answer was not tested.
 * @param {Trial[] | null | undefined} trials null or undefined: no answer yet
 * @param {number} finding
 * @param {number} fix
 * @returns {Verdict}
 */
export function verdictIn(trials, finding, fix) {
  if (trials == null) return "pending";
  const found = trials.find((trial) => trial.finding === finding && trial.fix === fix);
  if (found?.verdict === "untried" && found.reason === "unsteady") return "unsteady";
  if (found?.verdict === "untried" && UNTOLD.includes(found.reason ?? "")) return "untold";
  return found?.verdict ?? "untried";
}

/**
 * The trials with a further trial, or with a new verdict on the same fix.
 * @param {Trial[]} trials
 * @param {Trial} latest
 */
export function withTrial(trials, latest) {
  return [...trials.filter(({ finding, fix }) => finding !== latest.finding || fix !== latest.fix), latest];
}

/**
 * Whether a finding offers a fix.
 * @param {Finding} finding
 */
export function hasFixes({ fixes = [] }) {
  return fixes.length > 0;
}

/**
 * Whether a backward used a saved tensor that was modified after it was saved.
 * @param {Finding} finding
 */
export function isSilentlyWrong(finding) {
  return finding.kind === "silently_wrong_gradient" && finding.arguments?.effect !== "waits";
}
