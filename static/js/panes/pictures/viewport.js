/** Computes which part of a picture is visible in its pane. */

/** @import {Box} from "../../run/types.d.ts" */

/**
 * The distance in px beyond the edge of its pane up to which a picture is drawn, so that scrolling shows no
 * gap.
 */
const MARGIN = 240;

/**
 * The visible part of a picture with a margin around it, in picture units. Nothing is read from the page,
 * because the browser would have to compute the layout first.
 * @param {{across: number, down: number}} room of the pane in px
 * @param {{x: number, y: number}} place scroll position in px
 * @param {number} width of the picture, which is centred in a wider pane
 * @param {number} scale px per unit of the picture
 * @param {number} [margin] in px
 * @returns {Box}
 */
export function viewOf({ across, down }, { x, y }, width, scale, margin = MARGIN) {
  const beside = Math.max(0, (across - width * scale) / 2);
  return {
    x: (x - beside - margin) / scale,
    y: (y - margin) / scale,
    width: (across + 2 * margin) / scale,
    height: (down + 2 * margin) / scale,
  };
}
