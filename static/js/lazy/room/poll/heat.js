/**
 * Owns the votes on the picture that they are about: the cell, Node, counter or line, the fuller the more
 * chose it, with the count beside it. It lies over the picture, which moves with its scrolling and steps.
 */

import { h, useEffect, useState } from "../../../../vendor/ui.js";
import { lineAt } from "../../../panes/code.js";
import { at } from "../../../run/facts.js";
import { namedAt } from "../../../run/truth-lookups.js";
import { around, isHere, isRevealed, poll, votes } from "./poll.js";
import { keyOf } from "./poll-state.js";

/** @import {Around} from "../../../panes/chunks.js" */
/** @import {Answer} from "../../../run/asked.d.ts" */

/**
 * @typedef {{key: string, left: number, top: number, width: number, height: number, count: number,
 *   share: number, isRight: boolean}} Mark on the screen
 */

export function Heat() {
  const [marks, setMarks] = useState(/** @type {Mark[]} */ ([]));
  const [asked, run, counted] = [poll.value, around.value, votes.value];
  const tally = asked !== null && isHere.value ? (counted?.tally ?? null) : null;
  const right = isRevealed.value ? (asked?.right ?? []) : [];
  useEffect(() => {
    if (tally === null || run === null) return setMarks([]);
    let frame = 0;
    let last = "";
    const look = () => {
      const found = marksOf(run, tally, right);
      const text = JSON.stringify(found);
      if (text !== last) setMarks(found);
      last = text;
      frame = requestAnimationFrame(look); // pictures glide, scroll and are laid out anew
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
          class: `poll-spot${isRight ? " right" : ""}`,
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
 * @param {Around} run
 * @param {[Answer, number][]} tally
 * @param {Answer[]} right
 * @returns {Mark[]}
 */
function marksOf(run, tally, right) {
  const all = tally.reduce((sum, [, count]) => sum + count, 0);
  const isRight = new Set(right.map(keyOf));
  const missing = right.filter((answer) => !tally.some(([given]) => keyOf(given) === keyOf(answer)));
  const shown = [...tally, ...missing.map((answer) => /** @type {[Answer, number]} */ ([answer, 0]))];
  return shown.flatMap(([answer, count]) => {
    const key = keyOf(answer);
    const place = placeOf(run, answer);
    return place === null
      ? []
      : [{ key, ...place, count, share: all && count / all, isRight: isRight.has(key) }];
  });
}

/**
 * Where that which an answer names is on the screen; null: nowhere.
 * @param {Around} run
 * @param {Answer} answer
 */
function placeOf(run, answer) {
  const [host, thing] = thingOf(run, answer) ?? [];
  if (host == null || thing == null) return null;
  const [frame, box] = [host.getBoundingClientRect(), thing.getBoundingClientRect()];
  const [left, right] = [Math.max(frame.left, box.left), Math.min(frame.right, box.right)];
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const isInSight = x >= frame.left && x <= frame.right && y >= frame.top && y <= frame.bottom;
  if (!isInSight || box.width === 0) return null;
  return {
    left: Math.round(left),
    top: Math.round(box.top),
    width: Math.round(right - left),
    height: Math.round(box.height),
  };
}

/**
 * The pane, and what in it an answer names.
 * @param {Around} run
 * @param {Answer} answer
 * @returns {[Element | null, Element | null | undefined] | null}
 */
function thingOf({ index, now }, { kind, storage, cell, node, counter, line }) {
  const memory = document.querySelector(".memory-pane .picture");
  const graph = document.querySelector(".graph-pane .picture");
  const code = document.querySelector(".code-pane .editor");
  if (kind === "cell")
    return [memory, memory?.querySelector(`[data-storage="${storage}"] .cell[data-cell="${cell}"]`)];
  if (kind === "node") return [graph, graph?.querySelector(`[data-node="${node}"]`)];
  if (kind === "counter") {
    const tensor = namedAt(index, now.tick).find(
      (id) => at(index.tensors[id]?.version_counter, now.tick) === counter,
    );
    return [memory, memory?.querySelector(`[data-tensor="${tensor ?? -1}"]`)];
  }
  if (kind !== "line") return null;
  const lines = [...(code?.shadowRoot?.querySelectorAll(".cm-line") ?? [])];
  return [code, lines.find((each) => lineAt(each) === line)];
}
