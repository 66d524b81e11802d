/**
 * Owns the differences of two runs at an aligned step: the tensors that names reach, the recorded Nodes, and
 * what they saved. Pure.
 */

import { at } from "../../run/facts.js";
import { covered, element, hasShape, nested, shapeOf, shortName, single } from "../../run/format.js";
import { everName, gradName, isOver, textOf } from "../../run/naming.js";
import { lineOfStep } from "../../run/step-tree.js";

/** @import {Contents, Geometry, SavedTensor} from "../../run/trace.d.ts" */
/**
 * @import {Difference, Index, Marked, PairedLine,
 *   Sentence, Sides, State, TensorState} from "../../run/types.d.ts"
 */

/** @typedef {{index: Index, state: State | null}} Side `state`: null before its first stop */
/** @typedef {{key: string, sentence: () => Sentence}} Aspect `key`: the value that is compared */
/** @typedef {{key: string, names: string[]}} Sharing `names`: of all that share it, in order */
/**
 * @typedef {{
 *   id: number,
 *   tensor: TensorState,
 *   storage: number | null,
 *   memory: Sharing | null,
 *   counter: Sharing | null,
 * }} NamedTensor what a name reaches, and the names that share its storage or counter
 */
/** @typedef {{list: Difference[], marked: Sides<Marked>}} Differences */
/** @typedef {Sides<Map<number, number>>} PairedNodes the paired Node of each Node that has one */

/** What is compared of a tensor, the most important first. */
const ASPECTS = /** @type {const} */ (["values", "version", "counter", "memory", "shape", "grad_fn", "grad"]);

/** @returns {Marked} */
const noneMarked = () => ({
  tensors: new Set(),
  storages: new Set(),
  saved: new Set(),
  nodes: new Set(),
  holders: new Set(),
});

/** After how many names or Nodes work pauses. */
const PAUSE = 200;

/**
 * The differences of two runs at an aligned step, gradients first, and what to mark on each side; in slices.
 * @param {Sides<Side>} sides
 * @param {PairedNodes} nodes
 * @returns {Generator<void, Differences>}
 */
export function* findingDifferences(sides, nodes) {
  const marked = { left: noneMarked(), right: noneMarked() };
  const { named, names } = yield* namedIn(sides);
  const id = (/** @type {string} */ name) => named.left.get(name)?.id ?? named.right.get(name)?.id ?? 0;
  names.sort((a, b) => id(a) - id(b)); // so the gradient that was computed first comes first
  /** @type {Difference[]} */
  const list = [];
  for (const difference of each(sides, nodes, named, names, marked))
    if (difference === undefined) yield;
    else list.push(difference);
  return { list: list.sort((a, b) => weight(a) - weight(b)), marked };
}

/**
 * Whether there is any difference; stops at the first. In slices.
 * @param {Sides<Side>} sides
 * @param {PairedNodes} nodes
 * @returns {Generator<void, boolean>}
 */
export function* findingAny(sides, nodes) {
  const marked = { left: noneMarked(), right: noneMarked() };
  const { named, names } = yield* namedIn(sides);
  for (const difference of each(sides, nodes, named, names, marked))
    if (difference === undefined) yield;
    else return true;
  return false;
}

/**
 * Each difference, of names first; undefined where work may pause.
 * @param {Sides<Side>} sides
 * @param {PairedNodes} nodes
 * @param {Sides<Map<string, NamedTensor>>} named
 * @param {string[]} names
 * @param {Sides<Marked>} marked
 * @returns {Generator<Difference | undefined, void>}
 */
function* each(sides, nodes, named, names, marked) {
  for (const [at, name] of names.entries()) {
    yield* ofTensor(sides, { left: named.left.get(name), right: named.right.get(name) }, name, marked);
    if (at % PAUSE === 0) yield undefined;
  }
  yield* ofGraph(sides, nodes, marked);
}

/**
 * The named tensors of both sides. A second name for the same tensor on both sides is left out.
 * @param {Sides<Side>} sides
 * @returns {Generator<void, {named: Sides<Map<string, NamedTensor>>, names: string[]}>}
 */
function* namedIn(sides) {
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
 * The rank in the list: gradients first, then stale saved tensors, then values and versions.
 * @param {Difference} difference
 */
function weight({ name, aspect, left, right }) {
  if (aspect === "values") return name.endsWith(".grad") ? 0 : 2;
  if (aspect === "saved")
    return [left.id, right.id].some((id) => id === "differs-saved-silent" || id === "differs-saved-refused")
      ? 1
      : 5;
  return aspect === "version" ? 3 : aspect === "counter" || aspect === "memory" ? 4 : 6;
}

/**
 * The tensor that each name reaches; `w.grad` is the gradient of the tensor of `w`.
 * @param {Side} side
 * @param {Map<string, number>} sharings a number for each list of names, the same on both sides
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
 * @param {Sides<Side>} sides
 * @param {Sides<NamedTensor | undefined>} named
 * @param {string} name
 * @param {Sides<Marked>} marked
 * @returns {Difference[]}
 */
function ofTensor(sides, named, name, marked) {
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
 * Where both sentences are the same, for the values are too large to print, the right one says that it
 * differs.
 * @param {Sentence} left
 * @param {Sentence} right
 * @returns {Sides<Sentence>}
 */
function distinctSentences(left, right) {
  const isSame = JSON.stringify(left) === JSON.stringify(right);
  return isSame ? { left, right: { id: "differs-other", args: {} } } : { left, right };
}

/**
 * @param {Side} side
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

/** The most names that are listed as sharing one thing. */
const MOST_NAMES = 20;

/**
 * @param {Sharing | null} sharing
 * @param {string} name that is one of them
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
 * The elements of a tensor as a key to compare; of a large one, what is known of its whole storage.
 * @param {Geometry | null} geometry
 * @param {Contents | null} contents
 */
function valuesKey(geometry, contents) {
  if (geometry === null || contents === null) return "";
  if (contents.kind !== "cells" || contents.dtype !== geometry.dtype) return JSON.stringify(contents);
  return JSON.stringify(covered(geometry).map((place) => contents.values[place]));
}

/**
 * The values of a small tensor; the shape and mean of a large one.
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

/**
 * Pairs of Nodes: the same name, made by paired lines, in the same order.
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
 * Nodes that exist on one side only, and differences in what paired Nodes saved.
 * @param {Sides<Side>} sides
 * @param {PairedNodes} nodes
 * @param {Sides<Marked>} marked
 * @returns {Generator<Difference | undefined, void>}
 */
function* ofGraph(sides, nodes, marked) {
  // Read from the facts, not from the state: a long run has thousands of Nodes, of which few still exist.
  const isThere = (/** @type {Side} */ { index, state }, /** @type {number | undefined} */ id) => {
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
      if (id % (5 * PAUSE) === 0) yield undefined;
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
 * @param {Sides<Side>} sides
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
 * The look of a saved tensor; a stale one is "refused" if torch's version check notices it, else "silent".
 * @param {Side} side
 * @param {SavedTensor} saved
 */
function savedLook({ state }, saved) {
  const look = state?.saved.get(saved.id);
  if (state === null || look !== "stale") return look;
  return at(saved.outdated, state.tick) === undefined ? "silent" : "refused";
}
