/** Owns what of a picture is in sight: only that is drawn, so a step costs what can be seen. */

/** @import {Box} from "../run/types.d.ts" */

/** So much beyond the edge of its pane is drawn of a picture, in px, so that scrolling finds it there. */
const MARGIN = 240;

/**
 * Whether a box is in sight at all.
 * @param {Box | null} view null: everything is
 * @param {Box} box
 */
export function isSeen(view, box) {
  return (
    view === null ||
    (box.x < view.x + view.width &&
      box.x + box.width > view.x &&
      box.y < view.y + view.height &&
      box.y + box.height > view.y)
  );
}

/**
 * The part of a picture that can be seen and a little around it, in the picture's own units.
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
