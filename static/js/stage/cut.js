/** Draws a broken edge at the place where the graph is cut, with the line of code that cuts it. */

import { fitted, lettered, lettersOf } from "./fitted.js";
import { el } from "./svg.js";

/** @import {GraphBox} from "../run/types.d.ts" */
/** @import {Scene} from "./graph-picture.js" */

/**
 * Sizes in picture units: the offset of the broken edge from the left side of its box, the distance of the
 * text next to it, and the size of this text.
 */
const CUT = { inset: 20, beside: 12, size: 13 };

/**
 * The broken edge below a box at which the graph is cut; null before the step at which this is known.
 * @param {Scene} scene
 * @param {GraphBox} box
 */
export function cutBelow(scene, { x, y, width, height, body, cut }) {
  if (cut === undefined || cut.from > scene.state.tick) return null;
  const [left, top, foot] = [x + CUT.inset, y + body, y + height];
  const words = { size: CUT.size, room: width - CUT.inset - 2 * CUT.beside, isSans: true };
  const text = scene.say("graph-cut", { line: cut.line });
  return el(
    "g",
    { key: "cut", class: `cut${cut.isHint ? " meant" : ""}` },
    el("path", { class: "cut-line", d: `M${left},${top} V${foot - 14}` }),
    el("path", { class: "cut-sign", d: `M${left - 8},${foot - 8} l16,-6 M${left - 8},${foot - 2} l16,-6` }),
    lettered({ class: "cut-word", x: left + CUT.beside, y: foot - 4 }, fitted(text, words, lettersOf(scene))),
  );
}
