/**
 * Draws the votes of a class over the pictures and the code. Each voted cell, Node, version counter or line
 * gets a fill that is stronger the more votes it has, and their number. Fills and numbers are drawn in an
 * overlay, which follows the scrolling and the changes of the pictures.
 */

import { h, useEffect, useState } from "../../../../vendor/ui.js";
import { lineAt } from "../../../panes/code/code.js";
import { at } from "../../../run/facts.js";
import { namedAt } from "../../../run/questions/truth-lookups.js";
import { around, isHere, isRevealed, poll, votes } from "./poll.js";
import { keyOf } from "./poll-state.js";

/** @import {Around} from "../../../panes/chunks.js" */
/** @import {Answer} from "../../../run/questions/asked.d.ts" */
/** @import {Tally} from "./poll-state.js" */

/** @typedef {{key: string, count: number, share: number, isRight: boolean}} Votes the votes for one answer */
/** @typedef {Votes & {pane: string, on: string | number}} Spot */
/** @typedef {Votes & {left: number, top: number, width: number, height: number}} Mark in px of the screen */

const MEMORY = ".memory-pane .picture";
/** The maximum number of correct answers that are marked although nobody gave them. */
const MOST_MISSED = 40;

export function Heat() {
  const [marks, setMarks] = useState(/** @type {Mark[]} */ ([]));
  const [asked, run, counted] = [poll.value, around.value, votes.value];
  const tally = asked !== null && isHere.value ? (counted?.tally ?? null) : null;
  const right = isRevealed.value ? (asked?.right ?? []) : [];
  useEffect(() => {
    if (tally === null || run === null) return setMarks([]);
    let frame = 0;
    let last = "";
    const spots = spotsOf(run, tally, right);
    const look = () => {
      const found = placed(spots);
      const text = JSON.stringify(found);
      if (text !== last) setMarks(found);
      last = text;
      frame = requestAnimationFrame(look); // the picture may move at any time
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [tally, run, isRevealed.value]);
  if (marks.length === 0) return null;
  return h(
    "div",
    { class: "poll-heat", "aria-hidden": "true" },
    marks.map(({ key, left, top, width, height, count, share, isRight }) =>
      h(
        "div",
        {
          key,
          class: `poll-spot${isRight ? " is-right" : ""}`,
          style: {
            left: `${left}px`,
            top: `${top}px`,
            width: `${width}px`,
            height: `${height}px`,
            "--share": share,
          },
        },
        h("b", null, isRight ? `✓ ${count}` : count),
      ),
    ),
  );
}

/**
 * For each answer, where it is shown and the number of its votes. The positions on the screen are read
 * later, at each frame.
 * @param {Around} run
 * @param {Tally} tally
 * @param {Answer[]} right
 * @returns {Spot[]}
 */
function spotsOf(run, tally, right) {
  const all = tally.reduce((sum, [, count]) => sum + count, 0);
  const isRight = new Set(right.map(keyOf));
  const given = new Set(tally.map(([answer]) => keyOf(answer)));
  const missing = right.filter((answer) => !given.has(keyOf(answer))).slice(0, MOST_MISSED);
  const shown = [...tally, ...missing.map((answer) => /** @type {Tally[0]} */ ([answer, 0]))];
  return shown.flatMap(([answer, count]) => {
    const place = selectorOf(run, answer);
    const key = keyOf(answer);
    return place === null
      ? []
      : [{ key, ...place, count, share: all && count / all, isRight: isRight.has(key) }];
  });
}

/**
 * The pane that shows the item which an answer names, and this item: a CSS selector, or a line of code.
 * Null: the answer names no item.
 * @param {Around} run
 * @param {Answer} answer
 * @returns {{pane: string, on: string | number} | null}
 */
function selectorOf({ index, now }, { kind, storage, cell, node, counter, line = 0 }) {
  if (kind === "cell") return { pane: MEMORY, on: `[data-storage="${storage}"] .cell[data-cell="${cell}"]` };
  if (kind === "node") return { pane: ".graph-pane .picture", on: `[data-node="${node}"]` };
  if (kind === "line") return { pane: ".code-pane .editor", on: line };
  if (kind !== "counter") return null;
  const tensor = namedAt(index, now.tick).find(
    (id) => at(index.tensors[id]?.version_counter, now.tick) === counter,
  );
  return { pane: MEMORY, on: `[data-tensor="${tensor ?? -1}"]` };
}

/**
 * The marks for the answers at their current positions on the screen. An answer whose item is not visible
 * gets no mark.
 * @param {Spot[]} spots
 * @returns {Mark[]}
 */
function placed(spots) {
  return spots.flatMap(({ pane, on, ...spot }) => {
    const host = document.querySelector(pane);
    const thing =
      typeof on === "string"
        ? host?.querySelector(on)
        : [...(host?.shadowRoot?.querySelectorAll(".cm-line") ?? [])].find((each) => lineAt(each) === on);
    if (host == null || thing == null) return [];
    const [frame, box] = [host.getBoundingClientRect(), thing.getBoundingClientRect()];
    const [left, right] = [Math.max(frame.left, box.left), Math.min(frame.right, box.right)];
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const isInSight = x >= frame.left && x <= frame.right && y >= frame.top && y <= frame.bottom;
    if (!isInSight || box.width === 0) return [];
    const [width, height] = [Math.round(right - left), Math.round(box.height)];
    return [{ ...spot, left: Math.round(left), top: Math.round(box.top), width, height }];
  });
}
