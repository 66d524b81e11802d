/**
 * Draws an AccumulateGrad as a bucket that contains the gradient of its leaf. A leaf that has no Node and
 * never gets a gradient is drawn as an empty bucket.
 */

import { isHere } from "../layout/group-contents.js";
import { bucketLabel, bucketLines, linesOf } from "../layout/union-graph.js";
import { leafOf, lookOfUnreached } from "../layout/unreached.js";
import { gradName, nameIn } from "../run/naming/naming.js";
import { shown } from "../run/values/shown.js";
import { tuple } from "../run/values/format.js";
import { oddIn, wordOf } from "../run/values/nonfinite.js";
import { monoWidth } from "../run/values/text-width.js";
import { wrongAt, wrongText } from "../run/values/wrong-gradients.js";
import { cutBelow } from "./cut.js";
import { fitted, lettered, lettersOf } from "./fitted.js";
import { el } from "./svg.js";

/** @import {GraphBox, Index, State} from "../run/types.d.ts" */
/** @import {WrongValue} from "../run/values/wrong-gradients.js" */
/** @import {Scene} from "./graph-picture.js" */
/** @import {Shape} from "./svg.js" */

/**
 * Sizes in picture units: how far each side of the bucket is slanted, the padding of its text, and the sizes
 * of its text.
 */
const LEAN = 16;
const BESIDE = 4;
const SIZE = { name: 14, grad: 13 };
/**
 * The minimum number of characters of a leaf's name. If the name would have to be shorter, the shape of the
 * gradient is shown instead of its values.
 */
const LEAST_NAME = 4;

/**
 * @param {Scene} scene
 * @param {GraphBox} box
 * @returns {Shape}
 */
export function bucket(scene, box) {
  const { index, state, say } = scene;
  const node = state.nodes.get(box.node);
  const variable = leafOf(index, box) ?? -1;
  const name = nameIn(index, state, variable) ?? "";
  const unreached = lookOfUnreached(index, state, box);
  const wrong = wrongAt(index, state).leaves.get(variable);
  const isOddGrad = oddGrad(index, state, variable);
  const look = `${wrong ? " wrong" : isOddGrad ? " odd" : ""}${node?.active && isHere(index, state, box, box.node) ? " active" : ""}${node?.ran ? " ran" : ""}${node?.freed ? " ghost" : ""}${node?.is_new ? " new" : ""}${unreached}`;
  const { x, y, width, body } = box;
  const outline = `M${x + 5},${y} h${width - 10} q5,0 4,5 l${-LEAN},${body - 10} q-1.5,5 -6,5 h${-(width - 2 * LEAN - 10)} q-4.5,0 -6,-5 l${-LEAN},${-(body - 10)} q-1,-5 4,-5 Z`;
  const cx = x + width / 2;
  const { height, first, apart } = linesOf(scene.layout.measures).bucket;
  const others = box.unreached?.others ?? 0;
  const lines =
    others > 0
      ? [{ text: say("more", { count: others }), size: SIZE.grad }]
      : gradLines(scene, box, name, { isLong: body > height, wrong });
  const whole = `${gradName(name)}:`;
  return el(
    "g",
    {
      ...{ key: box.key, class: `node bucket${look}` },
      ...(node === undefined ? { "data-tensor": variable } : { "data-node": box.node }),
      "data-box": box.key,
    },
    name !== "" &&
      others === 0 &&
      !lines
        .map(({ text }) => text)
        .join("")
        .startsWith(whole) &&
      el("title", {}, gradName(name)),
    el("path", { class: "node-box", d: outline }),
    (wrong || unreached !== "") && el("path", { class: "pocket-hatch", d: outline }),
    lettered(
      { class: "bucket-name", x: cx, y: y + first },
      fitted(
        unreached === "" ? "AccumulateGrad" : say("graph-unreached"),
        { size: SIZE.name, room: roomAt(box, first) },
        lettersOf(scene),
      ),
    ),
    lines.map((line, number) =>
      lettered({ key: `${number}`, class: "bucket-grad", x: cx, y: y + first + (number + 1) * apart }, line),
    ),
    cutBelow(scene, box),
  );
}

/**
 * The width of a bucket for text at a distance `down` from its top. The width depends on the distance
 * because the sides are slanted.
 * @param {GraphBox} box
 * @param {number} down
 */
function roomAt({ width, body }, down) {
  return width - 2 * (BESIDE + (LEAN * (down - 5)) / (body - 10));
}

/**
 * The text of a bucket, such as `w.grad: [1.]`, as one line, or as two lines if the name is long. If the
 * values do not fit even with a shorter name, their shape is shown instead, or `nan` or `inf` if the values
 * contain one.
 * @param {Scene} scene
 * @param {GraphBox} box
 * @param {string} name of the leaf
 * @param {{isLong: boolean, wrong: WrongValue | undefined}} what `isLong`: whether there are two lines
 */
function gradLines(scene, box, name, { isLong, wrong }) {
  const { index, layout, state } = scene;
  const { text: grad, shape } = gradText(index, state, leafOf(index, box) ?? null, layout.measures.grad);
  const { first, apart } = linesOf(layout.measures).bucket;
  const letters = lettersOf(scene);
  const line = (/** @type {string} */ value, /** @type {number} */ most) =>
    `${name === "" ? "grad" : bucketLabel(index, name, most)}: ${value}`;
  const shortened = (/** @type {number} */ most) => {
    const left = most - ".grad: ".length;
    const value = left - grad.length < Math.min(LEAST_NAME, name.length) ? shape : grad;
    return line(value, Math.max(2, left - value.length));
  };
  if (wrong !== undefined) {
    const [room, size] = [roomAt(box, first + apart), Math.max(SIZE.grad, letters.least)];
    const before = isLong ? "" : line("", 14);
    const most = Math.max(0, Math.floor(room / monoWidth("0", size)) - before.length);
    const lines = bucketLines(line(wrongText(wrong, most, layout.measures.grad), 14), isLong);
    return lines.map((text, number) =>
      fitted(text, { size: SIZE.grad, room: roomAt(box, first + (number + 1) * apart) }, letters),
    );
  }
  const texts = bucketLines(line(grad, 14), isLong);
  return texts.map((text, number) => {
    const place = { size: SIZE.grad, room: roomAt(box, first + (number + 1) * apart) };
    return fitted(text, place, letters, texts.length === 1 ? shortened : undefined);
  });
}

/**
 * Whether the gradient of a leaf has a NaN or infinity that is an error.
 * @param {Index} index
 * @param {State} state
 * @param {number} variable
 */
function oddGrad(index, state, variable) {
  const grad = state.tensors.get(variable)?.grad ?? -1;
  return oddIn(index, state, state.tensors.get(grad)?.geometry?.storage ?? -1) !== null;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number | null} variable
 * @param {number} most
 * @returns {{text: string, shape: string}}
 */
function gradText(index, state, variable, most) {
  const grad = state.tensors.get(variable ?? -1)?.grad ?? null;
  if (grad === null) return { text: "None", shape: "None" };
  const geometry = state.tensors.get(grad)?.geometry;
  const contents = geometry?.storage == null ? null : state.storages.get(geometry.storage)?.contents;
  if (!geometry || !contents) return { text: "…", shape: "…" };
  const text = shown(geometry, contents, most);
  const isOdd = oddGrad(index, state, variable ?? -1);
  const word = isOdd && !/nan|inf/.test(text) ? ` ${wordOf(contents)}` : "";
  return { text: text + word, shape: isOdd ? wordOf(contents) : tuple(geometry.shape) };
}
