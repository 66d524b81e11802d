/**
 * Owns the differences between tensors with the same name in two runs at an aligned step: their values,
 * versions, memory, shapes and gradients. Pure.
 */

import { at } from "../../run/facts.js";
import { covered, element, hasShape, nested, shapeOf, shortName, single } from "../../run/values/format.js";
import { gradName, isOver, textOf } from "../../run/naming/naming.js";

/** @import {Contents, Geometry} from "../../run/trace.d.ts" */
/**
 * @import {ComparedState, Difference, Marked, Sentence, Sides,
 *   TensorState} from "../../run/types.d.ts"
 */

/** @typedef {{key: string, sentence: () => Sentence}} Aspect `key`: equal if there is no difference */
/** @typedef {{key: string, names: string[]}} Sharing `names`: all names that share it, sorted */
/**
 * @typedef {{
 *   id: number,
 *   tensor: TensorState,
 *   storage: number | null,
 *   memory: Sharing | null,
 *   counter: Sharing | null,
 * }} NamedTensor the tensor of a name, and the names that share its storage or version counter
 */

/** The aspects of a tensor that are compared, the most important first. */
const ASPECTS = /** @type {const} */ (["values", "version", "counter", "memory", "shape", "grad_fn", "grad"]);

/** The number of names that are compared before a sliced task may yield. */
export const PAUSE = 200;

/**
 * The named tensors of both runs. If a tensor's first name is the same in both runs, its other names are
 * left out.
 * @param {Sides<ComparedState>} sides
 * @returns {Generator<void, {named: Sides<Map<string, NamedTensor>>, names: string[]}>}
 */
export function* namedIn(sides) {
  /** @type {Map<string, number>} */
  const sharings = new Map();
  const named = {
    left: yield* namedTensorsOf(sides.left, sharings),
    right: yield* namedTensorsOf(sides.right, sharings),
  };
  const plainest = (/** @type {NamedTensor | undefined} */ namedTensor) =>
    namedTensor?.tensor.labels[0]?.text;
  const isPlain = (/** @type {string} */ name) => {
    const [left, right] = [plainest(named.left.get(name)), plainest(named.right.get(name))];
    return left !== right || left === name || left === undefined;
  };
  return { named, names: [...new Set([...named.left.keys(), ...named.right.keys()])].filter(isPlain) };
}

/**
 * The tensor of each name in one run. Gradients have names like `w.grad`.
 * @param {ComparedState} side
 * @param {Map<string, number>} sharings a number for each list of names; both sides use the same map
 * @returns {Generator<void, Map<string, NamedTensor>>}
 */
function* namedTensorsOf({ index, state }, sharings) {
  /** @type {Map<string, NamedTensor>} */
  const named = new Map();
  if (state === null) return named;
  const note = (/** @type {string} */ text, /** @type {number} */ id) => {
    const tensor = state.tensors.get(id);
    if (tensor !== undefined)
      named.set(text, { id, tensor, storage: tensor.geometry?.storage ?? null, memory: null, counter: null });
    return tensor;
  };
  for (const { id, path, frame, tensor: facts } of index.names) {
    if (id % PAUSE === 0) yield;
    const tensor = at(facts, state.tick);
    if (tensor === undefined || tensor === null || isOver(index, frame, state.tick)) continue;
    const text = textOf(index, { path, frame });
    const grad = note(text, tensor)?.grad ?? null;
    if (grad !== null) note(gradName(text), grad);
  }
  share(named, sharings, "memory", ({ storage }) => storage);
  yield;
  share(named, sharings, "counter", ({ tensor }) => tensor.counter);
  return named;
}

/**
 * @param {Map<string, NamedTensor>} named
 * @param {Map<string, number>} sharings
 * @param {"memory" | "counter"} what
 * @param {(namedTensor: NamedTensor) => number | null} of
 */
function share(named, sharings, what, of) {
  /** @type {Map<number, Sharing>} */
  const found = new Map();
  for (const [text, namedTensor] of named) {
    const shared = of(namedTensor);
    if (shared === null) continue;
    const sharing = found.get(shared) ?? { key: "", names: [] };
    sharing.names.push(text);
    found.set(shared, sharing);
    namedTensor[what] = sharing;
  }
  for (const sharing of found.values()) {
    const all = sharing.names.sort().join();
    sharings.set(all, sharings.get(all) ?? sharings.size);
    sharing.key = sharing.names.length === 1 ? "own" : `shared ${sharings.get(all)}`;
  }
}

/**
 * @param {Sides<ComparedState>} sides
 * @param {Sides<NamedTensor | undefined>} named
 * @param {string} name
 * @param {Sides<Marked>} marked
 * @returns {Difference[]}
 */
export function ofTensor(sides, named, name, marked) {
  const [left, right] = [aspectsOf(sides.left, named.left, name), aspectsOf(sides.right, named.right, name)];
  const differing = ASPECTS.filter((aspect) => left[aspect].key !== right[aspect].key);
  if (differing.length === 0) return [];
  const isAlone = named.left === undefined || named.right === undefined;
  const shown = isAlone ? /** @type {const} */ (["values"]) : differing;
  for (const side of /** @type {const} */ (["left", "right"])) {
    const namedTensor = named[side];
    if (namedTensor === undefined) continue;
    if (namedTensor.storage !== null && shown.some((aspect) => aspect === "values" || aspect === "memory"))
      marked[side].storages.add(namedTensor.storage);
    if (isAlone || shown.some((aspect) => aspect !== "values" && aspect !== "memory"))
      marked[side].tensors.add(namedTensor.id);
  }
  return shown.map((aspect) => ({
    key: `${name} ${aspect}`,
    name,
    aspect,
    ...distinctSentences(left[aspect].sentence(), right[aspect].sentence()),
  }));
}

/**
 * Returns both sentences, but replaces the right one if they are equal. Sentences about values that are too
 * large to print can be equal although the values differ, so the right one then states only that they
 * differ.
 * @param {Sentence} left
 * @param {Sentence} right
 * @returns {Sides<Sentence>}
 */
function distinctSentences(left, right) {
  const isSame = JSON.stringify(left) === JSON.stringify(right);
  return isSame ? { left, right: { id: "differs-other", args: {} } } : { left, right };
}

/**
 * @param {ComparedState} side
 * @param {NamedTensor | undefined} namedTensor
 * @param {string} name
 * @returns {Record<typeof ASPECTS[number], Aspect>}
 */
function aspectsOf({ index, state }, namedTensor, name) {
  if (namedTensor === undefined) {
    const none = {
      key: "",
      sentence: () => (name.endsWith(".grad") ? plainText("None") : { id: "differs-absent", args: {} }),
    };
    return {
      values: none,
      version: none,
      counter: none,
      memory: none,
      shape: none,
      grad_fn: none,
      grad: none,
    };
  }
  const { tensor, storage, memory, counter } = namedTensor;
  const { geometry, version, node } = tensor;
  const contents = storage === null ? null : (state?.storages.get(storage)?.contents ?? null);
  const shape = geometry === null ? "?" : `${geometry.dtype} ${shapeOf(geometry)}`;
  const text = version === null ? "–" : `v${version ?? "?"}`;
  const grad_fn = node === null ? "None" : shortName(index.nodes[node]?.name ?? "?");
  return {
    values: {
      key: `values ${valuesKey(geometry, contents)}`,
      sentence: () => valueSentence(geometry, contents),
    },
    version: { key: text, sentence: () => plainText(text) },
    counter: shared(counter, name),
    memory: shared(memory, name),
    shape: {
      key: `${shape} ${geometry?.stride} ${geometry?.storage_offset}`,
      sentence: () => plainText(shape),
    },
    grad_fn: { key: grad_fn, sentence: () => plainText(grad_fn) },
    grad: { key: tensor.look, sentence: () => ({ id: `differs-look-${tensor.look}`, args: {} }) },
  };
}

/** The maximum number of names in a sentence about tensors that share a storage or version counter. */
const MOST_NAMES = 20;

/**
 * @param {Sharing | null} sharing
 * @param {string} name one of the names
 * @returns {Aspect}
 */
function shared(sharing, name) {
  if (sharing === null || sharing.names.length === 1)
    return { key: "own", sentence: () => ({ id: "differs-own", args: {} }) };
  const { key, names } = sharing;
  const sentence = () => {
    const others = names.slice(0, MOST_NAMES + 1).filter((other) => other !== name);
    const listed = others.slice(0, MOST_NAMES).map((other) => `\`${other}\``);
    if (names.length > MOST_NAMES + 1) listed.push("…");
    return { id: "differs-shared", args: { names: listed.join(", ") } };
  };
  return { key, sentence };
}

/**
 * @param {string} text
 * @returns {Sentence}
 */
function plainText(text) {
  return { id: "differs-plain", args: { text } };
}

/**
 * A string by which the elements of two tensors are compared. For a large tensor, whose elements are not
 * recorded, the string contains the summary of its storage.
 * @param {Geometry | null} geometry
 * @param {Contents | null} contents
 */
function valuesKey(geometry, contents) {
  if (geometry === null || contents === null) return "";
  if (contents.kind !== "cells" || contents.dtype !== geometry.dtype) return JSON.stringify(contents);
  return JSON.stringify(covered(geometry).map((place) => contents.values[place]));
}

/**
 * The sentence for a tensor's value: the elements of a small tensor, or the shape and mean of a large
 * tensor.
 * @param {Geometry | null} geometry
 * @param {Contents | null} contents
 * @returns {Sentence}
 */
function valueSentence(geometry, contents) {
  if (geometry === null || contents === null || !hasShape(geometry)) return plainText("?");
  const shape = shapeOf(geometry);
  const one = single(geometry, contents);
  const places = contents.kind === "cells" ? covered(geometry) : [];
  const isWhole =
    contents.kind === "cells" && places.length === contents.values.length && geometry.shape.length > 0;
  const text = contents.kind === "cells" && isWhole ? nested(contents, geometry.shape, 24) : (one ?? shape);
  if (text !== shape || contents.kind === "unknown") return plainText(text);
  const mean =
    contents.kind === "summary" ? contents.mean : meanOf(places.map((place) => contents.values[place]));
  return mean === null
    ? plainText(shape)
    : { id: "differs-large", args: { shape, value: element(mean, "float32") } };
}

/**
 * @param {unknown[]} values
 * @returns {number | null} null if not all are finite numbers
 */
function meanOf(values) {
  const sum = values.reduce(
    (/** @type {number} */ all, value) => all + (typeof value === "number" ? value : NaN),
    0,
  );
  return values.length === 0 || !Number.isFinite(sum) ? null : sum / values.length;
}
