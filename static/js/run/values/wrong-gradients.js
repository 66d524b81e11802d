/**
 * Owns which gradients of a run are wrong at a stop, by comparing them with the corrected gradients. A
 * gradient whose correct value is unknown does not count as wrong. Pure.
 */

import { at } from "../facts.js";
import { element, isValue, nested } from "./format.js";
import { largestOf, printedSize } from "./gradient-sizes.js";
import { perRun, perTrace } from "../per-run.js";
import { placesIn } from "./shown.js";

/** @import {Contents, CorrectedGradient, CorrectedGradients, Gradient} from "../trace.d.ts" */
/** @import {Index, Say, State} from "../types.d.ts" */

/** The sign shown between a wrong gradient and the correct one. */
export const NOT = "≠";

/** The maximum number of elements of a `grad` whose wrong cells are marked in the memory picture. */
const MOST_PLACES = 4096;

/** @typedef {{shape: number[], wrong: Contents, right: Contents}} WrongValue */
/**
 * A `grad` of a leaf whose value is wrong. `cells`: the correct values, by the positions of the wrong
 * elements in the storage of the `grad`; null if they are not known. `count`: the number of elements of the
 * `grad`.
 * @typedef {WrongValue & {
 *   leaf: number,
 *   storage: number,
 *   cells: Map<number, string> | null,
 *   count: number,
 * }} WrongGrad
 */
/**
 * The wrong gradients at a stop: the wrong `grad`s by leaf and by storage, and a function that compares a
 * gradient sent by a Node with the correct one.
 * @typedef {{
 *   leaves: Map<number, WrongGrad>,
 *   storages: Map<number, WrongGrad>,
 *   sent: (gradient: Gradient) => WrongValue | null,
 * }} WrongAt
 */

/** @type {WrongAt} */
const NOTHING = { leaves: new Map(), storages: new Map(), sent: () => null };

/**
 * @param {Index} index
 * @param {State} state
 * @returns {WrongAt}
 */
export function wrongAt(index, state) {
  const { answer } = index.corrected;
  if (answer === null || answer.kind !== "right") return NOTHING;
  const kept = lastAnswered(state);
  if (kept.answer !== answer) Object.assign(kept, { answer, wrong: found(index, state, answer) });
  return kept.wrong;
}

/** The cached wrong gradients of a state, with the corrected gradients from which they were computed. */
const lastAnswered = perRun(
  (/** @type {State} */ _) =>
    /** @type {{answer: Right | null, wrong: WrongAt}} */ ({ answer: null, wrong: NOTHING }),
);

/**
 * @param {Index} index
 * @param {State} state
 * @param {Right} answer
 * @returns {WrongAt}
 */
function found(index, state, answer) {
  const leaves = new Map(
    lastingGrads(answer)(index)
      .filter((grad) => isStill(index, state, grad))
      .map((grad) => [grad.leaf, grad]),
  );
  const right = rightOf(answer);
  return {
    leaves,
    storages: new Map([...leaves.values()].map((grad) => [grad.storage, grad])),
    sent: ({ id, shape, value }) => {
      const other = right.get(id);
      return other === undefined ? null : { shape, wrong: value, right: other };
    },
  };
}

/** @typedef {Extract<CorrectedGradients, {kind: "right"}>} Right */
/** @typedef {WrongGrad & {tensor: number, from: number, recorded: Contents | undefined}} LastingGrad */

const rightOf = perRun(
  (/** @type {Right} */ { sent = [] }) => new Map(sent.map(({ gradient, right }) => [gradient, right])),
);

/** The `grad`s with a wrong value, each with the tick at which its AccumulateGrad finished. */
const lastingGrads = perRun((/** @type {Right} */ answer) =>
  perTrace((/** @type {Index} */ index) =>
    answer.gradients.flatMap((gradient) => lasting(index, answer, gradient)),
  ),
);

/**
 * @param {Index} index
 * @param {Right} answer
 * @param {CorrectedGradient} gradient
 * @returns {LastingGrad[]}
 */
function lasting(index, { node, step }, { tensor: leaf, is_grad, shape, wrong, right }) {
  if (!is_grad || JSON.stringify(wrong) === JSON.stringify(right)) return [];
  const runs = index.runs.filter(({ statement }) => statement === step);
  const first = runs.find((run) => run.node === node)?.began ?? Infinity;
  const from = runs.find((run) => index.nodes[run.node]?.variable === leaf && run.began > first)?.ended;
  if (from === undefined) return [];
  const tensor = at(index.tensors[leaf]?.grad, from) ?? null;
  const geometry = at(index.tensors[tensor ?? -1]?.geometry, from);
  if (tensor === null || geometry?.storage == null) return [];
  const recorded = at(index.storages[geometry.storage]?.contents, from);
  const places = placesIn(geometry, MOST_PLACES);
  const cells = places === undefined ? null : wrongCells(places, wrong, right);
  const count = shape.reduce((product, size) => product * size, 1);
  return [{ leaf, tensor, storage: geometry.storage, from, recorded, shape, wrong, right, cells, count }];
}

/**
 * The correct values of the elements that are wrong, by the positions of these elements in the storage.
 * @param {number[]} places
 * @param {Contents} wrong
 * @param {Contents} right
 */
function wrongCells(places, wrong, right) {
  if (wrong.kind !== "cells" || right.kind !== "cells") return null;
  return new Map(
    places.flatMap((place, number) => {
      const [one, other] = [
        element(wrong.values[number], wrong.dtype),
        element(right.values[number], right.dtype),
      ];
      return String(wrong.values[number]) === String(right.values[number])
        ? []
        : [/** @type {[number, string]} */ ([place, one === other ? String(right.values[number]) : other])];
    }),
  );
}

/**
 * Whether a leaf still has its wrong `grad`, and the `grad` was not written since.
 * @param {Index} index
 * @param {State} state
 * @param {LastingGrad} grad
 */
function isStill(index, { tick }, { leaf, tensor, storage, from, recorded }) {
  return (
    tick >= from &&
    at(index.tensors[leaf]?.grad, tick) === tensor &&
    at(index.storages[storage]?.contents, tick) === recorded
  );
}

/**
 * The text of a wrong gradient: `[1.] ≠ [4.]`, or only the largest absolute values, `∇ 0.31 ≠ 0.52`. If both
 * texts are too long or equal, the result is the wrong value followed by `≠`.
 * @param {WrongValue} value
 * @param {number} most maximum number of characters
 * @param {number} [each] maximum number of characters of each value
 */
export function wrongText({ shape, wrong, right }, most, each = most) {
  const [one, other] = [nested(wrong, shape, each), nested(right, shape, each)];
  const texts = [
    ...(isValue(one) && isValue(other) && one !== other ? [`${one} ${NOT} ${other}`] : []),
    ...sizesOf(wrong, right),
  ];
  return texts.find((text) => text.length <= most) ?? `${one} ${NOT}`;
}

/**
 * @param {Contents} wrong
 * @param {Contents} right
 * @returns {string[]}
 */
function sizesOf(wrong, right) {
  const [one, other] = [largestOf(wrong), largestOf(right)];
  const [left, rest] = [printedSize(one), printedSize(other)];
  return one < 0 || other < 0 || left === rest ? [] : [`∇ ${left} ${NOT} ${rest}`];
}

/**
 * The correct values of the wrong cells of a storage as text, `≠ 4.`. If the correct values do not fit, the
 * text has the number of wrong cells, or only the sign `≠`.
 * @param {WrongGrad} grad
 * @param {Say} say
 * @param {number} most maximum number of characters
 */
export function rightText(grad, say, most) {
  const { cells, count } = grad;
  if (cells === null) return NOT;
  const texts = [
    `${NOT} ${[...cells.values()].join(" ")}`,
    say("cells-wrong", { count: cells.size, all: count }),
  ];
  return texts.find((text) => text.length <= most) ?? NOT;
}
