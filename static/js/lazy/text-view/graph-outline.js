/**
 * Owns the text view of the graph, which describes the picture at a step in a nested list of sentences.
 * Pure.
 */

import { birthIn, gradientText } from "../../run/values/nonfinite.js";
import { wrongAt, wrongText } from "../../run/values/wrong-gradients.js";
import { unreachedIn } from "../../run/values/unreached.js";
import { groupContentsAt } from "../../layout/group-contents.js";
import { pocketChip, pocketLabel } from "../../layout/union-graph.js";
import { listOf, say, gradParts, MOST_WRITTEN, nameOf, nodeTitle } from "./outline.js";

/** @import {Cut, GraphBox, GraphLayout, Index, NodeState, Sentence, State} from "../../run/types.d.ts" */
/** @import {Item, ItemList} from "./outline.js" */

/**
 * A list of all Nodes in the picture, oldest first, each with its saved tensors, its edges, and the
 * gradients that it passed on.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {boolean} isWhole whether a long list is complete
 * @returns {ItemList}
 */
export function graphOutline(index, layout, state, isWhole) {
  const folds = new Map(layout.boxes.filter((box) => box.fold !== null).map((box) => [box.node, box]));
  const shown = [...new Set(layout.boxes.map((box) => box.node))].sort((a, b) => a - b);
  const nodes = shown.map((id) => state.nodes.get(id)).filter((node) => node !== undefined);
  const isFresh = (/** @type {NodeState} */ node) => {
    const fold = folds.get(node.id)?.fold;
    const { active, is_new } = fold ? groupContentsAt(index, state, fold) : node;
    return active || is_new;
  };
  const list = listOf(nodes, isWhole, isFresh, (node) => {
    const box = folds.get(node.id);
    return box === undefined ? nodeItem(index, state, node) : foldItem(index, layout, state, box);
  });
  const others = layout.boxes.flatMap((box) => leafItem(index, state, box) ?? []);
  return { ...list, items: [...list.items, ...others] };
}

/**
 * The item of a leaf that has no Node and never gets a gradient.
 * @param {Index} index
 * @param {State} state
 * @param {GraphBox} box
 * @returns {Item | null}
 */
function leafItem(index, state, { key, unreached }) {
  if (unreached === undefined || unreached.from > state.tick) return null;
  const { tensor, from, others } = unreached;
  const parts =
    others > 0
      ? [say("text-unreached-others", { count: others })]
      : [say("text-unreached-leaf", { name: nameOf(index, state, tensor) }), ...cutParts(state, unreached)];
  return { key, isFresh: from > state.before, parts, children: [] };
}

/**
 * @param {State} state
 * @param {Cut | undefined} cut
 * @returns {Sentence[]}
 */
function cutParts({ tick }, cut) {
  return cut === undefined || cut.from > tick || cut.line === 0
    ? []
    : [say("text-node-cut", { line: cut.line })];
}

/**
 * The list item for one box of the picture; null: the box is not shown at this step.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {GraphBox} box
 * @returns {Item | null}
 */
export function boxItem(index, layout, state, box) {
  const node = state.nodes.get(box.node);
  if (node === undefined) return leafItem(index, state, box);
  return box.fold === null ? nodeItem(index, state, node) : foldItem(index, layout, state, box);
}

/**
 * The list item for a folded group of the graph: its title and its contents.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {GraphBox} box
 * @returns {Item}
 */
function foldItem(index, layout, state, { key, fold }) {
  const { count, ran, active, is_new, freed, stale } = groupContentsAt(
    index,
    state,
    /** @type {NonNullable<typeof fold>} */ (fold),
  );
  const scopes = layout.groups[fold?.group ?? -1]?.scopes ?? [];
  const parts = [
    ...scopes.map(({ kind, ...args }) => say(`text-group-${kind}`, args)),
    say("text-group", { count }),
  ];
  if (active) parts.push(say("text-group-active"));
  if (ran > 0) parts.push(say("text-group-ran", { ran }));
  else if (is_new) parts.push(say("text-group-new"));
  if (stale) parts.push(say("text-group-stale"));
  if (freed) parts.push(say("text-group-freed"));
  return { key, isFresh: active || is_new, parts, children: [] };
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {NodeState} node
 * @returns {Item}
 */
function nodeItem(index, state, node) {
  const { id, labels, freed, active, ran, is_new } = node;
  const parts = [headPart(index, state, id)];
  if (labels.length > 0)
    parts.push(say("text-node-of", { names: labels.map((label) => `\`${label}\``).join(", ") }));
  const variable = index.nodes[id]?.variable;
  const grad = variable === undefined ? undefined : (state.tensors.get(variable)?.grad ?? null);
  const { leaves, cuts } = unreachedIn(index);
  if (grad === null) parts.push(say("text-grad-none"));
  else if (grad !== undefined) parts.push(...gradParts(index, state, grad));
  if ((leaves.get(variable ?? -1)?.from ?? Infinity) <= state.tick) parts.push(say("text-unreached"));
  parts.push(...cutParts(state, cuts.get(id)));
  if (active) parts.push(say("text-node-active"));
  else if (ran) parts.push(say("text-node-ran"));
  else if (is_new) parts.push(say("text-node-new"));
  const birth = birthIn(index);
  if (birth !== null && birth.node === id && birth.tick <= state.tick)
    parts.push(say(birth.isForward ? "text-node-first-nan" : "text-node-odd", { value: birth.value }));
  if (freed) parts.push(say("text-node-freed"));
  return {
    key: `n${id}`,
    isFresh: active || is_new,
    parts,
    children: [
      ...nextItems(index, state, id),
      ...savedItems(index, state, id),
      ...flowItems(index, state, id),
    ],
  };
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Sentence}
 */
function headPart(index, state, id) {
  const made_by = index.nodes[id]?.made_by ?? -1;
  const line = index.stops[index.stop_of.get(made_by) ?? -1]?.place ?? 0;
  return say("text-node", { node: nodeTitle(index, state, id), line });
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Item[]}
 */
function nextItems(index, state, id) {
  const edges = index.nodes[id]?.edges ?? [];
  if (edges.length === 0) return [];
  const next = edges
    .map((edge) => (edge === null ? "`None`" : nodeTitle(index, state, edge.node)))
    .join(", ");
  return [{ key: "next", isFresh: false, parts: [say("text-next", { next })], children: [] }];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Item[]}
 */
function savedItems(index, state, id) {
  return (index.saved_of[id] ?? [])
    .filter((saved) => state.saved.has(saved.id))
    .map((saved) => {
      const look = state.saved.get(saved.id) ?? "current";
      const [storage = "", version = ""] = pocketChip(saved).split("·");
      const what = { slot: pocketLabel(index, saved, state), storage, version };
      const kind = storage === "" ? "bare" : version === "" ? "unversioned" : "whole";
      return {
        key: `s${saved.id}`,
        isFresh: false,
        parts: [say(`text-saved-${kind}`, what), say(`text-saved-is-${look}`)],
        children: [],
      };
    });
}

/**
 * The gradients that a Node passed on, and the gradients with which a backward started at the Node.
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Item[]}
 */
function flowItems(index, state, id) {
  return state.gradients
    .filter(({ gradient }) => gradient.node === id || (gradient.node === null && gradient.to === id))
    .map(({ gradient, fresh }) => {
      const wrong = wrongAt(index, state).sent(gradient);
      const value = wrong ? wrongText(wrong, MOST_WRITTEN) : gradientText(index, gradient, MOST_WRITTEN);
      const part =
        gradient.node === null
          ? say("text-root", { value })
          : gradient.to === null
            ? say("text-sent-nowhere", { value })
            : say("text-sent", { value, to: nodeTitle(index, state, gradient.to) });
      return {
        key: `g${gradient.id}`,
        isFresh: fresh,
        parts: [part, ...(wrong ? [say("text-wrong")] : []), ...(fresh ? [say("text-now")] : [])],
        children: [],
      };
    });
}
