/**
 * Owns the modes that a step ran in: grad mode, inference mode, autocast, anomaly detection, saved-tensor
 * hooks, and other threads. Pure.
 */

/** @import {Sentence} from "./types.d.ts" */
/** @import {Step} from "./trace.d.ts" */

/**
 * The modes of a step, each a Fluent message; its sentence is the message with "-means" appended. That grad
 * mode is off in a Node is no mode: backward runs so unless `create_graph` is set.
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
  return modes;
}

/**
 * The sentences about the modes of a step: those that begin, grad mode that is on again, and other threads at
 * every step.
 * @param {Step} step
 * @param {Step | null} before
 * @returns {Sentence[]}
 */
export function changedModes(step, before) {
  const [current, old] = [modesOf(step), before === null ? [] : modesOf(before)];
  const isIn = (/** @type {Sentence} */ mode, /** @type {Sentence[]} */ modes) =>
    modes.some(({ id, args }) => id === mode.id && args.dtype === mode.args.dtype);
  const isRecordingAgain =
    old.some(isSilent) &&
    !current.some(isSilent) &&
    step.kind === "statement" &&
    step.frame === before?.frame;
  const begun = current
    .filter((mode) => mode.id === "mode-threads" || !isIn(mode, old))
    .map(({ id, args }) => ({ id: `${id}-means`, args }));
  return [...(isRecordingAgain ? [{ id: "story-recording-again", args: {} }] : []), ...begun];
}

/**
 * Whether autograd records nothing in a mode.
 * @param {Sentence} mode
 */
function isSilent({ id }) {
  return id === "mode-grad-off" || id === "mode-inference";
}
