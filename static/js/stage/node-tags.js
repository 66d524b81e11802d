/**
 * Draws the name tags below a Node, with the names of the tensors whose `grad_fn` it is, as far as there is
 * space.
 */

import { shortened } from "../run/naming/short-names.js";
import { linesOf } from "../layout/union-graph.js";
import { monoWidth } from "../run/values/text-width.js";
import { arrow, tag } from "./shapes.js";
import { el } from "./svg.js";

/** @import {GraphBox} from "../run/types.d.ts" */
/** @import {Scene} from "./graph-picture.js" */

/**
 * The maximum number of names below a Node, their maximum number of characters, and sizes in picture units.
 */
const TAG = { names: 2, most: 12, size: 13, inset: 16, gap: 6, height: 22, edge: 8 };

/**
 * @typedef {{text: string, name: string, width: number}} Tag `name`: the full name; "" for the count of
 *   others
 */

/**
 * @param {GraphBox} box
 * @param {string[]} labels
 * @param {Scene} scene
 */
export function tagsBelow(box, labels, scene) {
  const shapes = [];
  const at = linesOf(scene.layout.measures).below.tags;
  let right = box.x + box.width - TAG.edge;
  for (const [number, { text, name, width }] of tagsIn(box, labels, scene).entries()) {
    const middle = right - width / 2;
    const y = box.y + box.body;
    shapes.push(
      el("path", { key: `a${number}`, class: "name-line", d: `M${middle},${y + at + 1} v${5 - at}` }),
    );
    shapes.push(el("g", { key: `h${number}`, class: "name-arrow" }, arrow(middle, y + 1.5, 4, "up")));
    shapes.push(tag({ x: right - width, y: y + at, width, height: TAG.height }, [text], `t${number}`, name));
    right -= width + TAG.gap;
  }
  return shapes;
}

/**
 * The width of the tags below a box.
 * @param {GraphBox} box
 * @param {string[]} labels
 * @param {Scene} scene
 */
export function widthBelow(box, labels, scene) {
  return tagsIn(box, labels, scene).reduce((sum, { width }) => sum + width + TAG.gap, TAG.edge);
}

/**
 * The tags below a Node: the first two names if both fit, or else the first name, shortened if necessary.
 * The number of further names follows.
 * @param {GraphBox} box
 * @param {string[]} labels
 * @param {Scene} scene
 * @returns {Tag[]}
 */
function tagsIn({ width: room }, labels, { index, say, least }) {
  const size = Math.max(TAG.size, least);
  const widthOf = (/** @type {string} */ text) => monoWidth(text, size) + TAG.inset;
  const first = (/** @type {number} */ count, /** @type {number} */ most) => {
    const named = labels.slice(0, count).map((name) => ({ text: shortened(index, name, most), name }));
    const more = labels.length - named.length;
    const texts = more > 0 ? [...named, { text: say("more", { count: more }), name: "" }] : named;
    return texts.map((each) => ({ ...each, width: widthOf(each.text) }));
  };
  const fits = (/** @type {Tag[]} */ tags) =>
    tags.reduce((sum, { width }) => sum + width + TAG.gap, TAG.edge - TAG.gap) <= room;
  const two = first(TAG.names, TAG.most);
  if (fits(two)) return two;
  for (let most = TAG.most; most > 2; most -= 1) {
    const one = first(1, most);
    if (fits(one)) return one;
  }
  return first(1, 2);
}
