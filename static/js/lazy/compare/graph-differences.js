/**
 * Owns the differences between the recorded graphs of two runs at an aligned step: Nodes of one side only,
 * and the saved tensors of paired Nodes. Pure.
 */

import { at } from "../../run/facts.js";
import { shortName } from "../../run/values/format.js";
import { everName } from "../../run/naming/naming.js";
import { lineOfStep } from "../../run/step-tree.js";

/** @import {SavedTensor} from "../../run/trace.d.ts" */
/** @import {ComparedState, Difference, Index, Marked, PairedLine, Sides} from "../../run/types.d.ts" */

/** @typedef {Sides<Map<number, number>>} PairedNodes for each paired Node, its partner in the other run */

/** The number of Nodes that are compared before a sliced task may yield. */
const PAUSE = 1000;

/**
 * Pairs the Nodes of two runs that have the same name and were created by paired lines of code, in order of
 * creation.
 * @param {Index} left
 * @param {Index} right
 * @param {PairedLine[]} pairs
 * @returns {PairedNodes}
 */
export function pairedNodes(left, right, pairs) {
  const partner = new Map(pairs.map((pair) => [pair.right, pair.left]));
  const keys = (/** @type {Index} */ index, /** @type {(line: number) => number | string} */ group) => {
    /** @type {Map<string, number>} */
    const counts = new Map();
    return index.nodes.map(({ name, variable, made_by }) => {
      const key =
        variable !== undefined
          ? `variable ${everName(index, variable)}`
          : `${group(lineOfStep(index.steps, made_by))} ${name}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return `${key} ${counts.get(key)}`;
    });
  };
  const leftIds = new Map(keys(left, (line) => line).map((key, id) => [key, id]));
  const found = keys(right, (line) => partner.get(line) ?? `right ${line}`).flatMap((key, id) =>
    leftIds.has(key) ? [[leftIds.get(key) ?? 0, id]] : [],
  );
  return {
    left: new Map(found.map(([leftId = 0, rightId = 0]) => [leftId, rightId])),
    right: new Map(found.map(([leftId = 0, rightId = 0]) => [rightId, leftId])),
  };
}

/**
 * Nodes that exist on one side only, and differences in the saved tensors of paired Nodes.
 * @param {Sides<ComparedState>} sides
 * @param {PairedNodes} nodes
 * @param {Sides<Marked>} marked
 * @returns {Generator<Difference | undefined, void>}
 */
export function* ofGraph(sides, nodes, marked) {
  // Compare ticks instead of reading the state, because a long run has thousands of Nodes, of which few
  // exist at a time.
  const isThere = (/** @type {ComparedState} */ { index, state }, /** @type {number | undefined} */ id) => {
    const node = index.nodes[id ?? -1];
    return (
      state !== null &&
      node !== undefined &&
      node.born <= state.tick &&
      (node.freed === undefined || node.freed > state.tick)
    );
  };
  for (const [side, other] of /** @type {const} */ ([
    ["left", "right"],
    ["right", "left"],
  ])) {
    const { index } = sides[side];
    for (const { id, name } of index.nodes) {
      if (id % PAUSE === 0) yield undefined;
      const partner = nodes[side].get(id);
      if (!isThere(sides[side], id)) continue;
      if (isThere(sides[other], partner)) {
        if (side === "left") yield* ofSaved(sides, id, partner ?? -1, marked);
      } else if (sides[other].state?.nodes.get(partner ?? -1)?.freed !== true) {
        marked[side].nodes.add(id);
        const [here, there] = [
          { id: "differs-recorded", args: {} },
          { id: "differs-unrecorded", args: {} },
        ];
        yield {
          key: `${side} ${id}`,
          name: shortName(name),
          aspect: "node",
          left: side === "left" ? here : there,
          right: side === "left" ? there : here,
        };
      }
    }
  }
}

/**
 * The differences in the saved tensors of two Nodes, by attribute.
 * @param {Sides<ComparedState>} sides
 * @param {number} left
 * @param {number} right
 * @param {Sides<Marked>} marked
 * @returns {Difference[]}
 */
function ofSaved(sides, left, right, marked) {
  const others = sides.right.index.saved_of[right] ?? [];
  return (sides.left.index.saved_of[left] ?? []).flatMap((saved) => {
    const other = others.find((slot) => slot.name === saved.name);
    const [here, there] = [
      savedLook(sides.left, saved),
      other === undefined ? undefined : savedLook(sides.right, other),
    ];
    if (other === undefined || there === undefined || here === undefined || here === there) return [];
    marked.left.saved.add(saved.id);
    marked.right.saved.add(other.id);
    marked.left.holders.add(left);
    marked.right.holders.add(right);
    const node = shortName(sides.left.index.nodes[left]?.name ?? "");
    return [
      {
        key: `saved ${saved.id}`,
        name: `${node}.${saved.name}`,
        aspect: /** @type {const} */ ("saved"),
        left: { id: `differs-saved-${here}`, args: {} },
        right: { id: `differs-saved-${there}`, args: {} },
      },
    ];
  });
}

/**
 * The look of a saved tensor at a step. A stale tensor is "refused" if torch's version check will detect the
 * change, otherwise "silent".
 * @param {ComparedState} side
 * @param {SavedTensor} saved
 */
function savedLook({ state }, saved) {
  const look = state?.saved.get(saved.id);
  if (state === null || look !== "stale") return look;
  return at(saved.outdated, state.tick) === undefined ? "silent" : "refused";
}
