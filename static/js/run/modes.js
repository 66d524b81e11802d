/**
 * Owns the modes in which a step ran: grad mode, inference mode, autocast, anomaly detection, saved-tensor
 * hooks, and other threads. Pure.
 */

import { perTrace } from "./per-run.js";

/** @import {Index, Sentence} from "./types.d.ts" */
/** @import {Step} from "./trace.d.ts" */

/** Matches the modes that are mentioned at every step, and not only at the step at which they begin. */
const AT_EACH = /threads|compile|workers|process/;
const WITH = /^(async\s+)?with\b/;

/**
 * The modes of a step, as Fluent messages. A second message, with "-means" appended to the id, explains the
 * mode. Disabled grad mode within a Node is not reported, because backward disables grad mode unless
 * `create_graph` is set.
 * @param {Step} step
 * @returns {Sentence[]}
 */
export function modesOf(step) {
  /** @type {Sentence[]} */
  const modes = [];
  const note = (/** @type {string} */ id, args = {}) => modes.push({ id: `mode-${id}`, args });
  if (step.inference === true) note("inference");
  else if (step.grad_enabled === false && step.kind !== "node") note("grad-off");
  if (step.autocast === true) note("autocast", { dtype: step.autocast_dtype ?? "?" });
  if (step.anomaly === true) note("anomaly");
  if (step.saved_tensors_hooks === "active") note("hooks");
  if (step.saved_tensors_hooks === "disabled") note("no-hooks");
  if (step.other_threads === true) note("threads");
  if (step.substituted !== undefined) note(step.substituted);
  return modes;
}

/**
 * The sentences about changes of modes in a step: autograd records again, or a mode begins and is still on
 * after the step. Modes that AT_EACH matches have a sentence at every step.
 * @param {Index} index
 * @param {Step} step
 * @param {Step | null} before
 * @returns {Sentence[]}
 */
export function changedModes(index, step, before) {
  const goesOn = step.kind === "statement" ? (goesOnWith(index).get(step.id) ?? step) : step;
  const [current, old, later] = [step, before, goesOn].map((each) => (each === null ? [] : modesOf(each)));
  const isIn = (/** @type {Sentence} */ mode, /** @type {Sentence[]} */ modes = []) =>
    modes.some(({ id, args }) => id === mode.id && args.dtype === mode.args.dtype);
  const isRecordingAgain = current?.some(isSilent) && !later?.some(isSilent);
  const begun = (current ?? [])
    .filter((mode) => (AT_EACH.test(mode.id) || !isIn(mode, old)) && isIn(mode, later))
    .map(({ id, args }) => ({ id: `${id}-means`, args }));
  return [...(isRecordingAgain ? [{ id: "story-recording-again", args: {} }] : []), ...begun];
}

/**
 * For each statement, another statement that ran in the modes that are on after the first: the next
 * statement of the same call. At the end of a `with` that ends the call, it is the beginning of the `with`.
 */
const goesOnWith = perTrace((/** @type {Index} */ { steps, source }) => {
  const lines = source.split("\n");
  /** @type {Map<number, Step>} */
  const found = new Map();
  /** @type {Map<number | undefined, Step>} */
  const last = new Map();
  /** @type {Map<string, Step>} */
  const earlier = new Map();
  for (const step of steps) {
    if (step.kind !== "statement") continue;
    const previous = last.get(step.parent);
    if (previous !== undefined) found.set(previous.id, step);
    last.set(step.parent, step);
    const place = JSON.stringify([step.frame, step.span]);
    const entered = earlier.get(place);
    earlier.set(place, step);
    const text = [...(lines[(step.span?.line ?? 0) - 1] ?? "")].slice(step.span?.column).join("");
    // a later statement of the call replaces this entry
    if (entered !== undefined && WITH.test(text)) found.set(step.id, entered);
  }
  return found;
});

/**
 * Whether a mode prevents autograd from recording, as `no_grad` and `inference_mode` do.
 * @param {Sentence} mode
 */
function isSilent({ id }) {
  return id === "mode-grad-off" || id === "mode-inference";
}
