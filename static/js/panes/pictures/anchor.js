/** Keeps an item of a picture at its position on the screen when groups are folded or opened. */

import { useLayoutEffect, useRef } from "../../../vendor/ui.js";
import { boxesOf } from "../../layout/group-contents.js";
import { isVisible } from "../../layout/visible.js";
import { useScrolled } from "./scrolled.js";

/** @import {Box, GraphBox, GraphLayout, MemoryLayout} from "../../run/types.d.ts" */

/**
 * Keeps the clicked group at its position on the screen, or, if several groups change at once, the item
 * nearest to the middle of the pane. Returns a function that says whether an item was just kept in this way.
 * @param {{current: HTMLDivElement | null}} box
 * @param {GraphLayout | MemoryLayout} layout
 * @param {number} scale
 */
export function useAnchor(box, layout, scale) {
  const before = useRef(layout);
  const folding = useRef(false);
  const scrolled = useScrolled(box);
  useLayoutEffect(() => {
    const old = before.current;
    const host = box.current;
    before.current = layout;
    if (old === layout || !host) return;
    const margin = (/** @type {number} */ width) => Math.max(0, (host.clientWidth - width * scale) / 2);
    const { left, top } = scrolled.current;
    const [from, to] = kept(old, layout, {
      x: (left - margin(old.width)) / scale,
      y: top / scale,
      width: host.clientWidth / scale,
      height: host.clientHeight / scale,
    });
    if (from === undefined || to === undefined) return; // the picture scrolls to the step's items instead
    folding.current = true;
    host.scrollTo({
      left: left + (to.x - from.x) * scale + margin(layout.width) - margin(old.width),
      top: top + (to.y - from.y) * scale,
      behavior: "instant",
    });
  }, [layout]);
  return () => {
    const was = folding.current;
    folding.current = false;
    return was;
  };
}

/**
 * @param {GraphLayout | MemoryLayout} old
 * @param {GraphLayout | MemoryLayout} layout
 * @param {Box} view the earlier view
 * @returns {(Box | undefined)[]}
 */
function kept(old, layout, view) {
  if ("rows" in old) return "rows" in layout ? keptRows(old, layout) : [];
  return "rows" in layout || old.groups !== layout.groups ? [] : keptIn(old, layout, view);
}

/**
 * The row of the clicked group of storages.
 * @param {MemoryLayout} old
 * @param {MemoryLayout} layout
 */
function keptRows(old, layout) {
  const turned = layout.groups.filter(({ key }) => layout.open.has(key) !== old.open.has(key));
  const [only] = turned;
  return only === undefined || turned.length > 1
    ? []
    : [old, layout].map(({ rows }) => rows.find(({ fold }) => fold?.group.key === only.key));
}

/**
 * The old and the new position of the item that stays at its position on the screen.
 * @param {GraphLayout} old
 * @param {GraphLayout} layout
 * @param {Box} view the earlier view
 * @returns {(Box | undefined)[]}
 */
function keptIn(old, layout, view) {
  const turned = layout.groups.flatMap(({ key }, group) =>
    layout.open.has(key) === old.open.has(key) ? [] : [group],
  );
  const [only = -1] = turned;
  if (turned.length === 1) return [placeOf(old, only), placeOf(layout, only)];
  const middle = nearestTo(old, view);
  const there = middle === undefined ? undefined : boxesOf(layout, middle.node)[0];
  return turned.length === 0 ? [] : [middle, there];
}

/**
 * The box of a group, open or folded.
 * @param {GraphLayout} layout
 * @param {number} group
 */
function placeOf(layout, group) {
  return (
    layout.frames.find((frame) => frame.group === group) ??
    layout.boxes.find((box) => (box.fold === null ? box.around : box.fold.group) === group)
  );
}

/**
 * The box of the graph nearest to the middle of the visible part.
 * @param {GraphLayout} layout
 * @param {Box} view
 */
function nearestTo({ boxes }, view) {
  const far = (/** @type {Box} */ { x, y, width, height }) =>
    Math.hypot(x + width / 2 - view.x - view.width / 2, y + height / 2 - view.y - view.height / 2);
  /** @type {GraphBox | undefined} */
  let nearest;
  for (const box of boxes)
    if (isVisible(view, box) && (nearest === undefined || far(box) < far(nearest))) nearest = box;
  return nearest;
}
