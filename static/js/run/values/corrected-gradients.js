/**
 * Owns the rows of a table that compares wrong gradients with the correct ones: name, computed value,
 * correct value.
 */

import { element, isValue, nested } from "./format.js";
import { nameOrId } from "../naming/naming.js";

/** @import {Contents, Finding, CorrectedGradients, CorrectedGradient} from "../trace.d.ts" */
/** @import {Index, Sentence} from "../types.d.ts" */

/**
 * @typedef {{
 *   name: string,
 *   is_grad: boolean,
 *   wrong: string | Sentence | null,
 *   right: string | Sentence | null,
 *   isSame: boolean,
 * }} Row a gradient; null: not known yet
 */

/** The maximum number of rows that the table shows. Further rows are counted. */
export const MOST_ROWS = 6;
const MOST_CHARACTERS = 32;
/** The maximum number of elements shown of a gradient whose text would be too long. */
const MOST_ELEMENTS = 3;
/** With 17 significant digits any two different 64-bit floats have different texts. */
const MOST_DIGITS = 17;

/**
 * The rows of the table once the correct gradients are known, in the given order.
 * @param {Index} index
 * @param {CorrectedGradient[]} gradients
 * @returns {Row[]}
 */
export function rowsOf(index, gradients) {
  return gradients.map((gradient) => {
    const from = firstDifferent(gradient.wrong, gradient.right);
    const isSame = from === -1;
    const both = [gradient.wrong, gradient.right];
    const [wrong = "?", right = "?"] = both.map((contents) => written(contents, gradient.shape, from));
    const [more = wrong, most = right] = isSame || wrong !== right ? [] : withMoreDigits(both, from);
    return {
      name: nameOrId(index, gradient.tensor),
      is_grad: gradient.is_grad,
      wrong: more,
      right: most,
      isSame,
    };
  });
}

/**
 * Rows without values, which reserve space while the server computes the correct gradients: one for each
 * leaf that the backward of the finding reaches.
 * @param {Index} index
 * @param {Finding} finding
 * @returns {Row[]}
 */
export function awaitedRows(index, finding) {
  const needer = index.steps[finding.steps?.at(-1) ?? -1];
  if (needer === undefined) return [];
  const leaves = index.steps.flatMap((step) => {
    const isWithin =
      step.kind === "node" && step.began >= needer.began && step.began <= (needer.ended ?? Infinity);
    const leaf = isWithin ? index.nodes[step.node ?? -1]?.variable : null;
    return leaf == null ? [] : [leaf];
  });
  return [...new Set(leaves)].map((leaf) => ({
    name: nameOrId(index, leaf),
    is_grad: true,
    wrong: null,
    right: null,
    isSame: false,
  }));
}

/**
 * Whether the corrected gradients belong to the backward that a finding is about.
 * @param {Finding} finding
 * @param {Extract<CorrectedGradients, {kind: "right"}>} right
 */
export function isAboutIt(finding, right) {
  return finding.steps?.at(-1) === right.step;
}

/**
 * Whether the run contains another backward after the one whose gradients were corrected.
 * @param {Index} index
 * @param {Extract<CorrectedGradients, {kind: "right"}>} right
 */
export function goesOn(index, right) {
  const ended = index.steps[right.step]?.ended ?? Infinity;
  return index.runs.some((run) => run.began > ended);
}

/**
 * The index of the first element that differs between two gradients; 0 if the elements are not recorded, -1
 * if all are equal.
 * @param {Contents} one
 * @param {Contents} other
 */
function firstDifferent(one, other) {
  if (one.kind !== "cells" || other.kind !== "cells")
    return JSON.stringify(one) === JSON.stringify(other) ? -1 : 0;
  return one.values.findIndex((value, place) => String(value) !== String(other.values[place]));
}

/**
 * The texts of the first element that differs, for both gradients, with enough digits to show the
 * difference; empty if the element is not a number.
 * @param {Contents[]} both
 * @param {number} from
 * @returns {string[]}
 */
function withMoreDigits(both, from) {
  const cells = both.filter((contents) => contents.kind === "cells");
  const numbers = cells.map(({ values }) => values[from]).filter((value) => typeof value === "number");
  if (numbers.length < 2) return [];
  for (let digits = 5; digits <= MOST_DIGITS; digits++) {
    const [one, other] = numbers.map((value) => value.toPrecision(digits));
    if (one === other) continue;
    return [one, other].map((text) => {
      const isLast = from === (cells[0]?.values.length ?? 0) - 1;
      return from === 0 && isLast ? `${text}` : `[${from > 0 ? "…, " : ""}${text}${isLast ? "" : ", …"}]`;
    });
  }
  return [];
}

/**
 * The values of a gradient as torch prints them. If there are too many values, the text has only a few from
 * index `from` on, or their minimum, maximum and mean.
 * @param {Contents} contents
 * @param {number[]} shape
 * @param {number} from
 * @returns {string | Sentence}
 */
function written(contents, shape, from) {
  if (contents.kind === "summary") {
    const [min, max, mean] = [contents.min, contents.max, contents.mean].map((value) =>
      element(value, contents.dtype),
    );
    return { id: "right-summary", args: { min: min ?? "?", max: max ?? "?", mean: mean ?? "?" } };
  }
  if (contents.kind === "unknown") return "?";
  const whole = nested(contents, shape, MOST_CHARACTERS);
  if (isValue(whole)) return whole;
  const first = Math.max(0, from);
  const some = contents.values
    .slice(first, first + MOST_ELEMENTS)
    .map((value) => element(value, contents.dtype));
  return `[${first > 0 ? "…, " : ""}${some.join(", ")}${first + MOST_ELEMENTS < contents.values.length ? ", …" : ""}]`;
}
