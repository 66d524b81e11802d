/** Owns which part of a picture is visible in its pane. */

/** @import {Box} from "../run/types.d.ts" */

/** How far beyond the edge of its pane a picture is drawn, in px, so that scrolling finds it drawn. */
const MARGIN = 240;

/**
 * The visible part of a picture and a margin around it, in the picture's units.
 * @param {HTMLElement} host that it scrolls in
 * @param {SVGSVGElement} svg
 * @param {number} scale px of the page for a unit of the picture
 * @param {number} [margin] in px
 * @returns {Box}
 */
export function viewOf(host, svg, scale, margin = MARGIN) {
  const [outer, inner] = [host.getBoundingClientRect(), svg.getBoundingClientRect()];
  const [x, y] = [(outer.left - inner.left - margin) / scale, (outer.top - inner.top - margin) / scale];
  return { x, y, width: (outer.width + 2 * margin) / scale, height: (outer.height + 2 * margin) / scale };
}
