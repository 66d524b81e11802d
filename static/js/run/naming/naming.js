/**
 * Owns the names of tensors: the Python paths to a tensor at a tick, such as `model.fc.weight`. `x · f` is
 * the variable `x` of the function `f`, and `w.grad` is the gradient of `w`. `app/trace/naming.py` chooses
 * the same names for findings.
 */

import { grouped } from "../grouped.js";
import { at } from "../facts.js";
import { perTrace, perTraceInSlices } from "../per-run.js";

/** @import {Name} from "../trace.d.ts" */
/** @import {Index, Label, State} from "../types.d.ts" */

/** The maximum number of names of one tensor, and of `.grad` suffixes in one name. */
const MOST = { labels: 500, grads: 8 };
/** Work in slices may be interrupted after this number of names. */
const PAUSE = 1000;
/**
 * Matches a path to a parameter through an optimizer: `opt.param_groups[0]['params'][0]`, or
 * `opt._params[0]` of `LBFGS`.
 */
const SLOT = /\.(param_groups|_params)\[/;
/** Matches a path with an attribute, such as `model.fc`, but not a dot within a dict key. */
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
 * Whether a call has ended. The variables of a call exist until the call's last statement has run.
 * @param {Index} index
 * @param {number} frame
 * @param {number} tick
 */
export function isOver(index, frame, tick) {
  return frame !== 0 && (index.frames[frame]?.ended ?? Infinity) < tick;
}

/**
 * The text of a name: its path, and for a variable of a function also the function.
 * @param {Index} index
 * @param {Pick<Name, "path" | "frame">} name
 */
export function textOf(index, { path, frame }) {
  return frame === 0 ? path : `${path} · ${functionsOf(index)[frame] ?? "?"}`;
}

/**
 * The name of a tensor's gradient, given the name of the tensor: `w · f` gives `w.grad · f`.
 * @param {string} text
 */
export function gradName(text) {
  return writtenAs((path) => `${path}.grad`, text);
}

/**
 * Applies an expression to the path in a name and keeps the function after it: `x · f` becomes `id(x) · f`.
 * @param {(path: string) => string} expression
 * @param {string} text
 */
export function writtenAs(expression, text) {
  const parting = text.indexOf(" · ");
  return parting < 0 ? expression(text) : `${expression(text.slice(0, parting))}${text.slice(parting)}`;
}

/**
 * For each frame, the text of its function in names. If two calls of `f` are active at once, the second one
 * is `f (2)`.
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

/** The depth of each frame in the call stack; 0 for the frame of the module. */
const depthsOf = perTrace((/** @type {Index} */ { frames }) => {
  /** @type {number[]} */
  const depths = [];
  for (const { id, parent } of frames) depths.push(id === 0 ? 0 : (depths[parent ?? 0] ?? 0) + 1);
  return depths;
});

/**
 * Whether a path leads to a tensor through an optimizer, as `opt.param_groups[0]['params'][0]` does.
 * @param {string} path
 */
export function isOfOptimizer(path) {
  return SLOT.test(path);
}

/**
 * For each name: whether its path goes through an optimizer, whether it contains an attribute, and how many
 * parts it has.
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
 * Sort keys that order the names of a tensor, plainest first. Paths through an optimizer come last. A
 * Parameter or buffer is named by its path in a module. Names in outer calls come before those in inner
 * calls, and short paths before long ones. Tied weights at the same depth get the name that was registered
 * first, as in torch.
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
 * Whether a tensor is a buffer of a module at any time in the run.
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

/** Returns a function that gives the names of a tensor at any time in the run, plainest first. */
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
 * The name of a tensor for the whole run: the path of a Parameter or buffer in its module, else the tensor's
 * first name, which may end with `.grad`; undefined if the tensor never has a name.
 * @param {Index} index
 * @param {number | null} tensor
 */
export function everName(index, tensor) {
  return tensor === null ? undefined : chosenNames.of(index).get(tensor);
}

/**
 * The name of a tensor for the whole run (`everName`). A tensor that never has a name is called `T` and its
 * id, such as `T7`.
 * @param {Index} index
 * @param {number} tensor
 */
export function nameOrId(index, tensor) {
  return everName(index, tensor) ?? `T${tensor}`;
}

/**
 * Computes the names of all tensors in slices and caches them.
 * @param {Index} index
 * @returns {Generator<void, void>}
 */
export function* preparingNames(index) {
  yield* pathForms.making(index);
  yield* chosenNames.making(index);
}

/** The name for the whole run of each tensor that ever has one. */
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
 * The name of a tensor for the whole run, with a number if several tensors share it: `h (2)` is the second
 * tensor named `h`.
 * @param {Index} index
 * @param {number | null} tensor
 */
export function numberedName(index, tensor) {
  return tensor === null ? undefined : (numberedNames(index).get(tensor) ?? everName(index, tensor));
}

/** The names with numbers, for tensors that share their name for the whole run. */
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
 * The name of a tensor at a stop. A tensor without a name at the stop is called by its name for the whole
 * run.
 * @param {Index} index
 * @param {State} state
 * @param {number | null} tensor
 */
export function nameIn(index, state, tensor) {
  if (tensor === null) return undefined;
  return state.tensors.get(tensor)?.labels[0]?.text ?? numberedName(index, tensor);
}
