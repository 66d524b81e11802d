/**
 * Owns which gradients may be shown as wrong later, so that a layout can reserve room for their correct
 * values. Pure.
 */

import { perTrace } from "../per-run.js";
import { isValue } from "./format.js";

/** @import {Index} from "../types.d.ts" */

/**
 * The leaves whose `grad` may be wrong: those that backward reaches from a Node whose saved tensor was
 * modified.
 */
const suspectLeaves = perTrace((/** @type {Index} */ index) => {
  const nodes = index.findings
    .filter(({ kind, arguments: { effect } = {} }) => kind === SILENT && effect !== "waits")
    .flatMap(({ saved_tensors = [] }) => saved_tensors.map((id) => index.saved_tensors[id]?.node ?? -1));
  const met = new Set(nodes);
  // the loop also visits Nodes that it adds to the set
  for (const id of met) for (const edge of index.nodes[id]?.edges ?? []) if (edge) met.add(edge.node);
  return new Set([...met].flatMap((id) => index.nodes[id]?.variable ?? []));
});

const SILENT = "silently_wrong_gradient";

/**
 * The minimum room for a correct value, and the maximum room for the wrong and the correct value, in
 * characters.
 */
const ROOM = { right: 5, both: 20 };

/**
 * A string as long as a gradient's label may become, for reserving space. If both values are short, the
 * label may become "wrong ≠ correct"; otherwise only the sign ≠ is added.
 * @param {Index} index
 * @param {number | undefined} leaf
 * @param {string} text
 */
export function withRoom(index, leaf, text) {
  if (!suspectLeaves(index).has(leaf ?? -1)) return hasNan(index) && !isValue(text) ? `${text} nan` : text;
  const both = text.length + 3 + Math.max(text.length, ROOM.right);
  return text.padEnd(both <= ROOM.both ? both : text.length + 2, "0");
}

/** @param {Index} index */
function hasNan({ findings }) {
  return findings.some(({ kind }) => kind === "nan_gradient");
}
