/** Marks a tensor that an operator refused, with a frame around the size or dtype that did not match. */

import { monoWidth } from "../run/values/text-width.js";
import { el } from "./svg.js";

/** @import {Clashing} from "../run/values/clashes.js" */

/**
 * The space in px between a frame and the text in it, and the height of letters relative to the size of the
 * text.
 */
const AIR = { across: 1, down: 3 };
const HIGH = 0.74;

/**
 * The frames around the mismatched sizes in the text of a shape. A size that the text does not contain,
 * because it is shortened, has no frame.
 * @param {Clashing[]} clashes
 * @param {string} text
 * @param {{x: number, y: number, size: number}} at left end and baseline of the text, and its size
 */
export function clashFrames(clashes, text, at) {
  const sizes = [...text.matchAll(/\d+/g)];
  return clashes.map(({ dimension, actual }) => {
    const size = sizes[dimension ?? -1];
    return size?.[0] === actual ? clashFrame(text.slice(0, size.index), actual, at) : null;
  });
}

/**
 * @param {string} before
 * @param {string} text
 * @param {{x: number, y: number, size: number}} at
 */
export function clashFrame(before, text, { x, y, size }) {
  return el(
    "g",
    { key: `c${before.length} ${y}`, class: "clash" },
    el("rect", {
      x: x + monoWidth(before, size) - AIR.across,
      y: y - HIGH * size - AIR.down,
      width: monoWidth(text, size) + 2 * AIR.across,
      height: HIGH * size + 2 * AIR.down,
      rx: 2,
    }),
  );
}
