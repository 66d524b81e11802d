/** Owns the verdicts on the fixes of a run: whether a fix was tested, and whether it works. Pure. */

/** @import {Finding} from "./trace.d.ts" */

/**
 * A verdict on a fix. `pending`: the fix is being tested; `untold`: the test had no result; `unsteady`: the
 * test had no result because runs of the unchanged program differ.
 * @typedef {"works" | "fails" | "untried" | "untold" | "unsteady" | "pending"} Verdict
 */
/**
 * The test of a fix. `finding`: the index of the finding in the document; `fix`: the index of the fix in the
 * finding; `reason`: why the fix was not tested or does not work.
 * @typedef {{finding: number, fix: number, verdict: Verdict, reason?: string}} Trial
 */

/** The recorded reasons for which the test of a fix had no result. */
const UNTOLD = ["unfinished", "gradients_unknown"];

/**
 * Whether a fix works. The verdict on a fix is "untried" if the trials do not contain the fix.
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
 * The list of trials with the latest trial added, which replaces an earlier trial of the same fix.
 * @param {Trial[]} trials
 * @param {Trial} latest
 */
export function withTrial(trials, latest) {
  return [...trials.filter(({ finding, fix }) => finding !== latest.finding || fix !== latest.fix), latest];
}

/** @param {Finding} finding */
export function hasFixes({ fixes = [] }) {
  return fixes.length > 0;
}

/**
 * Whether a finding says that a backward used a saved tensor after the tensor was modified, and that torch
 * raised no error.
 * @param {Finding} finding
 */
export function isSilentlyWrong(finding) {
  return finding.kind === "silently_wrong_gradient" && finding.arguments?.effect !== "waits";
}
