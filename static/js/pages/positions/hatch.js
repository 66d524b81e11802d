/**
 * Draws the stripes of a stale saved tensor in an exported picture. Graphviz draws lines below boxes but
 * above frames. The fills of the saved tensor and of its Node must be below the stripes, so they are
 * exported as frames. Pure.
 */

/** @import {Figure, Frame, Look, Place, Stroke} from "./figures.js" */
/** @import {Point} from "./paths.js" */

/** The distance in px between two stripes, measured across, as on the page. */
const APART = 8;
/** The size in px of the folded corner that Graphviz draws on a box of shape "note". */
const FOLD = 9;

/**
 * Replaces the fill of a box by frames of the same colour. The box keeps its outline.
 * @param {Figure} figure
 * @returns {Frame[]}
 */
export function fillBelow(figure) {
  const { x, y, width, height, fill } = figure;
  if (fill === "") return [];
  figure.fill = "";
  const frame = { fill, stroke: "", thick: 0, dash: /** @type {const} */ ("solid"), inside: [], around: -1 };
  if (figure.outline !== "note") return [{ ...frame, x, y, width, height, isRound: true }];
  return [
    { ...frame, x, y, width: width - FOLD, height, isRound: false },
    { ...frame, x: x + width - FOLD, y: y + FOLD, width: FOLD, height: height - FOLD, isRound: false },
  ];
}

/**
 * The diagonal stripes over a saved tensor's box; each leads from the lower left to the upper right.
 * @param {Place} place
 * @param {Look} look
 * @returns {Stroke[]}
 */
export function stripesIn({ x, y, width, height }, look) {
  /** @type {Stroke[]} */
  const stripes = [];
  for (let across = APART; across < width + height; across += APART) {
    const [left, right] = [
      Math.max(0, across - height),
      Math.min(across, width, Math.max(across, width) - FOLD),
    ];
    /** @type {Point} */
    const from = [x + left, y + across - left];
    /** @type {Point} */
    const to = [x + right, y + across - right];
    if (right > left) stripes.push({ ...look, from: "", to: "", points: [from, from, to, to], tip: null });
  }
  return stripes;
}
