/**
 * Owns the sentences about memory: tensors that are made, share a storage, or get or lose a name, and
 * storages that are resized or freed. Pure.
 */

import { at } from "../../run/facts.js";
import { bytes } from "../../run/values/format.js";
import { everName } from "../../run/naming/naming.js";
import { retainersOfTensor } from "../../run/retainers.js";
import { recordsOf } from "../../run/lookups.js";
import { placeOfStep } from "../../run/places.js";
import { isOlder, wasThere } from "../../run/there-before.js";
import { called, code, row, shapeIn, valueIn } from "./phrases.js";
import { sharers } from "./of-writes.js";

/** @import {Ticked} from "../../run/lookups.js" */
/** @import {Tensor} from "../../run/trace.d.ts" */
/** @import {Index, Label, Sentence, State, TensorState} from "../../run/types.d.ts" */

const MOST = 4;
const MOST_RENAMED = 2;
const MOST_THERE = 6;
/**
 * The maximum number of new or newly named tensors of a step that are examined for sentences. Further
 * tensors are only counted, if they have a name at any time.
 */
const MOST_READ = 300;
/** Matches the name of a variable, `x` or `x · f`, but no path such as `model.weight`. */
const VARIABLE = /^[\p{L}_][\p{L}\p{N}_]*( · .*)?$/u;

/**
 * The sentence about named tensors that no recorded statement made, because they existed before the
 * recording.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function thereBefore(index, { k, before, tick, tensors }) {
  const there = index.lookups.born
    .tensors()
    .within(k === 0 ? -1 : before, tick)
    .filter((tensor) => wasThere(index.steps, tensor));
  const names = there
    .flatMap(({ id }) => (tensors.get(id)?.labels ?? []).slice(0, 1))
    .map(({ text }) => code(text));
  return names.length === 0 ? [] : [{ id: "story-there-before", args: { names: row(names, MOST_THERE) } }];
}

/**
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function newTensors(index, state) {
  const ids = freshTensors(index, state);
  const named = ids.slice(0, MOST_READ).flatMap((id) => {
    const tensor = state.tensors.get(id);
    const name = tensor && newName(index, state, tensor);
    return tensor === undefined || name === undefined ? [] : [{ tensor, name: name.text }];
  });
  const others = ids.slice(MOST_READ).filter((id) => everName(index, id) !== undefined).length;
  const isMade = (/** @type {TensorState} */ tensor) => tensor.is_new || isOwn(index, state, tensor.id);
  const fresh = named.filter(({ tensor }) => isMade(tensor)).slice(0, MOST);
  const old = named.filter(({ tensor }) => !isMade(tensor)).slice(0, MOST_RENAMED);
  const sentences = [
    ...fresh.flatMap(({ tensor, name }) => made(index, state, tensor, name)),
    ...old.map(({ tensor, name }) => renamed(index, state, tensor, name)),
  ];
  const more = named.length + others - fresh.length - old.length;
  return more === 0 ? sentences : [...sentences, { id: "story-more-tensors", args: { count: more } }];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @param {string} name
 * @returns {Sentence[]}
 */
function made(index, state, tensor, name) {
  const storage = tensor.geometry?.storage ?? null;
  const device = tensor.geometry?.device || "cpu"; // a tensor made under a fake mode may have no device
  const args = { name, shape: shapeIn(tensor.geometry), look: tensor.look, device, storage: `S${storage}` };
  const isTransformed = tensor.counter === null && tensor.version === undefined;
  if (storage === null) return [{ id: isTransformed ? "story-transformed" : "story-new-bare", args }];
  const others = sharers(index, state, storage, tensor.id);
  if (others.length > 0) return sharing(index, state, tensor, others, args);
  if (tensor.base !== null)
    return [{ id: "story-new-view", args: { ...args, base: called(index, state, tensor.base) } }];
  if (isOlder(index, index.tensors[tensor.id])) return [{ id: "story-first-seen", args }];
  const over = state.storages.get(storage)?.over ?? null;
  return [
    { id: "story-new", args },
    ...(over === null
      ? []
      : [{ id: "story-same-bytes", args: { storage: `S${storage}`, other: `S${over}` } }]),
  ];
}

/**
 * The sentence about an older tensor that got a name in this step: it had another name before, or none.
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @param {string} name
 * @returns {Sentence}
 */
function renamed(index, state, { id, labels }, name) {
  const other = labels.find(
    (label) => !isNew(index, state, label, id) && label.text !== name && isUpToDate(index, state, label),
  );
  if (other !== undefined) return { id: "story-renamed", args: { name, other: other.text } };
  const tensor = index.tensors[id];
  const line = isOlder(index, tensor) ? 0 : placeOfStep(index, tensor?.made_by);
  return { id: "story-named", args: { name, line } };
}

/**
 * Whether the recording is up to date about which tensor a name is bound to. The recorder reads attributes
 * and items of a caller's objects only when the caller continues, so within a call they may be outdated.
 * @param {Index} index
 * @param {State} state
 * @param {Label} label
 */
function isUpToDate(index, { stop }, { key, frame, is_grad }) {
  return is_grad || frame === stop.step.frame || !/[.[]/.test(index.names[Number(key.slice(1))]?.path ?? "");
}

/**
 * Whether an operator of the current statement made a tensor, which may have been at an earlier stop.
 * @param {Index} index
 * @param {State} state
 * @param {number} tensor
 */
function isOwn(index, { stop }, tensor) {
  const made_by = index.steps[index.tensors[tensor]?.made_by ?? -1];
  return made_by?.parent === stop.step.id;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @param {TensorState[]} others
 * @param {Sentence["args"] & {name: string}} args
 * @returns {Sentence[]}
 */
function sharing(index, state, tensor, others, args) {
  const other = others[0]?.labels[0]?.text ?? "";
  const sharer = others.find(
    (candidate) => candidate.counter !== null && candidate.counter === tensor.counter,
  );
  const counter =
    tensor.counter === null ? (tensor.version === null ? "none" : "unknown") : sharer ? "shared" : "own";
  const view = tensor.base === null ? "no" : "yes";
  return [
    { id: "story-shares", args: { ...args, other, view, base: called(index, state, tensor.base) } },
    { id: `story-counter-${counter}`, args: { name: args.name, other: sharer?.labels[0]?.text ?? other } },
  ];
}

/**
 * The plainest name that this step bound to a tensor; undefined if it bound none.
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 */
function newName(index, state, tensor) {
  const labels = tensor.labels.filter((label) => !label.is_grad);
  return tensor.is_new ? labels[0] : labels.find((label) => isNew(index, state, label, tensor.id));
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Label} label
 * @param {number} tensor
 */
function isNew(index, { before, tick }, label, tensor) {
  if (label.is_grad) return false;
  return (index.names[Number(label.key.slice(1))]?.tensor ?? []).some(
    ([since, id]) => since > before && since <= tick && id === tensor,
  );
}

/**
 * The ids of the tensors that this step made, or to which it bound a name.
 * @param {Index} index
 * @param {State} state
 * @returns {number[]}
 */
function freshTensors(index, { before, tick }) {
  const isThere = (/** @type {number} */ id) => {
    const tensor = index.tensors[id];
    return tensor !== undefined && tensor.born > before && wasThere(index.steps, tensor);
  };
  const { born, named } = index.lookups;
  const ids = new Set();
  for (const { id } of born.tensors().within(before, tick)) ids.add(id);
  // The names of one tensor are usually bound one after the other, so a repeated id is skipped.
  let latest = null;
  for (const [, { tensor: facts }] of named().within(before, tick)) {
    const tensor = (facts?.length === 1 ? facts[0]?.[1] : at(facts, tick)) ?? null;
    if (tensor !== null && tensor !== latest) ids.add(tensor);
    latest = tensor;
  }
  return [...ids].filter((id) => !isThere(id)).sort((a, b) => a - b);
}

/**
 * The sentences about storages that were resized or moved.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function resized(index, { tick, before }) {
  /** @type {Sentence[]} */
  const sentences = [];
  const old = index.lookups
    .resized()
    .within(before, tick)
    .filter(([, { born }]) => born <= before);
  for (const { id, nbytes, moved } of recordsOf(old).sort((a, b) => a.id - b.id)) {
    if (sentences.length === MOST) break;
    const [from, to] = [at(nbytes, before) ?? 0, at(nbytes, tick) ?? 0];
    if (from !== to)
      sentences.push({
        id: to === 0 ? "story-emptied" : "story-resized",
        args: { storage: `S${id}`, from: from === 0 ? "none" : bytes(from), to: bytes(to) },
      });
    else if (at(moved, tick) !== at(moved, before))
      sentences.push({ id: "story-put-elsewhere", args: { storage: `S${id}` } });
  }
  return sentences;
}

/**
 * The sentences about tensors that this step moved to another storage, for example by assigning to `.data`.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function placedElsewhere(index, state) {
  /** @type {Sentence[]} */
  const sentences = [];
  for (const { id, geometry } of changedIn(state, index.lookups.placed())) {
    const [from, to] = [
      at(geometry, state.before)?.storage ?? null,
      at(geometry, state.tick)?.storage ?? null,
    ];
    if (from === null || to === null || from === to) continue;
    const left = sharers(index, state, from, id).filter(
      (sharer) => at(index.tensors[sharer.id]?.geometry, state.before)?.storage === from,
    );
    const names = row(
      left.map((tensor) => called(index, state, tensor.id)),
      MOST,
    );
    sentences.push({
      id: "story-other-storage",
      args: { name: called(index, state, id), storage: `S${to}`, old: `S${from}`, count: left.length, names },
    });
  }
  return sentences.slice(0, MOST);
}

/**
 * The sentences about tensors with a `requires_grad` that changed.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function requiring(index, state) {
  const changed = changedIn(state, index.lookups.required()).filter(
    ({ requires_grad }) => at(requires_grad, state.before) !== at(requires_grad, state.tick),
  );
  return changed.slice(0, MOST).map(({ id, requires_grad }) => {
    return {
      id: at(requires_grad, state.tick) === true ? "story-requires-grad" : "story-requires-no-grad",
      args: { name: called(index, state, id) },
    };
  });
}

/**
 * The sentences about tensors that got a tangent in this step. A tangent is the derivative that forward mode
 * computes.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function carrying(index, state) {
  const { tick, before, tensors } = state;
  const changed = recordsOf(index.lookups.carried().within(before, tick));
  const sentences = changed.flatMap(({ id, tangent }) => {
    const geometry = at(index.tensors[at(tangent, tick) ?? -1]?.geometry, tick);
    if (geometry == null || tensors.get(id)?.labels[0] === undefined) return [];
    const contents = at(index.storages[geometry.storage ?? -1]?.contents, tick);
    const args = {
      name: called(index, state, id),
      value: valueIn(geometry, contents),
      shape: shapeIn(geometry),
    };
    return [{ id: "story-tangent", args }];
  });
  return sentences.slice(0, MOST);
}

/**
 * The named tensors that existed before this step and for which `facts` has a record in this step.
 * @param {State} state
 * @param {Ticked<[number, Tensor]>} facts
 */
function changedIn({ tensors, before, tick }, facts) {
  const old = facts.within(before, tick).filter(([, { born }]) => born <= before);
  return recordsOf(old).filter(({ id }) => tensors.get(id)?.labels[0] !== undefined);
}

/**
 * The sentences about tensors that lost their last name but are still alive, with the reason why they are.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @returns {Sentence[]}
 */
export function unbound(index, state, before) {
  if (before === null) return [];
  const left = recordsOf(index.lookups.named().within(state.before, state.tick)).map(
    (name) => at(name.tensor, state.before) ?? null,
  );
  const ids = [...new Set(left)].filter(
    (id) =>
      id !== null &&
      before.tensors.get(id)?.labels[0] !== undefined &&
      state.tensors.get(id)?.labels.length === 0,
  );
  return ids.slice(0, 2).flatMap((id) => {
    const name = before.tensors.get(id ?? -1)?.labels[0]?.text ?? "";
    return [
      { id: "story-unbound", args: { name } },
      ...retainersOfTensor(index, state, id ?? -1).slice(0, 1),
    ];
  });
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @returns {Sentence[]}
 */
export function gone(index, state, before) {
  if (before === null) return [];
  const { freed, tensors_in } = index.lookups;
  const isShown = (/** @type {number} */ id) =>
    tensors_in()(id).some((user) => {
      const tensor = before.tensors.get(user.id);
      return tensor !== undefined && tensor.labels.length > 0 && tensor.geometry?.storage === id;
    });
  const storages = freed
    .storages()
    .within(state.before, state.tick)
    .filter(({ id }) => before.storages.has(id) && isShown(id))
    .sort((a, b) => a.id - b.id);
  const nodes = freed
    .nodes()
    .within(state.before, state.tick)
    .filter(({ id }) => before.nodes.has(id)).length;
  /** @type {Sentence[]} */
  const sentences = [];
  if (storages.length > 0)
    sentences.push({
      id: "story-freed",
      args: {
        count: storages.length,
        storages: row(
          storages.map(({ id }) => code(`S${id}`)),
          MOST,
        ),
      },
    });
  if (nodes > 0) sentences.push({ id: "story-nodes-freed", args: { count: nodes } });
  return sentences;
}

/**
 * The sentence about variables whose tensors do not require grad because a called function disabled grad
 * mode, which is on for the statement itself.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function madeWithoutGrad(index, { stop, tick, tensors }) {
  if (stop.kind !== "statement" || stop.step.grad_enabled === false) return [];
  const names = index.lookups.born
    .tensors()
    .within(stop.step.began, tick)
    .flatMap(({ id, made_by }) => {
      const operator = index.steps[made_by ?? -1];
      const isSilent = operator?.grad_enabled === false && operator.parent === stop.step.id;
      const { look, labels = [] } = (isSilent ? tensors.get(id) : undefined) ?? {};
      const label = labels.find(({ text }) => VARIABLE.test(text));
      return look === "plain" && label !== undefined ? [code(label.text)] : [];
    });
  if (names.length === 0) return [];
  return [{ id: "story-made-without-grad", args: { names: row(names, 3), count: names.length } }];
}
