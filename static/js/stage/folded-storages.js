/**
 * Draws groups of storages in the memory picture. A folded group is drawn as a stack of sheets. An open
 * group, and the group of freed storages, is drawn as a line with a title.
 */

import { bytes, clip } from "../run/values/format.js";
import { foldContentsAt } from "../layout/folds/fold-contents.js";
import { FREED } from "../layout/folds/freed-folds.js";
import { shortening } from "../run/naming/short-names.js";
import { perRun } from "../run/per-run.js";
import { finished } from "../run/slices.js";
import { monoWidth } from "../run/values/text-width.js";
import { sign, titleOf } from "./group.js";
import { frame, warningSign } from "./shapes.js";
import { el } from "./svg.js";

/** @import {FoldedStorages, Group, MemoryLayout, MemoryRow, Say} from "../run/types.d.ts" */
/** @import {Scene} from "./memory-picture.js" */
/** @import {Shape} from "./svg.js" */
/** @typedef {[number, number]} Point */

/**
 * Sizes in picture units: the offset of each sheet from the sheet in front of it, and the distance of the
 * stack from the edge of the picture.
 */
const SHEET = 5;
const LEFT = 14;

/**
 * How far, in picture units, the stack of a module extends to the right of the position where cells begin in
 * other rows.
 */
const WIDER = 130;

/** The maximum number of characters of a module's path, and of names in a tooltip. */
const MOST_PATH = 30;
const MOST_TOLD = 20;

/** Sizes of the text in a stack of sheets, the same as in stage.css. */
const TEXT = { title: 14, line: 12.5 };

/**
 * @param {Scene} scene
 * @param {MemoryRow} row
 * @param {FoldedStorages} fold
 * @returns {Shape}
 */
export function foldedStorages({ index, state, say, layout, chosen }, row, fold) {
  const { key } = fold.group;
  const isFreed = key === FREED;
  const inside = foldContentsAt(index, state, fold);
  const title = isFreed
    ? say("storages-all-freed", { count: inside.count })
    : titleWithLine(layout, fold, say);
  const isChosen = chosen?.kind === "fold" && layout.groups[chosen.id]?.key === key;
  if (fold.isOpen || isFreed) {
    const box = { x: LEFT, y: row.y + 2, width: monoWidth(title, TEXT.title) + 46, height: 26 };
    const hint = fold.isOpen ? "storages-fold" : "storages-unfold-freed";
    return el(
      "g",
      { key: "fold", class: `fold${isFreed ? " all-freed" : ""}`, "data-fold": key },
      el("title", {}, `${wholeOf(fold, title)}\n${say(hint)}`),
      el("rect", { class: "frame-title", ...box, rx: 8 }),
      sign(LEFT + 4, row.y + 5, !fold.isOpen),
      el("text", { class: "frame-name", x: LEFT + 32, y: row.y + 20 }, title),
      isChosen && frame(box),
    );
  }
  const words = linesOf(inside, say);
  const [x, y, height] = [LEFT, row.y + 2 * SHEET + 2, 46];
  const isModule = inside.roles.length > 0;
  const least = layout.columns.strips + (isModule ? WIDER : 60);
  const widest = isModule ? 0 : monoWidth(words.line, TEXT.line) + 66;
  const width = Math.min(row.width - 2 * LEFT, Math.max(least, widest) - x);
  const isAbout = inside.isNew || inside.isWritten || words.about !== "";
  const look = `${isAbout ? " new" : ""}${inside.isFreed ? " ghost" : ""}`;
  const sheet = (/** @type {number} */ by) =>
    el("path", {
      key: `s${by}`,
      class: "sheet",
      d: `M${x + by + 6},${y - by} H${x + width + by - 9} q9,0 9,9 V${y + height - by - 6}`,
    });
  const line = (/** @type {string} */ look, /** @type {string} */ text, /** @type {Point} */ [at, down]) =>
    el(
      "text",
      { class: look, x: x + at, y: y + down },
      clip(text, Math.floor((width - at - 6) / monoWidth("0", TEXT.line))),
    );
  return el(
    "g",
    { key: "fold", class: `storages fold${look}`, "data-fold": key, "data-folded": inside.count },
    el("title", {}, [wholeOf(fold, title), ...words.whole, say("storages-unfold")].join("\n")),
    sheet(2 * SHEET),
    sheet(SHEET),
    el("rect", { class: "storages-box", x, y, width, height, rx: 9 }),
    sign(x + 8, y + 8, true),
    el("text", { class: "storages-title", x: x + 36, y: y + 22 }, title),
    words.about !== "" && line("storages-about", words.about, [52 + monoWidth(title, TEXT.title), 22]),
    line("storages-line", words.line, [36, 40]),
    inside.stale > 0 && warningSign(x + 13, y + 29, 13),
    isChosen && frame({ x, y, width, height }),
  );
}

/**
 * The two lines of text in a folded group: its contents, and what the step changes or reads in it. `whole`
 * has the second line with all names.
 * @param {ReturnType<typeof foldContentsAt>} inside
 * @param {Say} say
 */
function linesOf({ isFreed, born, count, bytes: size, roles, savers, about, stale }, say) {
  const told = (/** @type {string} */ names) =>
    about === null ? "" : say("storages-about", { what: about.what, count: about.names.length, names });
  const [first = "", ...others] = about?.names ?? [];
  const short = told(`${first}${others.length > 0 ? ` ${say("more", { count: others.length })}` : ""}`);
  const whole = about === null ? [] : [told(about.names.slice(0, MOST_TOLD).join(", "))];
  if (isFreed) return { line: say("storages-freed", { count: born }), about: short, whole };
  const old = stale > 0 ? [say("storages-stale", { count: stale })] : [];
  const held = roles.map(({ name, count: of }) => say("storages-role", { role: name, count: of }));
  const parts =
    held.length > 0
      ? [...old, ...held, bytes(size)]
      : [...old, say("storages-folded", { count, bytes: bytes(size) }), ...savedBy(savers, say)];
  return { line: parts.join(", "), about: short, whole };
}

/** A function that shortens the paths of modules such that they stay distinguishable. */
const pathsOf = perRun((/** @type {Group[]} */ groups) =>
  finished(shortening(groups.flatMap(({ scopes: [scope] }) => (scope?.kind === "path" ? [scope.name] : [])))),
);

/**
 * The title of a group: the path of a module, or else the round or call, with the line of the loop.
 * @param {MemoryLayout} layout
 * @param {FoldedStorages} fold
 * @param {Say} say
 */
function titleWithLine(layout, { group }, say) {
  const [scope] = group.scopes;
  if (scope?.kind === "path") return pathsOf(layout.groups)(scope.name, MOST_PATH);
  const title = titleOf(group, say);
  return scope?.kind === "rounds" || scope?.kind === "round"
    ? `${title} · ${say("graph-line", { line: scope.line })}`
    : title;
}

/**
 * The full path of a group's module, or the title of any other group.
 * @param {FoldedStorages} fold
 * @param {string} title
 */
function wholeOf({ group: { scopes } }, title) {
  return scopes[0]?.kind === "path" ? scopes[0].name : title;
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
