/** Owns what is told of a step: its facts as sentences, each a Fluent message and its arguments. Pure. */

import { arraysOver, newArrays } from "./arrays.js";
import { at, stopAtTick } from "./facts.js";
import { bytes, hasShape, nested, shapeOf, shortName, single } from "./format.js";
import { newModes } from "./modes.js";
import { everName, nameIn } from "./naming.js";
import { ranOperator } from "./operators.js";
import { keepersOfTensor } from "./keeping.js";
import { recordsOf } from "./lookups.js";
import { stateAt } from "./player.js";

/** @import {Index, Sentence, State, TensorState} from "./types.d.ts" */
/** @import {SavedTensor, Write} from "./trace.d.ts" */

const MOST = 4;

/**
 * What happened in a step, in the order in which it is told.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before the state at the stop before
 * @returns {Sentence[]}
 */
export function storyOf(index, state, before) {
  const whole = backward(index, state);
  const sentences = [
    ...raised(state),
    ...ranNode(index, state),
    ...ranOperator(index, state),
    ...whole,
    ...newTensors(index, state),
    ...newArrays(index, state).slice(0, MOST).map(({ storage, name }) => ({ id: "story-numpy", args: { storage: `S${storage}`, name } })),
    ...writes(index, state),
    ...resized(index, state),
    ...counters(index, state, before),
    ...recorded(index, state),
    ...stale(index, state, before),
    ...(whole.length > 0 ? [] : grads(index, state, before)),
    ...unbound(index, state, before),
    ...gone(index, state, before),
  ];
  const modes = newModes(state.stop.within, before?.stop.within ?? null);
  return [...modes, ...(sentences.length === 0 ? [{ id: "story-nothing", args: {} }] : sentences)];
}

/** @param {State} state @returns {Sentence[]} */
function raised({ stop }) {
  if (stop.kind !== "exception") return [];
  return [{ id: "story-raised", args: { type: stop.step.name ?? "", line: stop.line, message: stop.step.message ?? "" } }];
}

/** @param {Index} index @param {State} state @returns {Sentence[]} */
function ranNode(index, state) {
  const node = state.stop.kind === "node" ? index.nodes[state.stop.step.node ?? -1] : undefined;
  if (node === undefined) return [];
  const name = shortName(node.name);
  const fresh = state.gradients.filter(({ fresh }) => fresh).map(({ gradient }) => gradient);
  const arrived = arrivals(index, state, node.id);
  const sent = fresh.filter((gradient) => gradient.node === node.id);
  const variable = node.variable === undefined ? undefined : nameIn(index, state, node.variable);
  if (node.variable !== undefined) return [{ id: "story-accumulate", args: { name: variable ?? "?", value: arrived } }];
  /** @type {Sentence[]} */
  const told = [{ id: "story-node", args: { node: name, value: arrived } }];
  for (const gradient of sent.slice(0, MOST)) {
    const to = index.nodes[gradient.to ?? -1];
    const leaf = to?.variable === undefined ? undefined : nameIn(index, state, to.variable);
    const value = nested(gradient.value, gradient.shape, 24);
    told.push(leaf === undefined ? { id: "story-sent", args: { value, to: shortName(to?.name ?? "?") } } : { id: "story-sent-leaf", args: { value, name: leaf } });
  }
  if (sent.length === 0) told.push({ id: "story-sent-nothing", args: { node: name } });
  const own = index.saved_of[node.id] ?? [];
  const freed = own.filter((saved) => saved.released !== undefined && saved.released > state.before && saved.released <= state.tick);
  if (freed.length > 0) told.push({ id: "story-released", args: { count: freed.length } });
  return told;
}

/** The gradients that travelled to a Node since it last ran; autograd adds them up. @param {Index} index @param {State} state @param {number} node */
function arrivals(index, state, node) {
  const last = index.lookups.runs_of()(node).findLast((own) => own.ended < state.tick && own.began < state.stop.step.began);
  const values = state.gradients
    .filter(({ gradient }) => gradient.to === node && gradient.tick > (last?.ended ?? -1))
    .map(({ gradient }) => nested(gradient.value, gradient.shape, 24));
  return values.slice(0, MOST).join(" + ") + (values.length > MOST ? " + …" : "") || "?";
}

/** What a statement's backward did in all, told once its Nodes have run. @param {Index} index @param {State} state @returns {Sentence[]} */
function backward(index, state) {
  const { stop, tick } = state;
  const ran = stop.kind === "statement" ? runsWithin(index.runs, stop.step.began, tick) : [];
  if (ran.length === 0) return [];
  const first = stopAtTick(index, ran.reduce((least, own) => Math.min(least, own.began), Infinity));
  const start = first > 0 ? stateAt(index, first - 1) : null;
  const told = grads(index, state, start);
  const leaves = new Set(ran.map((own) => index.nodes[own.node]?.variable).filter((leaf) => leaf !== undefined));
  const names = [...leaves].map((leaf) => nameIn(index, state, leaf)).filter((name) => name !== undefined);
  const list = names.slice(0, MOST).map((name) => `\`${name}\``).join(", ") + (names.length > MOST ? ", …" : "");
  return [{ id: names.length === 0 ? "story-backward" : "story-backward-leaves", args: { count: ran.length, names: list } }, ...told];
}

/** The Nodes that began to run after `began` and were over by `tick`. @param {Index["runs"]} runs @param {number} began @param {number} tick */
function runsWithin(runs, began, tick) {
  const after = runs.findLastIndex((own) => own.ended <= tick);
  let first = after + 1;
  while ((runs[first - 1]?.ended ?? -1) > began) first -= 1;
  return runs.slice(first, after + 1).filter((own) => own.began >= began);
}

/** @param {Index} index @param {State} state @returns {Sentence[]} */
function newTensors(index, state) {
  /** @type {Sentence[]} */
  const told = [];
  const named = freshTensors(index, state).filter((tensor) => isNewlyNamed(index, state, tensor));
  for (const tensor of named.slice(0, MOST)) {
    const name = tensor.labels[0]?.text ?? "";
    const shape = tensor.geometry === null ? "?" : hasShape(tensor.geometry) ? shapeOf(tensor.geometry) : "none";
    const storage = tensor.geometry?.storage ?? null;
    if (!tensor.is_new && !isOwn(index, state, tensor.id)) {
      told.push({ id: "story-renamed", args: { name } });
      continue;
    }
    const others = storage === null ? [] : sharers(index, state, storage, tensor.id);
    if (others.length === 0) told.push({ id: storage === null ? "story-new-bare" : "story-new", args: { name, shape, storage: `S${storage}` } });
    else told.push(...sharing(tensor, others, { name, shape, storage: `S${storage}` }));
    const over = others.length === 0 && storage !== null ? (state.storages.get(storage)?.over ?? null) : null;
    if (over !== null) told.push({ id: "story-same-bytes", args: { storage: `S${storage}`, other: `S${over}` } });
  }
  if (named.length > MOST) told.push({ id: "story-more-tensors", args: { count: named.length - MOST } });
  return told;
}

/** Made by an operator of this very statement, which may have been a stop before. @param {Index} index @param {State} state @param {number} tensor */
function isOwn(index, { stop }, tensor) {
  const made_by = index.steps[index.tensors[tensor]?.made_by ?? -1];
  return made_by?.parent === stop.step.id;
}

/** @param {TensorState} tensor @param {TensorState[]} others @param {{name: string, shape: string, storage: string}} args @returns {Sentence[]} */
function sharing(tensor, others, args) {
  const other = others[0]?.labels[0]?.text ?? "";
  const view = tensor.base !== null ? "yes" : "no";
  const shares = others.some((own) => own.counter !== null && own.counter === tensor.counter);
  const counter = tensor.counter === null ? "unknown" : shares ? "shared" : "own";
  return [{ id: "story-shares", args: { ...args, other, view } }, { id: `story-counter-${counter}`, args: { name: args.name, other } }];
}

/** @param {Index} index @param {State} state @param {TensorState} tensor */
function isNewlyNamed(index, state, tensor) {
  const label = tensor.labels.find((own) => !own.is_grad);
  if (label === undefined) return false;
  if (tensor.is_new) return true;
  const name = index.names[Number(label.key.slice(1))];
  return (name?.tensor ?? []).some(([tick, id]) => tick > state.before && tick <= state.tick && id === tensor.id);
}

/** Tensors that were made in this step, or to which a name now leads. @param {Index} index @param {State} state @returns {TensorState[]} */
function freshTensors(index, { tensors, before, tick }) {
  const { born, named } = index.lookups;
  const ids = new Set(born.tensors().within(before, tick).map((tensor) => tensor.id));
  for (const name of recordsOf(named().within(before, tick))) {
    const tensor = at(name.tensor, tick) ?? null;
    if (tensor !== null) ids.add(tensor);
  }
  return [...ids].sort((a, b) => a - b).map((id) => tensors.get(id)).filter((tensor) => tensor !== undefined);
}

/** Named tensors that look at a storage, but one. @param {Index} index @param {State} state @param {number} storage @param {number | null} but */
function sharers(index, { tensors }, storage, but) {
  const lookers = index.lookups.lookers_at()(storage).map(({ id }) => tensors.get(id)).filter((own) => own !== undefined);
  return lookers.filter((own) => own.id !== but && own.labels.length > 0 && own.geometry?.storage === storage);
}

/** @param {Index} index @param {State} state @returns {Sentence[]} */
function writes(index, state) {
  /** @type {Sentence[]} */
  const told = [];
  const isOld = (/** @type {Write} */ write) => (index.storages[write.storage]?.born ?? 0) <= state.before;
  const seen = new Set();
  for (const write of state.writes.filter((own) => isOld(own) && own.changed !== false)) {
    if (seen.has(write.storage) || seen.size === MOST) continue;
    seen.add(write.storage);
    const through = nameIn(index, state, write.tensor);
    const storage = `S${write.storage}`;
    if (write.tensor === null) told.push(unseen(index, state, write, seen));
    else told.push({ id: through === undefined ? "story-wrote" : "story-wrote-through", args: { storage, name: through ?? "" } });
    for (const other of sharers(index, state, write.storage, write.tensor).filter((own) => own.labels[0]?.text !== through).slice(0, 3)) {
      const value = single(other.geometry, state.storages.get(write.storage)?.contents);
      const name = other.labels[0]?.text ?? "";
      told.push(value === undefined ? { id: "story-reads-too", args: { name, storage } } : { id: "story-reads-too-value", args: { name, storage, value } });
    }
  }
  return told;
}

/** Of a write that no recorded operator made. @param {Index} index @param {State} state @param {Write} write @param {Set<number>} seen @returns {Sentence} */
function unseen(index, state, { storage: id, step, version_counter }, seen) {
  const storage = `S${id}`;
  const over = state.storages.get(id)?.over ?? null;
  if (over !== null && seen.has(over)) return { id: "story-wrote-over", args: { storage, other: `S${over}` } };
  if (state.stop.step.other_threads === true || index.steps[step ?? -1]?.other_threads === true) return { id: "story-wrote-thread", args: { storage } };
  const array = arraysOver(index, state, id)[0];
  if (version_counter === null && array !== undefined) return { id: "story-wrote-numpy", args: { storage, name: array } };
  return { id: version_counter === null ? "story-wrote-behind" : "story-wrote-unseen", args: { storage } };
}

/** Storages that grew, shrank or were put elsewhere. @param {Index} index @param {State} state @returns {Sentence[]} */
function resized(index, { tick, before }) {
  /** @type {Sentence[]} */
  const told = [];
  for (const { id, born, nbytes, moved } of recordsOf(index.lookups.resized().within(before, tick)).sort((a, b) => a.id - b.id)) {
    if (born > before || told.length === MOST) continue;
    const [from, to] = [at(nbytes, before) ?? 0, at(nbytes, tick) ?? 0];
    if (from !== to) told.push({ id: "story-resized", args: { storage: `S${id}`, from: bytes(from), to: bytes(to) } });
    else if (at(moved, tick) !== at(moved, before)) told.push({ id: "story-put-elsewhere", args: { storage: `S${id}` } });
  }
  return told;
}

/** Which counter a write moved, and which stood still beside it. @param {Index} index @param {State} state @param {State | null} before @returns {Sentence[]} */
function counters(index, state, before) {
  /** @type {Sentence[]} */
  const told = [];
  const seen = new Set();
  for (const write of state.writes) {
    if (seen.has(write.storage) || (index.storages[write.storage]?.born ?? 0) > state.before || told.length >= 2 * MOST) continue;
    seen.add(write.storage);
    const sharing = sharers(index, state, write.storage, null);
    const moved = sharing.filter((own) => own.is_bumped);
    const still = sharing.filter((own) => !own.is_bumped && typeof own.version === "number");
    const [first, second] = moved;
    const was = before?.tensors.get(first?.id ?? -1)?.version;
    const names = (/** @type {TensorState} */ own) => own.labels[0]?.text ?? "";
    if (first && second && first.counter === second.counter) told.push({ id: "story-moved-both", args: { name: names(first), other: names(second), from: `v${was ?? "?"}`, to: `v${first.version}` } });
    else if (first) told.push({ id: "story-moved", args: { name: names(first), from: `v${was ?? "?"}`, to: `v${first.version}` } });
    for (const own of still.slice(0, 2)) if (write.changed !== false) told.push({ id: "story-still", args: { name: names(own), version: `v${own.version}` } });
  }
  return told;
}

/** What autograd recorded. @param {Index} index @param {State} state @returns {Sentence[]} */
function recorded(index, state) {
  if (state.stop.kind === "node") return [];
  const fresh = index.lookups.born.nodes().within(state.before, state.tick).filter((node) => node.variable === undefined);
  /** @type {Sentence[]} */
  const told = [];
  for (const { id } of fresh.slice(0, MOST)) {
    const node = shortName(index.nodes[id]?.name ?? "");
    const saved = index.saved_of[id] ?? [];
    told.push(saved.length === 0 ? { id: "story-recorded", args: { node } } : { id: "story-recorded-saved", args: { node, saved: saved.map((own) => slot(index, own)).join(", ") } });
  }
  if (fresh.length > MOST) told.push({ id: "story-more-nodes", args: { count: fresh.length - MOST } });
  return told;
}

/** @param {Index} index @param {SavedTensor} saved */
function slot(index, saved) {
  const name = everName(index, saved.tensor);
  const version = saved.version === null ? "" : ` (\`v${saved.version}\`)`;
  return name === undefined ? `\`${saved.name}\`${version}` : `\`${saved.name} = ${name}\`${version}`;
}

/** @param {Index} index @param {State} state @param {State | null} before @returns {Sentence[]} */
function stale(index, state, before) {
  const spoilt = recordsOf(index.lookups.spoilt().within(state.before, state.tick)).sort((a, b) => a.id - b.id);
  const fresh = spoilt.filter((saved) => state.saved.get(saved.id) === "stale" && before?.saved.get(saved.id) !== "stale");
  return fresh.slice(0, 2).map((saved) => {
    const noticed = (saved.outdated ?? []).length > 0 ? "yes" : "no";
    return { id: "story-stale", args: { node: shortName(index.nodes[saved.node]?.name ?? ""), slot: saved.name, noticed } };
  });
}

/** Gradients that appeared, changed or went since `before`. @param {Index} index @param {State} state @param {State | null} before @returns {Sentence[]} */
function grads(index, state, before) {
  /** @type {Sentence[]} */
  const told = [];
  const written = new Set(index.lookups.writes().within(before?.tick ?? -1, state.tick).filter((write) => write.changed !== false).map((write) => write.storage));
  for (const tensor of regraded(index, state, before?.tick ?? -1, written)) {
    const name = tensor.labels[0]?.text;
    const was = before?.tensors.get(tensor.id)?.grad ?? null;
    if (name === undefined || told.length === MOST) continue;
    if (tensor.grad === null && was !== null) told.push({ id: "story-grad-none", args: { name } });
    const grad = tensor.grad === null ? undefined : state.tensors.get(tensor.grad);
    const storage = grad?.geometry?.storage ?? null;
    const contents = storage === null ? null : state.storages.get(storage)?.contents;
    if (!grad?.geometry || !contents || (tensor.grad === was && !written.has(storage ?? -1))) continue;
    const args = { name, value: hasShape(grad.geometry) ? nested(contents, grad.geometry.shape, 24) : "…", storage: `S${storage}` };
    told.push({ id: was === null ? "story-grad-new" : "story-grad-now", args });
  }
  return told;
}

/** Tensors whose `grad` became another one since a tick, or looks at a storage that was written. @param {Index} index @param {State} state @param {number} since @param {Set<number>} written @returns {TensorState[]} */
function regraded(index, state, since, written) {
  const { graded, lookers_at, owners_of } = index.lookups;
  const ids = new Set(recordsOf(graded().within(since, state.tick)).map((tensor) => tensor.id));
  for (const storage of written) {
    for (const grad of lookers_at()(storage)) for (const owner of owners_of()(grad.id)) ids.add(owner.id);
  }
  return [...ids].sort((a, b) => a - b).map((id) => state.tensors.get(id)).filter((tensor) => tensor !== undefined);
}

/** Tensors whose last name was taken from them, though they live on, and by whom they do. @param {Index} index @param {State} state @param {State | null} before @returns {Sentence[]} */
function unbound(index, state, before) {
  if (before === null) return [];
  const left = recordsOf(index.lookups.named().within(state.before, state.tick)).map((name) => at(name.tensor, state.before) ?? null);
  const ids = [...new Set(left)].filter((id) => id !== null && before.tensors.get(id)?.labels[0] !== undefined && state.tensors.get(id)?.labels.length === 0);
  return ids.slice(0, 2).flatMap((id) => {
    const name = before.tensors.get(id ?? -1)?.labels[0]?.text ?? "";
    return [{ id: "story-unbound", args: { name } }, ...keepersOfTensor(index, state, id ?? -1).slice(0, 1)];
  });
}

/** @param {Index} index @param {State} state @param {State | null} before @returns {Sentence[]} */
function gone(index, state, before) {
  if (before === null) return [];
  const { freed, lookers_at } = index.lookups;
  const isShown = (/** @type {number} */ id) => lookers_at()(id).some((own) => {
    const tensor = before.tensors.get(own.id);
    return tensor !== undefined && tensor.labels.length > 0 && tensor.geometry?.storage === id;
  });
  const storages = freed.storages().within(state.before, state.tick).filter(({ id }) => before.storages.has(id) && isShown(id)).sort((a, b) => a.id - b.id);
  const nodes = freed.nodes().within(state.before, state.tick).filter(({ id }) => before.nodes.has(id)).length;
  /** @type {Sentence[]} */
  const told = storages.slice(0, MOST).map(({ id }) => ({ id: "story-freed", args: { storage: `S${id}` } }));
  if (nodes > 0) told.push({ id: "story-nodes-freed", args: { count: nodes } });
  return told;
}
