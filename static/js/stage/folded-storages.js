/** Owns the drawing of groups of storages: a folded one as a stack of sheets, an open one as a title. */

import { bytes, clip } from "../run/format.js";
import { foldContentsAt } from "../layout/fold-contents.js";
import { monoWidth } from "../run/text-width.js";
import { sign, titleOf } from "./group.js";
import { el } from "./svg.js";

/** @import {FoldedStorages, MemoryRow, Say} from "../run/types.d.ts" */
/** @import {Scene} from "./memory-picture.js" */
/** @import {Shape} from "./svg.js" */

/** In px: sheets behind the first, and how far it begins from the edge of the picture. */
const SHEET = 5;
const LEFT = 14;

/** Size of its text, as in stage.css. */
const TEXT = { title: 14, line: 12.5 };

/**
 * @param {Scene} scene
 * @param {MemoryRow} row
 * @param {FoldedStorages} fold
 * @returns {Shape}
 */
export function foldedStorages({ index, state, say, layout }, row, fold) {
  const { key } = fold.group;
  const title = titleWithLine(fold, say);
  if (fold.isOpen)
    return el(
      "g",
      { key: "fold", class: "fold", "data-fold": key },
      el("title", {}, say("storages-fold")),
      el("rect", {
        class: "frame-title",
        x: LEFT,
        y: row.y + 2,
        width: monoWidth(title, TEXT.title) + 46,
        height: 26,
        rx: 8,
      }),
      sign(LEFT + 4, row.y + 5, false),
      el("text", { class: "frame-name", x: LEFT + 32, y: row.y + 20 }, title),
    );
  const inside = foldContentsAt(index, state, fold);
  const words = inside.isFreed
    ? say("storages-freed", { count: inside.born })
    : [
        say("storages-folded", { count: inside.count, bytes: bytes(inside.bytes) }),
        ...savedBy(inside.savers, say),
      ].join(", ");
  const [x, y, height] = [LEFT, row.y + 2 * SHEET + 2, 46];
  const width = Math.min(
    row.width - 2 * LEFT,
    Math.max(layout.columns.strips + 60, monoWidth(words, TEXT.line) + 60) - x,
  );
  const look = `${inside.isNew || inside.isWritten ? " new" : ""}${inside.isFreed ? " ghost" : ""}`;
  const sheet = (/** @type {number} */ by) =>
    el("path", {
      key: `s${by}`,
      class: "sheet",
      d: `M${x + by + 6},${y - by} H${x + width + by - 9} q9,0 9,9 V${y + height - by - 6}`,
    });
  return el(
    "g",
    { key: "fold", class: `storages fold${look}`, "data-fold": key, "data-folded": inside.count },
    el("title", {}, say("storages-unfold")),
    sheet(2 * SHEET),
    sheet(SHEET),
    el("rect", { class: "storages-box", x, y, width, height, rx: 9 }),
    el("text", { class: "storages-title", x: x + 12, y: y + 19 }, title),
    el(
      "text",
      { class: "storages-line", x: x + 12, y: y + 37 },
      clip(words, Math.floor((width - 46) / monoWidth("0", TEXT.line))),
    ),
    sign(x + width - 28, y + 8, true),
  );
}

/**
 * The title of a group, with the line of its loop.
 * @param {FoldedStorages} fold
 * @param {Say} say
 */
function titleWithLine({ group }, say) {
  const [scope] = group.scopes;
  const title = titleOf(group, say);
  return scope?.kind === "rounds" || scope?.kind === "round"
    ? `${title} · ${say("graph-line", { line: scope.line })}`
    : title;
}

/**
 * @param {string[]} savers
 * @param {Say} say
 */
function savedBy([first, ...others], say) {
  if (first === undefined) return [];
  const more = others.length > 0 ? ` ${say("more", { count: others.length })}` : "";
  return [say("storages-saved", { nodes: `${first}${more}` })];
}
