/** Owns the drawing of an AccumulateGrad: a bucket with the gradient that its leaf has. */

import { isHere } from "../layout/group-contents.js";
import { bucketLabel, bucketLines, linesOf } from "../layout/union-graph.js";
import { gradName, nameIn } from "../run/naming/naming.js";
import { shown } from "../run/values/shown.js";
import { tuple } from "../run/values/format.js";
import { fitted, lettered, lettersOf } from "./fitted.js";
import { el } from "./svg.js";

/** @import {GraphBox, NodeState, State} from "../run/types.d.ts" */
/** @import {Scene} from "./graph-picture.js" */
/** @import {Shape} from "./svg.js" */

/** How much each side leans, padding of a text, and sizes of letters, in px. */
const LEAN = 16;
const BESIDE = 8;
const SIZE = { name: 14, grad: 13 };
/** The fewest characters of a leaf's name; with less space only the shape of its gradient is shown. */
const LEAST_NAME = 4;

/**
 * @param {Scene} scene
 * @param {GraphBox} box
 * @returns {Shape}
 */
export function bucket(scene, box) {
  const { index, state } = scene;
  const node = /** @type {NodeState} */ (state.nodes.get(box.node));
  const name = nameIn(index, state, index.nodes[box.node]?.variable ?? null) ?? "";
  const look = `${node.active && isHere(index, state, box, box.node) ? " active" : ""}${node.ran ? " ran" : ""}${node.freed ? " ghost" : ""}${node.is_new ? " new" : ""}`;
  const { x, y, width, body } = box;
  const outline = `M${x + 5},${y} h${width - 10} q5,0 4,5 l${-LEAN},${body - 10} q-1.5,5 -6,5 h${-(width - 2 * LEAN - 10)} q-4.5,0 -6,-5 l${-LEAN},${-(body - 10)} q-1,-5 4,-5 Z`;
  const cx = x + width / 2;
  const { height, first, apart } = linesOf(scene.layout.measures).bucket;
  const lines = gradLines(scene, box, name, body > height);
  const whole = `${gradName(name)}:`;
  return el(
    "g",
    { key: box.key, class: `node bucket${look}`, "data-node": box.node, "data-box": box.key },
    name !== "" &&
      !lines
        .map(({ text }) => text)
        .join("")
        .startsWith(whole) &&
      el("title", {}, gradName(name)),
    el("path", { class: "node-box", d: outline }),
    lettered(
      { class: "bucket-name", x: cx, y: y + first },
      fitted("AccumulateGrad", { size: SIZE.name, room: roomAt(box, first) }, lettersOf(scene)),
    ),
    lines.map((line, number) =>
      lettered({ key: `${number}`, class: "bucket-grad", x: cx, y: y + first + (number + 1) * apart }, line),
    ),
  );
}

/**
 * The room for a text so far down: its sides lean.
 * @param {GraphBox} box
 * @param {number} down
 */
function roomAt({ width, body }, down) {
  return width - 2 * (BESIDE + (LEAN * (down - 5)) / (body - 10));
}

/**
 * `w.grad: [1.]`, in two lines where its name is long; where that has no room with a shorter name, the shape
 * in the place of values.
 * @param {Scene} scene
 * @param {GraphBox} box
 * @param {string} name of the leaf
 * @param {boolean} isLong
 */
function gradLines(scene, box, name, isLong) {
  const { index, layout, state } = scene;
  const { text: grad, shape } = gradText(
    state,
    index.nodes[box.node]?.variable ?? null,
    layout.measures.grad,
  );
  const { first, apart } = linesOf(layout.measures).bucket;
  const letters = lettersOf(scene);
  const line = (/** @type {string} */ value, /** @type {number} */ most) =>
    `${name === "" ? "grad" : bucketLabel(index, name, most)}: ${value}`;
  const shortened = (/** @type {number} */ most) => {
    const left = most - ".grad: ".length;
    const value = left - grad.length < Math.min(LEAST_NAME, name.length) ? shape : grad;
    return line(value, Math.max(2, left - value.length));
  };
  const texts = bucketLines(line(grad, 14), isLong);
  return texts.map((text, number) => {
    const place = { size: SIZE.grad, room: roomAt(box, first + (number + 1) * apart) };
    return fitted(text, place, letters, texts.length === 1 ? shortened : undefined);
  });
}

/**
 * @param {State} state
 * @param {number | null} variable
 * @param {number} most
 * @returns {{text: string, shape: string}}
 */
function gradText(state, variable, most) {
  const grad = state.tensors.get(variable ?? -1)?.grad ?? null;
  if (grad === null) return { text: "None", shape: "None" };
  const geometry = state.tensors.get(grad)?.geometry;
  const contents = geometry?.storage == null ? null : state.storages.get(geometry.storage)?.contents;
  if (!geometry || !contents) return { text: "…", shape: "…" };
  return { text: shown(geometry, contents, most), shape: tuple(geometry.shape) };
}
