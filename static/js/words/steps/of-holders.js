/**
 * Owns the sentences about what uses a storage: the tensors that share it, and the Nodes that saved it and
 * keep it alive. Pure.
 */

import { arraysOver } from "../../run/values/arrays.js";
import { bytes } from "../../run/values/format.js";
import { holdersOf } from "../../run/holders.js";
import { code, nodeOf, row } from "./phrases.js";

/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

const MOST = 6;

/**
 * The sentences about a storage, or about a tensor in it: which other tensors and arrays use the storage,
 * and which Nodes saved it.
 * @param {Index} index
 * @param {State} state
 * @param {number} storage a storage that is not freed
 * @param {number | null} tensor null: the sentences are about the storage
 * @returns {Sentence[]}
 */
export function holding(index, state, storage, tensor) {
  const { tensors, nodes, names } = holdersOf(index, state, storage);
  const now = state.storages.get(storage);
  const others = tensors.filter(({ id }) => id !== tensor);
  const named = others.flatMap(({ name }) => (name === undefined ? [] : [code(name)]));
  const unnamed = others.length - named.length;
  const users = [
    ...named,
    ...arraysOver(index, state, storage).map((name) => ({ id: "held-array", args: { name } })),
    ...(unnamed === 0 ? [] : [{ id: "held-unnamed", args: { count: unnamed } }]),
  ];
  const args = {
    storage: `S${storage}`,
    size: bytes(now?.nbytes ?? 0),
    count: users.length,
    names: row(users, MOST),
  };
  const aliases = (state.tensors.get(tensor ?? -1)?.labels ?? []).map(({ text }) => code(text));
  /** @type {Sentence[]} */
  const sentences = [];
  if (aliases.length > 1) sentences.push({ id: "held-same", args: { names: row(aliases, MOST) } });
  sentences.push({ id: tensor === null ? "held-by" : "held-shared", args });
  if (now?.over != null) sentences.push({ id: "held-over", args: { storage: `S${now.over}` } });
  if (nodes.length > 0) sentences.push(saved(index, nodes, names));
  return sentences;
}

/**
 * @param {Index} index
 * @param {number[]} nodes
 * @param {string[]} names
 * @returns {Sentence}
 */
function saved(index, nodes, names) {
  const savers = row(
    nodes.map((node) => nodeOf(index, node)),
    MOST,
  );
  const reaching = row(names.map(code), MOST);
  return { id: "held-saved", args: { nodes: savers, count: names.length, names: reaching } };
}
