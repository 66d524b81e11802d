/**
 * Owns the names of tensors: the paths that reach a tensor at a tick, `x · f` for a variable of the function
 * `f`, and `w.grad` for the gradient of `w`. `app/trace/naming.py` chooses the same names for findings.
 */

import { grouped } from "../grouped.js";
import { at } from "../facts.js";
import { perTrace, perTraceInSlices } from "../per-run.js";

/** @import {Name} from "../trace.d.ts" */
/** @import {Index, Label, State} from "../types.d.ts" */

/** The maximum number of names kept for one tensor, and of consecutive `.grad`. */
const MOST = { labels: 500, grads: 8 };
/** The number of names after which a sliced task yields. */
const PAUSE = 1000;
/**
 * Matches a path through an optimizer, which refers to tensors of other owners. `LBFGS` also refers to such
 * tensors in `_params`.
 */
const SLOT = /\.(param_groups|_params)\[/;
/** Matches a path through an attribute. A dot within a dict key does not count. */
const ATTRIBUTE = /^[^[]*\.|\]\./;

/**
 * The names of a tensor at a tick, plainest first. The gradient of `w` is named `w.grad`.
 * @param {Index} index
 * @param {number} tick
 * @param {number} tensor
 * @param {readonly number[]} [asked] tensors that are already being named, because `a.grad` may be `a`
 *   itself
 * @returns {Label[]}
 */
export function labelsAt(index, tick, tensor, asked = []) {
  /** @type {Label[]} */
  const labels = [];
  for (const name of plainestOf(index)(tensor)) {
    if (labels.length === MOST.labels) break;
    if (at(name.tensor, tick) === tensor && !isOver(index, name.frame, tick))
      labels.push({ key: `n${name.id}`, text: textOf(index, name), frame: name.frame, is_grad: false });
  }
  if (asked.length === MOST.grads) return labels;
  for (const owner of index.lookups.owners_of()(tensor)) {
    if (
      at(owner.grad, tick) !== tensor ||
      (owner.died !== undefined && owner.died <= tick) ||
      asked.includes(owner.id)
    )
      continue;
    const first = labelsAt(index, tick, owner.id, [...asked, tensor])[0];
    if (first !== undefined)
      labels.push({ key: `g${owner.id}`, text: gradName(first.text), frame: first.frame, is_grad: true });
  }
  return labels;
}

/**
 * Whether a call has ended. The variables of a call exist until its last statement has run.
 * @param {Index} index
 * @param {number} frame
 * @param {number} tick
 */
export function isOver(index, frame, tick) {
  return frame !== 0 && (index.frames[frame]?.ended ?? Infinity) < tick;
}

/**
 * A name as shown. A variable of a function is shown with the function.
 * @param {Index} index
 * @param {Pick<Name, "path" | "frame">} name
 */
export function textOf(index, { path, frame }) {
  return frame === 0 ? path : `${path} · ${functionsOf(index)[frame] ?? "?"}`;
}

/**
 * The name of the gradient of a named tensor: `w.grad`, `w.grad · f`.
 * @param {string} text
 */
export function gradName(text) {
  return writtenAs((path) => `${path}.grad`, text);
}

/**
 * An expression about a named tensor, with its path without the function: `x.data_ptr()`, `id(x) · f`.
 * @param {(path: string) => string} expression
 * @param {string} text
 */
export function writtenAs(expression, text) {
  const parting = text.indexOf(" · ");
  return parting < 0 ? expression(text) : `${expression(text.slice(0, parting))}${text.slice(parting)}`;
}

/**
 * For each frame, its function in the form that names show. The second of several simultaneous calls is `f
 * (2)`.
 */
const functionsOf = perTrace((/** @type {Index} */ { frames }) => {
  /** @type {Map<string, {most: number, free: number[]}>} */
  const given = new Map();
  /** @type {number[]} */
  const numbers = [];
  const shown = frames.map(({ function: name }) => name.replace(/^.*<locals>\./s, ""));
  const over = frames
    .filter(({ ended }) => ended !== undefined)
    .sort((a, b) => (a.ended ?? 0) - (b.ended ?? 0) || a.id - b.id);
  let place = 0;
  for (const { id, began } of frames) {
    for (
      let ended = over[place];
      ended !== undefined && (ended.ended ?? 0) <= began && ended.id < id;
      ended = over[place]
    ) {
      given.get(shown[ended.id] ?? "")?.free.push(numbers[ended.id] ?? 1);
      place += 1;
    }
    const text = shown[id] ?? "";
    const numbering = given.get(text) ?? { most: 0, free: [] };
    given.set(text, numbering);
    if (numbering.free.length === 0) {
      numbering.most += 1;
      numbering.free.push(numbering.most);
    }
    numbers.push(numbering.free.pop() ?? 1);
  }
  return shown.map((text, id) => (numbers[id] === 1 ? text : `${text} (${numbers[id]})`));
});

/** The depth of each frame's call; 0 for the frame of the module. */
const depthsOf = perTrace((/** @type {Index} */ { frames }) => {
  /** @type {number[]} */
  const depths = [];
  for (const { id, parent } of frames) depths.push(id === 0 ? 0 : (depths[parent ?? 0] ?? 0) + 1);
  return depths;
});

/**
 * Whether a path goes through an optimizer.
 * @param {string} path
 */
export function isOfOptimizer(path) {
  return SLOT.test(path);
}

/**
 * For each name: whether its path goes through an optimizer, whether it goes through an attribute, and the
 * number of its parts.
 */
const pathForms = perTraceInSlices(function* (/** @type {Index} */ { names }) {
  const made = [];
  for (const { id, path } of names) {
    if (id % PAUSE === 0) yield;
    made.push({
      isSlot: isOfOptimizer(path),
      isAttribute: ATTRIBUTE.test(path),
      steps: path.split(/[.[]/).length,
    });
  }
  return made;
});

/**
 * The criteria for choosing among the names of a tensor. In order of priority, a name is preferred if it is
 * not in an optimizer, is the module path of a Parameter or buffer, is in the outermost call, or has the
 * shortest path. For tied weights at the same depth, the first registered name is chosen, as in torch.
 * @param {Index} index
 * @param {number} tensor
 * @param {Name} name
 * @returns {{kind: number[], depth: number, length: number[]}}
 */
function plainness(index, tensor, { id, path, frame }) {
  const isOfModule = isRegistered(index, tensor);
  const { isSlot = false, isAttribute = false, steps = 0 } = pathForms.of(index)[id] ?? {};
  return {
    kind: [Number(isSlot), Number(isOfModule && !isAttribute)],
    depth: depthsOf(index)[frame] ?? 0,
    length: [steps, isOfModule ? 0 : path.length, id],
  };
}

/**
 * @param {Index} index
 * @param {number} tensor
 */
export function isParameter({ tensors }, tensor) {
  return tensors[tensor]?.type.endsWith("Parameter") ?? false;
}

/**
 * Whether a module ever had a tensor as a buffer.
 * @param {Index} index
 * @param {number} tensor
 */
export function isBuffer(index, tensor) {
  return buffersOf(index).has(tensor);
}

const buffersOf = perTrace((/** @type {Index} */ { names }) => {
  /** @type {Set<number | null | undefined>} */
  const found = new Set();
  for (const { is_buffer: facts, tensor = [] } of names) {
    for (const [tick, isOne] of facts ?? []) if (isOne) found.add(at(tensor, tick));
    for (const [tick, id] of facts === undefined ? [] : tensor) if (at(facts, tick)) found.add(id);
  }
  return found;
});

/**
 * @param {Index} index
 * @param {number} tensor
 */
function isRegistered(index, tensor) {
  return isParameter(index, tensor) || isBuffer(index, tensor);
}

/**
 * @param {number[]} one
 * @param {number[]} other
 */
function compared(one, other) {
  const place = one.findIndex((part, at) => part !== other[at]);
  return place < 0 ? 0 : (one[place] ?? 0) - (other[place] ?? 0);
}

/** The names that ever lead to each tensor, plainest first. */
const plainestOf = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, readonly Name[]>} */
  const sorted = new Map();
  return (/** @type {number} */ tensor) => {
    let names = sorted.get(tensor);
    if (names === undefined) {
      names = index.lookups.names_of()(tensor);
      if (names.length > 1) names = inOrder(index, tensor, names);
      sorted.set(tensor, names);
    }
    return names;
  };
});

/**
 * @param {Index} index
 * @param {number} tensor
 * @param {readonly Name[]} names
 */
function inOrder(index, tensor, names) {
  const keyed = names.map((name) => {
    const { kind, depth, length } = plainness(index, tensor, name);
    return { name, key: [...kind, depth, ...length] };
  });
  return keyed.sort((a, b) => compared(a.key, b.key)).map(({ name }) => name);
}

/**
 * The name of a tensor independent of a stop: the module path of a Parameter or buffer, else its first name,
 * including `.grad`; undefined if it never has a name.
 * @param {Index} index
 * @param {number | null} tensor
 */
export function everName(index, tensor) {
  return tensor === null ? undefined : chosenNames.of(index).get(tensor);
}

/**
 * The name of a tensor independent of a stop, or `T` and the id of a tensor that never has a name.
 * @param {Index} index
 * @param {number} tensor
 */
export function nameOrId(index, tensor) {
  return everName(index, tensor) ?? `T${tensor}`;
}

/**
 * Prepares the names of all tensors, in slices.
 * @param {Index} index
 * @returns {Generator<void, void>}
 */
export function* preparingNames(index) {
  yield* pathForms.making(index);
  yield* chosenNames.making(index);
}

/** The name of each tensor that ever has a name. */
const chosenNames = perTraceInSlices(function* (/** @type {Index} */ index) {
  /** @type {Map<number, {name: Name, key: number[]}>} */
  const plainest = new Map();
  for (const name of index.names) {
    if (name.id % PAUSE === 0) yield;
    const isPath = pathForms.of(index)[name.id]?.isAttribute ?? false;
    for (const [tick, tensor] of name.tensor ?? []) {
      if (tensor === null) continue;
      const { kind, depth, length } = plainness(index, tensor, name);
      const isLeft = isRegistered(index, tensor) && name.tensor?.at(-1)?.[1] !== tensor;
      const key = [...kind, isPath ? depth : 0, Number(isLeft), tick, ...length];
      const old = plainest.get(tensor);
      if (old === undefined || compared(key, old.key) < 0) plainest.set(tensor, { name, key });
    }
  }
  /** @type {Map<number, string>} */
  const texts = new Map();
  for (const [tensor, { name }] of plainest) {
    if (texts.size % PAUSE === 0) yield;
    texts.set(tensor, textOf(index, name));
  }
  for (const tensor of index.tensors) {
    if (tensor.id % PAUSE === 0) yield;
    const name = texts.get(tensor.id);
    for (const [, grad] of tensor.grad ?? []) {
      if (grad !== null && name !== undefined && !texts.has(grad)) texts.set(grad, gradName(name));
    }
  }
  return texts;
});

/**
 * The name of `everName`, numbered if several tensors have the same name: `h (2)` is the second tensor.
 * @param {Index} index
 * @param {number | null} tensor
 */
export function numberedName(index, tensor) {
  return tensor === null ? undefined : (numberedNames(index).get(tensor) ?? everName(index, tensor));
}

/** The numbered names of tensors that share a name. */
const numberedNames = perTrace((/** @type {Index} */ index) => {
  const sharers = grouped(chosenNames.of(index), ([, text]) => text);
  /** @type {Map<number, string>} */
  const numbered = new Map();
  for (const [text, tensors] of sharers)
    if (tensors.length > 1)
      for (const [place, [tensor]] of tensors.entries())
        numbered.set(
          tensor,
          writtenAs((path) => `${path} (${place + 1})`, text),
        );
  return numbered;
});

/**
 * The name of a tensor at a stop, or else its name independent of a stop.
 * @param {Index} index
 * @param {State} state
 * @param {number | null} tensor
 */
export function nameIn(index, state, tensor) {
  if (tensor === null) return undefined;
  return state.tensors.get(tensor)?.labels[0]?.text ?? numberedName(index, tensor);
}
