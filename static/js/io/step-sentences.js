/**
 * Loads the code of `words/`, which finds the sentences that describe a step. The code is loaded after the
 * page, together with the layout engine, because only a run needs sentences.
 */

/** @import {Pointer} from "../run/naming/pointers.js" */
/** @import {Index, Sentence, State} from "../run/types.d.ts" */

/** @type {typeof import("../words/steps/index.js") | null} */
let teller = null;

/**
 * The sentences of each state. The sentences are cached, because the story and the announcement for screen
 * readers need the same ones.
 * @type {WeakMap<State, Sentence[]>}
 */
const told = new WeakMap();

/** Loads the step sentences. Call this function before a run is shown. */
export async function loadStepSentences() {
  teller ??= await import("../words/steps/index.js");
}

/**
 * The sentences about the events of a step, in order.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before the state at the previous stop
 * @returns {Sentence[]}
 */
export function stepSentences(index, state, before) {
  if (teller === null) return [];
  const sentences = told.get(state) ?? teller.stepSentences(index, state, before);
  told.set(state, sentences);
  return sentences;
}

/**
 * Whether a statement did not finish because a function that it called raised an exception.
 * @param {Index} index
 * @param {number} statement
 * @returns {boolean}
 */
export function isBrokenOff(index, statement) {
  return teller?.isBrokenOff(index, statement) ?? false;
}

/**
 * The stop at which a run opens. `asksFirst`: whether the page asks a question about the run before it
 * shows the answer.
 * @param {Index} index
 * @param {boolean} [asksFirst]
 */
export function openingStop(index, asksFirst = false) {
  return (asksFirst ? teller?.firstShown(index) : teller?.openingStop(index)) ?? 0;
}

/**
 * The memory addresses of objects in a text that was printed at a tick.
 * @param {Index} index
 * @param {string} text
 * @param {number} tick
 * @returns {Pointer[]}
 */
export function pointersIn(index, text, tick) {
  return teller?.pointersIn(index, text, tick) ?? [];
}

/**
 * The sentences about the other users of a storage, and about the objects that keep the storage alive.
 * @param {Index} index
 * @param {State} state
 * @param {number} storage
 * @param {number | null} tensor
 * @returns {Sentence[]}
 */
export function holding(index, state, storage, tensor) {
  return teller?.holding(index, state, storage, tensor) ?? [];
}
