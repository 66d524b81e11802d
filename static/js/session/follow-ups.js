/**
 * Owns the requests that follow a run. The server computes the corrected gradients of a run with silently
 * wrong gradients, and tests the fixes of its findings. Each request is sent once per run.
 */

import { signal } from "../../vendor/ui.js";
import { correctedGradients, shownRun, trialsOf } from "../io/api.js";
import { hasFixes, isSilentlyWrong, verdictIn, withTrial } from "../run/trials.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {CorrectedGradients, Finding} from "../run/trace.d.ts" */
/** @import {Trial, Verdict} from "../run/trials.js" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * @template T
 * @typedef {Signal<T | null | undefined>} Answer null: pending; undefined: not requested
 */
/**
 * @typedef {object} Answers
 * @property {Answer<CorrectedGradients>} corrected
 * @property {Answer<Trial[]>} trials
 * @property {string | null} snippet id of the stored snippet that contains the run
 */

/**
 * The answers for each run. The key is an object that all granularities of a run share.
 * @type {WeakMap<Index["by_granularity"], Answers>}
 */
const known = new WeakMap();
/** @type {AbortController | null} */
let current = null;

/**
 * The corrected gradients of a run; null while the request is pending, undefined if they were not requested.
 * @param {Index} index
 */
export function correctedGradientsOf(index) {
  return answersFor(index).corrected.value;
}

/**
 * The verdict on a fix: whether it works, is being tested, or was not tested.
 * @param {Index} index
 * @param {Finding} finding
 * @param {number} fix the fix's index in the list of the finding's fixes
 */
export function verdictOf(index, finding, fix) {
  return verdictIn(answersFor(index).trials.value, index.findings.indexOf(finding), fix);
}

/**
 * Cancels the requests for the previous run, and requests the corrected gradients and the verdicts on fixes
 * that the findings of a run need.
 * @param {Index} index
 * @param {string | null} snippet id of the stored snippet; null: not stored
 */
export function askAfterRun(index, snippet) {
  const answers = answersFor(index);
  hangUp();
  const hungUp = signalOfAll();
  answers.snippet = snippet;
  askForCorrected(index, hungUp);
  const run = shownRun(index, snippet);
  if (index.findings.some(hasFixes)) void answer(answers.trials, () => trialsOf(run, {}, hungUp), [], hungUp);
}

/**
 * Requests only the corrected gradients, for a recording that a frame or a lecture shows.
 * @param {Index} index
 * @param {string | null} snippet id of the stored snippet; null: not stored
 */
export function askForCorrectedOf(index, snippet) {
  answersFor(index).snippet = snippet;
  askForCorrected(index, signalOfAll());
}

/**
 * @param {Index} index
 * @param {AbortSignal} hungUp
 */
function askForCorrected(index, hungUp) {
  if (!index.findings.some(isSilentlyWrong)) return;
  const { corrected, snippet } = answersFor(index);
  const run = shownRun(index, snippet);
  const unknown = /** @type {CorrectedGradients} */ ({ kind: "unknown", reason: "busy" });
  const ask = async () => {
    const found = await correctedGradients(run, hungUp);
    index.corrected.answer = found; // the pictures read the corrected gradients from the index
    return found;
  };
  void answer(corrected, ask, unknown, hungUp);
}

/**
 * Asks the server to test a fix that was not tested yet. Also requests the corrected gradients again if a
 * later run cancelled the first request.
 * @param {Index} index
 * @param {Finding} finding
 * @param {number} fix
 * @returns {Promise<boolean>} whether the server no longer has the recording
 */
export async function askForTrial(index, finding, fix) {
  const { trials, snippet } = answersFor(index);
  const asked = { finding: index.findings.indexOf(finding), fix };
  const note = (/** @type {Verdict} */ verdict) =>
    (trials.value = withTrial(trials.peek() ?? [], { ...asked, verdict }));
  const hungUp = signalOfAll();
  askForCorrected(index, hungUp);
  const run = shownRun(index, snippet);
  note("pending");
  let isGone = false;
  const answered = await trialsOf(run, asked, hungUp).catch((error) => {
    isGone = error.kind === "recording_gone";
    return [];
  });
  note(verdictIn(answered, asked.finding, fix));
  return isGone;
}

/**
 * @template T
 * @param {Answer<T>} to
 * @param {() => Promise<T>} ask
 * @param {T} otherwise the value if the request fails
 * @param {AbortSignal} hungUp aborted: the request counts as not sent
 */
async function answer(to, ask, otherwise, hungUp) {
  if (to.peek() !== undefined) return;
  to.value = null;
  to.value = await ask().catch(() => (hungUp.aborted ? undefined : otherwise));
}

/**
 * @param {Index} index
 * @returns {Answers}
 */
function answersFor({ by_granularity, corrected }) {
  const found = known.get(by_granularity) ?? {
    // A recording in one file contains its corrected gradients.
    corrected: signal(corrected.answer ?? undefined),
    trials: signal(undefined),
    snippet: null,
  };
  known.set(by_granularity, found);
  return found;
}

function signalOfAll() {
  current ??= new AbortController();
  return current.signal;
}

/** Cancels the requests. The server stops the run of a request when its connection is closed. */
export function hangUp() {
  current?.abort();
  current = null;
}
