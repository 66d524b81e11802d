/**
 * Describes the marks for the chain of a "Why?" answer in both pictures: numbered frames around the steps of
 * the chain. The caller passes the function that creates elements, because `stage/` is loaded later. Pure.
 */

import { linesOf } from "../union-graph.js";
import { boxesOf } from "../group-contents.js";
import { rowsAt, slotsAt } from "../memory-rows.js";
import { isThere, isVisible } from "../visible.js";
import { sansWidth } from "../../run/values/text-width.js";

/** @import {Box, Chain, GraphBox, GraphLayout, MemoryLayout, State} from "../../run/types.d.ts" */

/** @typedef {Record<string, string | number>} Attributes */
/**
 * @template S
 * @typedef {(tag: string, attributes: Attributes & {key?: string}, ...children: (S | string)[]) => S} Element
 */
/**
 * @template S
 * @typedef {{el: Element<S>, state: State, chain: Chain, view: Box | null}} Marking
 */

/** In px: the distance of a frame from its box, and the size of a number. */
const OFF = 4;
const NUMBER = { height: 20, size: 13, air: 7 };

/**
 * The marks around Nodes and saved tensors in the graph. The mark of a folded group has the numbers of all
 * its marked members.
 * @template S
 * @param {GraphLayout} layout
 * @param {Marking<S>} marking
 * @returns {S[]}
 */
export function graphMarks(layout, { el, state, chain, view }) {
  const { height } = linesOf(layout.measures).pocket;
  /** @type {Map<GraphBox, number[]>} */
  const marked = new Map();
  for (const [node, numbers] of chain.nodes)
    for (const box of boxesOf(layout, node))
      if (isVisible(view, box) && isThere(state, box))
        marked.set(box, [...(marked.get(box) ?? []), ...numbers]);
  return [...marked].flatMap(([box, numbers]) => [
    ...marks(el, `n${box.key}`, { ...box, height: box.body }, numbers),
    ...box.pockets
      .filter(({ id }) => chain.saved.has(id))
      .map(({ id, x, y, width }) => framed(el, `p${id}`, { x, y, width, height })),
  ]);
}

/**
 * The marks around tensors.
 * @template S
 * @param {MemoryLayout} layout
 * @param {Marking<S>} marking
 * @returns {S[]}
 */
export function memoryMarks(layout, { el, state, chain, view }) {
  const { card } = layout.measures;
  const rows = rowsAt(layout, state).filter((row) => isVisible(view, row));
  return rows.flatMap((row) =>
    slotsAt(row, state).flatMap(({ tensor, x, y, width, height }) => {
      const numbers = chain.tensors.get(tensor);
      const box = { x, y: y + (height - card.height) / 2, width, height: card.height };
      return numbers === undefined ? [] : marks(el, `t${tensor} ${row.key}`, box, numbers);
    }),
  );
}

/**
 * A frame around a box, with the numbers at the frame's upper left corner.
 * @template S
 * @param {Element<S>} el
 * @param {string} key
 * @param {Box} box
 * @param {number[]} numbers
 */
function marks(el, key, box, numbers) {
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  const text = first === last ? `${first}` : `${first}–${last}`;
  const width = Math.max(NUMBER.height, sansWidth(text, NUMBER.size) + NUMBER.air * 2);
  const x = Math.max(0, box.x - OFF - NUMBER.height / 2);
  const y = Math.max(0, box.y - OFF - NUMBER.height / 2);
  return [
    framed(el, key, box),
    el(
      "g",
      { key: `${key} number`, class: "chain-number" },
      el("rect", { x, y, width, height: NUMBER.height, rx: NUMBER.height / 2 }),
      el("text", { x: x + width / 2, y: y + 14.5 }, text),
    ),
  ];
}

/**
 * @template S
 * @param {Element<S>} el
 * @param {string} key
 * @param {Box} box
 */
function framed(el, key, { x, y, width, height }) {
  return el("rect", {
    ...{ key, class: "chain-frame", x: x - OFF, y: y - OFF },
    ...{ width: width + 2 * OFF, height: height + 2 * OFF, rx: 9 },
  });
}
