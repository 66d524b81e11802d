/**
 * Checks the proofs of a lesson against a trace. A proof is a line, an expression and the value that Python
 * prints for it. Finds the step that shows a proof and the tensors in its expression, and decides whether
 * the run confirms its value. Pure.
 */

import { placesIn } from "../../run/values/shown.js";
import { at } from "../../run/facts.js";
import { cellsRead, itemsize, tuple } from "../../run/values/format.js";
import { stateAt } from "../../run/state-at.js";

/** @import {Check, Proof} from "../../io/boot.js" */
/** @import {Geometry} from "../../run/trace.d.ts" */
/** @import {Index, State} from "../../run/types.d.ts" */

const PATH = "[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*|\\[(?:\\d+|'\\w+')\\])*";
const SAME_ADDRESS = new RegExp(`^(${PATH})\\.data_ptr\\(\\) == (${PATH})\\.data_ptr\\(\\)$`);
const SAME = new RegExp(`^(${PATH}) is (not )?(?!None$)(${PATH})$`);
const CLASS = new RegExp(`^type\\((${PATH})\\)\\.__name__$`);
const TENSOR =
  /^(?:Parameter containing:\s*)?tensor\(([\s\S]*?)(?:, requires_grad=True|, grad_fn=<\w+>|, dtype=torch\.\w+)*\)$/;
const LIST = /^(\[.*\])$/;
const NUMBER = /^([^[\]]+)$/;
/** The number of elements above which torch abbreviates a printed tensor. */
const MOST_CELLS = 1000;

/**
 * The stop of the last execution of a proof's line, or the last stop of the run if the line never ran.
 * @param {Index} index
 * @param {Proof} proof
 */
export function stopOfProof(index, { line }) {
  const k = index.stops.findLastIndex((stop) => stop.line <= line && line <= stop.end_line);
  return k < 0 ? index.stops.length - 1 : k;
}

/**
 * Whether the state at the end of a trace confirms all values of a proof. A value that is missing in the
 * trace is not confirmed.
 * @param {Index} index
 * @param {Check} proof
 */
export function isConfirmed(index, { expression, value }) {
  if (index.stops.length === 0) return false;
  const state = stateAt(index, index.stops.length - 1);
  const named = tensorsByName(index, state);
  const parts = piecesOf(expression);
  const answers = parts.length === 1 ? [value] : piecesOf(value.slice(1, -1));
  return (
    parts.length > 0 &&
    parts.length === answers.length &&
    parts.every((part, place) => agrees(index, state, named, part, answers[place] ?? ""))
  );
}

/**
 * The id of the first tensor that an expression names, in the state at a stop; undefined: it names none.
 * @param {Index} index
 * @param {number} k
 * @param {string} expression
 * @returns {number | undefined}
 */
export function tensorOfProof(index, k, expression) {
  const named = tensorsByName(index, stateAt(index, k));
  for (const [path] of expression.matchAll(new RegExp(PATH, "g"))) {
    for (const name of prefixesOf(path)) if (named.has(name)) return named.get(name);
  }
  return undefined;
}

/** @typedef {Map<string, number>} NamedTensors tensors by all their names */

/**
 * @param {Index} index
 * @param {State} state
 * @returns {NamedTensors}
 */
function tensorsByName(index, state) {
  /** @type {NamedTensors} */
  const named = new Map();
  for (const { id } of index.tensors) {
    for (const { text } of state.tensors.get(id)?.labels ?? []) if (!named.has(text)) named.set(text, id);
  }
  return named;
}

/**
 * A path in the code and all its prefixes, the longest first: `a.b[0]`, `a.b`, `a`.
 * @param {string} path
 */
function prefixesOf(path) {
  const ends = [...path.matchAll(/\.|\[/g)].map((found) => found.index).reverse();
  return [path, ...ends.map((end) => path.slice(0, end))];
}

/**
 * Splits the text of a tuple at its commas, except those inside brackets.
 * @param {string} text
 */
export function piecesOf(text) {
  const pieces = [""];
  let depth = 0;
  for (const letter of text) {
    if ("([{".includes(letter)) depth += 1;
    if (")]}".includes(letter)) depth -= 1;
    if (letter === "," && depth === 0) pieces.push("");
    else pieces[pieces.length - 1] += letter;
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {NamedTensors} named
 * @param {string} expression
 * @param {string} value
 */
function agrees(index, state, named, expression, value) {
  const address = SAME_ADDRESS.exec(expression);
  if (address !== null)
    return (
      written(haveSameAddress(state, named.get(address[1] ?? ""), named.get(address[2] ?? ""))) === value
    );
  const same = SAME.exec(expression);
  if (same !== null) {
    const [one, other] = [named.get(same[1] ?? ""), named.get(same[3] ?? "")];
    return (
      one !== undefined &&
      other !== undefined &&
      written((one === other) === (same[2] === undefined)) === value
    );
  }
  const asked = CLASS.exec(expression)?.[1];
  if (asked !== undefined)
    return named.has(asked) && `'${index.tensors[named.get(asked) ?? -1]?.type}'` === value;
  if (isHeld(index, state, expression, value)) return true;
  const name = prefixesOf(expression.replace(/\(.*$/, "")).find((prefix) => named.has(prefix));
  const rest = name === undefined ? "" : expression.slice(name.length);
  const tensor = named.get(name ?? "");
  return tensor !== undefined && answers(index, state, tensor, rest, value);
}

/**
 * Whether a global variable of the snippet that is not a tensor has the given value.
 * @param {Index} index
 * @param {State} state
 * @param {string} name
 * @param {string} value
 */
function isHeld(index, { tick }, name, value) {
  const variable = index.lookups
    .variables_of()(0)
    .find((variable) => variable.name === name);
  const held = at(variable?.value, tick) ?? null;
  return (
    held !== null && (held.kind ?? "value") === "value" && held.length === undefined && held.text === value
  );
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @param {string} rest the part of the expression after the tensor's name
 * @param {string} value
 */
function answers(index, state, id, rest, value) {
  const [facts, tensor] = [index.tensors[id], state.tensors.get(id)];
  if (facts === undefined || tensor === undefined) return false;
  const { geometry } = tensor;
  const grad_fn = at(facts.grad_fn, state.tick);
  switch (rest) {
    case "":
      return isPrinted(state, geometry, value, TENSOR);
    case ".tolist()":
      return isPrinted(state, geometry, value, LIST);
    case ".item()":
      return (
        geometry !== null &&
        cellsOf(state, geometry)?.length === 1 &&
        isPrinted(state, geometry, value, NUMBER)
      );
    case ".grad":
      return value === "None" && at(facts.grad, state.tick) === null;
    case "._version":
      return tensor.version !== null && tensor.version !== undefined && String(tensor.version) === value;
    case ".is_leaf":
      return written(at(facts.is_leaf, state.tick)) === value;
    case ".requires_grad":
      return written(at(facts.requires_grad, state.tick)) === value;
    case ".grad_fn":
      return value === "None" && grad_fn === null;
    case ".grad_fn.name()":
      return grad_fn?.kind === "grad_fn" && `'${index.nodes[grad_fn.node]?.name}'` === value;
    case ".grad_fn is None":
      return grad_fn !== undefined && grad_fn?.kind !== "unknown" && written(grad_fn === null) === value;
    case ".is_inference()":
      return written(at(facts.version_counter, state.tick) === null) === value;
    case ".numel()":
      return geometry !== null && geometry.layout === "strided" && String(countOf(geometry)) === value;
    case ".untyped_storage().nbytes()":
      return String(state.storages.get(geometry?.storage ?? -1)?.nbytes) === value;
    case ".dtype":
      return geometry !== null && `torch.${geometry.dtype}` === value;
    case ".shape":
      return (
        geometry !== null &&
        geometry.layout === "strided" &&
        `torch.Size([${geometry.shape.join(", ")}])` === value
      );
    case ".stride()":
      return Array.isArray(geometry?.stride) && tuple(geometry.stride) === value;
    default:
      return false;
  }
}

/**
 * A boolean as Python writes it; "" if it is unknown.
 * @param {unknown} truth
 */
function written(truth) {
  return truth === true ? "True" : truth === false ? "False" : "";
}

/**
 * Whether two tensors begin at the same byte; undefined: unknown.
 * @param {State} state
 * @param {number | undefined} one
 * @param {number | undefined} other
 */
function haveSameAddress(state, one, other) {
  const [left, right] = [one, other].map((id) => state.tensors.get(id ?? -1)?.geometry ?? null);
  if (
    !left ||
    !right ||
    left.storage === null ||
    right.storage === null ||
    left.storage_offset === null ||
    right.storage_offset === null
  )
    return undefined;
  const isUnder = [left.storage, right.storage].some((id) => (state.storages.get(id)?.over ?? null) !== null);
  if (left.storage !== right.storage) return isUnder ? undefined : false;
  return left.storage_offset * itemsize(left.dtype) === right.storage_offset * itemsize(right.dtype);
}

/**
 * Whether the elements of a tensor equal the numbers in a printed tensor, rounded to the printed digits.
 * @param {State} state
 * @param {Geometry | null} geometry
 * @param {string} value
 * @param {RegExp} form
 */
function isPrinted(state, geometry, value, form) {
  const body = form.exec(value)?.[1];
  const cells = geometry === null ? undefined : cellsOf(state, geometry);
  if (body === undefined || cells === undefined || geometry === null) return false;
  const depth = /^\[*/.exec(body)?.[0].length ?? 0;
  const isWhole = /^[\s[\],\w.+-]*$/.test(body) && (form === NUMBER || depth === geometry.shape.length);
  const printed = body.split(/[\s[\],]+/).filter((word) => word !== "");
  return (
    isWhole &&
    printed.length === cells.length &&
    printed.every((word, place) => isWritten(cells[place], word))
  );
}

/**
 * The elements of a tensor in row-major order; undefined: the trace does not contain all of them, or there
 * are too many.
 * @param {State} state
 * @param {Geometry} geometry
 */
function cellsOf(state, geometry) {
  const read = cellsRead(geometry, state.storages.get(geometry.storage ?? -1)?.contents);
  return read && placesIn(geometry, MOST_CELLS)?.map((place) => read.values[place]);
}

/** @param {{shape: number[]}} geometry */
function countOf({ shape }) {
  return shape.reduce((product, size) => product * size, 1);
}

/**
 * @param {unknown} cell
 * @param {string} word
 */
function isWritten(cell, word) {
  if (typeof cell === "boolean") return written(cell) === word;
  // The trace contains nan, inf, and integers too large for JSON as strings.
  if (typeof cell === "string") return cell.toLowerCase() === word.toLowerCase();
  if (typeof cell !== "number" || !/^[-+]?[\d.]+(e[-+]?\d+)?$/.test(word)) return false;
  const [digits = "", exponent = "0"] = word.split("e");
  const decimals = digits.includes(".") ? digits.length - digits.indexOf(".") - 1 : 0;
  const unit = 10 ** (Number(exponent) - decimals);
  const isExact = Number.isInteger(cell) && !digits.includes(".");
  return isExact
    ? cell === Number(word)
    : Math.abs(cell - Number(word)) <= 0.5 * unit + Math.abs(cell) * 1e-6;
}
