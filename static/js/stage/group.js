/**
 * Draws the groups of the graph: a folded group as a stack of sheets, an open group as a frame with a title.
 */

import { clip } from "../run/values/format.js";
import { groupContentsAt } from "../layout/group-contents.js";
import { BOX, FRAME, MOST_TITLE } from "../layout/union-graph.js";
import { monoWidth, sansWidth } from "../run/values/text-width.js";
import { gradientPlace, largestGradient } from "./gradient-size.js";
import { fitted, lettered, lettersOf } from "./fitted.js";
import { isVisible } from "../layout/visible.js";
import { warningSign } from "./shapes.js";
import { el } from "./svg.js";

/** @import {Group, GraphBox, GraphFrame} from "../run/types.d.ts" */
/** @import {GroupContents} from "../layout/group-contents.js" */
/** @import {Scene} from "./graph-picture.js" */
/** @import {Shape} from "./svg.js" */
/** @import {Say} from "../run/types.d.ts" */

/** The size in px of the button that folds and unfolds. */
const SIGN = 20;
/** Sizes of text in px. */
const TEXT = { name: 15, line: 12.8, frame: 13, stale: 12.5 };

/**
 * The title of a group, with its innermost scope first: "blocks.2 · round 3". For a module, the call of its
 * `forward` is not mentioned.
 * @param {Group} group
 * @param {Say} say
 */
export function titleOf({ scopes }, say) {
  const words = scopes.flatMap((scope, at) => {
    if (scope.kind === "round") return [say("group-round", { round: scope.round })];
    if (scope.kind === "line") return [say("graph-line", { line: scope.line })];
    if (scope.kind === "part")
      return [say("group-part", { line: scope.line, first: scope.first, last: scope.last })];
    if (scope.kind === "rounds") return [say("group-rounds", { first: scope.first, last: scope.last })];
    return scope.kind === "call" && scopes[at + 1]?.kind === "module" ? [] : [scope.name];
  });
  return clip(words.reverse().join(" · "), MOST_TITLE);
}

/**
 * The frames of open groups that exist at this step, outermost first.
 * @param {Scene} scene
 */
export function framesOf(scene) {
  const { layout, state, view } = scene;
  const shown = layout.frames.filter(
    (frame) => isVisible(view, frame) && state.nodes.has(layout.groups[frame.group]?.first ?? -1),
  );
  return shown
    .sort((a, b) => a.group - b.group)
    .map((frame) => frameShape(frame, /** @type {Group} */ (layout.groups[frame.group]), scene));
}

/**
 * @param {GraphFrame} frame
 * @param {Group} group
 * @param {Scene} scene
 * @returns {Shape}
 */
function frameShape({ x, y, width, height }, group, scene) {
  const { say } = scene;
  const whole = titleOf(group, say);
  const place = { size: TEXT.frame, room: width - SIGN - 20 };
  const title = fitted(whole, place, lettersOf(scene));
  const wide = monoWidth(title.text, Math.max(TEXT.name, title.size)) + SIGN + 24;
  return el(
    "g",
    { key: group.key, class: "group-frame", "data-group": group.key },
    el("rect", { class: "frame-back", x, y, width, height, rx: 10 }),
    el(
      "g",
      { key: "fold", class: "fold", "data-fold": group.key },
      el("title", {}, hint(whole, title.text, say("group-fold"))),
      el("rect", {
        class: "frame-title",
        x,
        y,
        width: Math.min(width, wide),
        height: FRAME.title + 8,
        rx: 10,
      }),
      sign(x + 6, y + 5, false),
      lettered({ class: "frame-name", x: x + SIGN + 12, y: y + 20 }, title),
    ),
  );
}

/**
 * @param {Scene} scene
 * @param {GraphBox} box
 * @param {NonNullable<GraphBox["fold"]>} fold
 * @returns {Shape}
 */
export function foldedBox(scene, box, fold) {
  const { index, layout, state, say } = scene;
  const group = /** @type {Group} */ (layout.groups[fold.group]);
  const inside = groupContentsAt(index, state, fold);
  const look = `${inside.active ? " active" : ""}${inside.ran > 0 ? " ran" : ""}${inside.freed ? " ghost" : ""}${inside.is_new ? " new" : ""}${inside.stale ? " has-stale" : ""}`;
  const gradient = state.roots.includes(box.node) ? "" : largestGradient(layout, state, box);
  const { x, body } = box;
  const width = box.width - BOX.stack;
  const y = box.y + BOX.stack;
  const height = body - BOX.stack;
  const letters = lettersOf(scene);
  const stale = Math.max(TEXT.stale, scene.least);
  const name = titleOf(group, say);
  const title = fitted(name, { size: TEXT.name, room: width - SIGN - 26 }, letters);
  const taken = inside.stale ? sansWidth(say("saved-stale"), stale, true) + 37 : 10;
  const line = fitted(
    lineOf(inside, say),
    { size: TEXT.line, room: width - 12 - taken, isSans: true },
    letters,
  );
  const sheet = (/** @type {number} */ by) =>
    el("path", {
      key: `s${by}`,
      class: "node-box sheet",
      d: `M${x + by + 6},${y - by} H${x + width + by - 9} q9,0 9,9 V${y + height - by - 6}`,
    });
  return el(
    "g",
    { key: box.key, class: `node group${look}`, "data-group": group.key, "data-fold": group.key },
    el("title", {}, hint(name, title.text, say("group-unfold"))),
    sheet(12),
    sheet(6),
    el("rect", { class: "node-box", x, y, width, height, rx: 9 }),
    lettered({ class: "node-name", x: x + 12, y: y + 23 }, title),
    lettered({ class: "node-line", x: x + 12, y: y + 43 }, line),
    inside.stale && warningSign(x + width - 25, y + 33, 14),
    inside.stale &&
      lettered(
        { class: "pocket-word stale-inside", x: x + width - 31, y: y + 45 },
        { text: say("saved-stale"), size: stale },
      ),
    sign(x + width - SIGN - 8, y + 8, true),
    gradient !== "" &&
      el(
        "text",
        { class: "group-gradient", x: gradientPlace(layout, box), y: box.y + body + 17 },
        say("group-gradient", { value: gradient }),
      ),
  );
}

/**
 * The tooltip of a group, which says what a click does. If the shown title is shortened, the tooltip begins
 * with the full title.
 * @param {string} whole
 * @param {string} shown
 * @param {string} hint
 */
function hint(whole, shown, hint) {
  return whole === shown ? hint : `${whole}\n${hint}`;
}

/**
 * @param {GroupContents} inside
 * @param {Say} say
 */
function lineOf({ count, ran, freed }, say) {
  if (freed) return say("group-freed", { count });
  return ran > 0 ? say("group-ran", { count, ran }) : say("group-nodes", { count });
}

/**
 * The sign of the button that opens or folds a group: a plus or minus in a square.
 * @param {number} x
 * @param {number} y
 * @param {boolean} isFolded
 * @returns {Shape}
 */
export function sign(x, y, isFolded) {
  const [cx, cy] = [x + SIGN / 2, y + SIGN / 2];
  return el(
    "g",
    { key: "sign", class: "fold-sign" },
    el("rect", { x, y, width: SIGN, height: SIGN, rx: 5 }),
    el("path", { d: `M${cx - 5},${cy} h10${isFolded ? ` M${cx},${cy - 5} v10` : ""}` }),
  );
}
