/** Draws the frames around boxes of the graph that are search results or at the keyboard cursor. */

import { frame } from "./shapes.js";
import { el } from "./svg.js";

/** @import {GraphBox} from "../run/types.d.ts" */
/** @import {Scene} from "./graph-picture.js" */
/** @import {Shape} from "./svg.js" */

/**
 * @param {Scene} scene
 * @param {GraphBox[]} boxes
 * @returns {Shape}
 */
export function marksOf({ cursor, hits }, boxes) {
  const found = boxes
    .filter((box) => hits.has(box.key))
    .map((box) =>
      el("rect", {
        key: box.key,
        class: "hit-frame",
        x: box.x - 5,
        y: box.y - 5,
        width: box.width + 10,
        height: box.body + 10,
        rx: 11,
      }),
    );
  const cursorBox = cursor === null ? undefined : boxes.find((box) => box.key === cursor.key);
  return el("g", { key: "marks" }, found, cursorBox && frame({ ...cursorBox, height: cursorBox.body }));
}
