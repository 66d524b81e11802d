/**
 * Owns the sentences about the graph: recorded Nodes, their saved tensors, and tensors that became
 * stale. Pure.
 */

import { grouped } from "../../run/grouped.js";
import { at } from "../../run/facts.js";
import { clip, shortName } from "../../run/values/format.js";
import { recordsOf } from "../../run/lookups.js";
import { wasThere } from "../../run/there-before.js";
import { code, nodeOf, row, slot } from "./phrases.js";

/** @import {Node} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

const MOST = 4;
/** The maximum number of characters of a module's path within a sentence. */
const READ = 20;

/**
 * The sentences about Nodes that autograd recorded in a step. All Nodes without saved tensors share a
 * sentence.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function recorded(index, state) {
  if (state.stop.kind === "node") return [];
  const fresh = index.lookups.born
    .nodes()
    .within(state.before, state.tick)
    .filter((node) => node.variable === undefined && !wasThere(index.steps, node));
  const savers = fresh.filter((node) => (index.saved_of[node.id] ?? []).length > 0);
  const others = fresh.filter((node) => (index.saved_of[node.id] ?? []).length === 0);
  // with saved-tensor hooks, Nodes store what a hook returned, which the recording does not contain
  const isHooked = others.some((node) => index.steps[node.made_by ?? -1]?.saved_tensors_hooks === "active");
  const groups = [...grouped(savers, (node) => JSON.stringify(savedBy(index, state, node, 1))).values()];
  const told = groups.slice(0, MOST);
  const sentences = told.flatMap((nodes) =>
    nodes.slice(0, 1).map((node) => savedBy(index, state, node, nodes.length)),
  );
  if (others.length > 0 && sentences.length < MOST)
    sentences.push({
      id: "story-recorded",
      args: {
        nodes: row(
          others.map((node) => code(shortName(node.name))),
          3,
        ),
        count: others.length,
        hooked: isHooked ? "yes" : "no",
      },
    });
  const more = fresh.length - told.flat().length - (sentences.length > told.length ? others.length : 0);
  if (more > 0) sentences.push({ id: "story-more-nodes", args: { count: more } });
  return sentences;
}

/**
 * The sentence about `count` recorded Nodes that saved the same tensors, or passed them to a saved-tensor
 * hook.
 * @param {Index} index
 * @param {State} state
 * @param {Node} node
 * @param {number} count
 * @returns {Sentence}
 */
function savedBy(index, state, { id, name, module, made_by }, count) {
  const saved = index.saved_of[id] ?? [];
  const path = module == null ? "" : pathOf(index, module);
  const isHooked = index.steps[made_by ?? -1]?.saved_tensors_hooks === "active";
  const isPacked = isHooked && saved.every((record) => record.available === false);
  return {
    id: isPacked ? "story-recorded-packed" : "story-recorded-saved",
    args: {
      count,
      node: shortName(name),
      module: path === "" ? "none" : clip(path, READ),
      saved: row(
        saved.map((record) => slot(index, state, record)),
        3,
      ),
    },
  };
}

/**
 * The path of a module, such as `model.0`. A module without a name is written as its class.
 * @param {Index} index
 * @param {number} module
 */
function pathOf(index, module) {
  /** @type {string[]} */
  const names = [];
  for (
    let around = index.modules[module];
    around !== undefined;
    around = around.parent == null ? undefined : index.modules[around.parent]
  )
    names.unshift(around.name ?? around.type);
  return names.join(".");
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @returns {Sentence[]}
 */
export function stale(index, state, before) {
  const modified = recordsOf(index.lookups.modified().within(state.before, state.tick)).sort(
    (a, b) => a.id - b.id,
  );
  const fresh = modified.filter(
    (saved) =>
      state.saved.get(saved.id) === "stale" &&
      before?.saved.get(saved.id) !== "stale" &&
      (saved.undecided === undefined || at(saved.outdated, state.tick) !== undefined),
  );
  return fresh.slice(0, 2).map((saved) => {
    const noticed = at(saved.outdated, state.tick) !== undefined ? "yes" : "no";
    return {
      id: "story-stale",
      args: {
        node: nodeOf(index, saved.node),
        saved: { id: "phrase-saved", args: { ...slot(index, state, saved).args, version: -1 } },
        noticed,
      },
    };
  });
}
