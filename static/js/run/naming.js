/**
 * Owns the names of tensors: the paths that reach a tensor at a tick, and `w.grad` for the gradient of `w`.
 */

import { at } from "./facts.js";
import { perTrace } from "./per-run.js";

/** @import {Name} from "./trace.d.ts" */
/** @import {Index, Label, State} from "./types.d.ts" */

/** The most names of one tensor that are told apart, and how often `.grad` may follow on `.grad`. */
const MOST = { labels: 500, grads: 8 };

/**
 * The names of a tensor at a tick, the simplest first; the gradient of `w` is named `w.grad`.
 * @param {Index} index
 * @param {number} tick
 * @param {number} tensor
 * @param {readonly number[]} [asked] whose gradient is being named: `a.grad` may be `a` again
 * @returns {Label[]}
 */
export function labelsAt(index, tick, tensor, asked = []) {
  const { names_of, owners_of } = index.lookups;
  /** @type {Label[]} */
  const labels = [];
  for (const name of names_of()(tensor)) {
    if (labels.length === MOST.labels) break;
    labels.push(...nameLabel(index, tick, tensor, name));
  }
  labels.sort(plainestFirst);
  if (asked.length === MOST.grads) return labels;
  for (const owner of owners_of()(tensor)) {
    if (
      at(owner.grad, tick) !== tensor ||
      (owner.died !== undefined && owner.died <= tick) ||
      asked.includes(owner.id)
    )
      continue;
    const first = labelsAt(index, tick, owner.id, [...asked, tensor])[0];
    if (first !== undefined)
      labels.push({ key: `g${owner.id}`, text: `${first.text}.grad`, frame: first.frame, is_grad: true });
  }
  return labels;
}

/**
 * @param {Index} index
 * @param {number} tick
 * @param {number} tensor
 * @param {Name} name
 * @returns {Label[]}
 */
function nameLabel(index, tick, tensor, name) {
  const frame = index.frames[name.frame];
  const isOver = name.frame !== 0 && frame?.ended !== undefined && frame.ended <= tick;
  if (isOver || at(name.tensor, tick) !== tensor) return [];
  const text = name.frame === 0 ? name.path : `${name.path} · ${frame?.function ?? "?"}`;
  return [{ key: `n${name.id}`, text, frame: name.frame, is_grad: false }];
}

/**
 * @param {Label} a
 * @param {Label} b
 */
function plainestFirst(a, b) {
  const weight = (/** @type {Label} */ label) =>
    (label.text.match(/[.[]/g)?.length ?? 0) * 100 + label.text.length;
  return weight(a) - weight(b) || (a.key < b.key ? -1 : 1);
}

/**
 * The first name that a tensor ever has, `.grad` included; undefined where it never has one.
 * @param {Index} index
 * @param {number | null} tensor
 */
export function everName(index, tensor) {
  return tensor === null ? undefined : firstNames(index).get(tensor);
}

/** The first name of each tensor that ever has one. */
const firstNames = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, string>} */
  const first = new Map();
  const weight = (/** @type {string} */ path) => (path.match(/[.[]/g)?.length ?? 0) * 100 + path.length;
  for (const name of index.names) {
    for (const [, tensor] of name.tensor ?? []) {
      if (tensor === null) continue;
      const old = first.get(tensor);
      if (old === undefined || weight(name.path) < weight(old)) first.set(tensor, name.path);
    }
  }
  for (const tensor of index.tensors) {
    const name = first.get(tensor.id);
    for (const [, grad] of tensor.grad ?? []) {
      if (grad !== null && name !== undefined && !first.has(grad)) first.set(grad, `${name}.grad`);
    }
  }
  return first;
});

/**
 * The name of a tensor after a stop, else the first name that it ever has.
 * @param {Index} index
 * @param {State} state
 * @param {number | null} tensor
 */
export function nameIn(index, state, tensor) {
  if (tensor === null) return undefined;
  return state.tensors.get(tensor)?.labels[0]?.text ?? everName(index, tensor);
}
