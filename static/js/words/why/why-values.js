/**
 * Owns the part of a "Why?" answer about a tensor that is not a gradient: the operator that made the tensor,
 * the last write into it, and the inputs of the operator. Pure.
 */

import { at, stopAtTick } from "../../run/facts.js";
import { literal } from "../../run/legible.js";
import { once } from "../../run/lookups.js";
import { everName, nameOrId } from "../../run/naming/naming.js";
import { placeOfStep } from "../../run/places.js";
import { isFloating, isValue, nested, tuple } from "../../run/values/format.js";
import { largestOf, printedSize } from "../../run/values/gradient-sizes.js";
import { isNonfinite } from "../../run/values/nonfinite.js";
import { elementsAt } from "../../run/values/recorded.js";
import { sizeOf } from "../../run/values/small-tensor.js";
import { gradient, READ } from "../values.js";

/** @import {Contents, Geometry} from "../../run/trace.d.ts" */
/** @import {Index, Sentence} from "../../run/types.d.ts" */
/** @import {Branch, Branching} from "./parts.js" */
/** @import {Hop, Link, Why} from "./why.js" */

/**
 * The maximum number of operands listed without a formula, and the maximum number of characters of a value.
 */
export const MOST = { operands: 4, characters: 64 };

/**
 * The chain for the value of a tensor: the operator that made it, the last write into it, and the operator's
 * inputs. By default the chain goes on with an input that is not finite.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 * @param {Branching} branches
 * @returns {Why}
 */
export function whyValue(index, tick, id, branches) {
  const title = { id: "why-value", args: { name: nameOrId(index, id), value: textOf(index, tick, id) } };
  /** @type {Hop[]} */
  const hops = [];
  const way = new Set([id]);
  for (const made of way) {
    const born = index.tensors[made]?.born ?? tick;
    const inputs = inputsOf(index, made);
    const bad = isBadAt(index, made, born) ? inputs.findIndex((input) => isBadAt(index, input, born)) : -1;
    const branch = inputs.length === 0 ? null : branches(inputs.length, bad < 0 ? null : bad);
    hops.push(
      once(() => [
        ...writtenSince(index, made, index.stops[stopAtTick(index, born)]?.tick ?? 0, tick),
        madeBy(index, made),
        ...(branch === null ? [] : [fromInputs(index, inputs, branch)]),
      ]),
    );
    const next = inputs[branch?.followed ?? -1];
    if (next !== undefined) way.add(next);
  }
  return { title, hops };
}

/**
 * @param {Index} index
 * @param {number} id
 * @returns {Link}
 */
function madeBy(index, id) {
  const tensor = index.tensors[id];
  const stop = stopAtTick(index, tensor?.born ?? 0);
  const made = index.steps[tensor?.made_by ?? -1];
  const args = {
    name: nameOrId(index, id),
    operator: made?.kind === "operator" ? (made.name ?? "none") : "none",
    line: placeOfStep(index, tensor?.made_by),
    value: textOf(index, index.stops[stop]?.tick ?? 0, id),
  };
  return { sentence: { id: "why-made", args }, stop, thing: { tensor: String(id) } };
}

/**
 * The link about the last write into a tensor's storage between two ticks; empty if there was none.
 * @param {Index} index
 * @param {number} id
 * @param {number} since
 * @param {number} tick
 * @returns {Link[]}
 */
export function writtenSince(index, id, since, tick) {
  const storage = at(index.tensors[id]?.geometry, tick)?.storage ?? null;
  const write = index.lookups
    .writes()
    .within(since, tick)
    .findLast((each) => each.storage === storage && each.changed !== false);
  if (storage === null || write === undefined) return [];
  const stop = stopAtTick(index, write.tick);
  const args = { name: nameOrId(index, id), line: index.stops[stop]?.place ?? 0 };
  return [{ sentence: { id: "why-written", args }, stop, thing: { tensor: String(id) } }];
}

/**
 * @param {Index} index
 * @param {number[]} inputs
 * @param {Branch} branch
 * @returns {Link}
 */
function fromInputs(index, inputs, { followed, choicesTo }) {
  const each = inputs.map((id, place) => {
    const name = everName(index, id);
    const value = textOf(index, index.tensors[id]?.born ?? 0, id);
    return {
      value: name === undefined ? value : `${name} = ${value}`,
      from: null,
      choices: choicesTo(place),
    };
  });
  return {
    sentence: { id: "why-inputs", args: {} },
    parts: { sign: ",", each, followed, total: null },
    stop: null,
    thing: followed === null ? {} : { tensor: String(inputs[followed]) },
  };
}

/**
 * The inputs of the operator that made a tensor, as far as the graph contains them.
 * @param {Index} index
 * @param {number} id
 */
function inputsOf(index, id) {
  const fact = index.tensors[id]?.grad_fn?.[0]?.[1];
  const node = fact?.kind === "grad_fn" ? index.nodes[fact.node] : undefined;
  return (node?.edges ?? []).flatMap((edge) => {
    const from = index.nodes[edge?.node ?? -1];
    const tensor = from?.variable ?? index.lookups.results_of()(from?.id ?? -1)[0]?.id;
    return tensor === undefined ? [] : [tensor];
  });
}

/**
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 */
function isBadAt(index, id, tick) {
  const storage = at(index.tensors[id]?.geometry, tick)?.storage ?? -1;
  return isNonfinite(
    at(index.storages[storage]?.contents, index.stops[stopAtTick(index, tick)]?.tick ?? tick),
  );
}

/**
 * The value of a tensor within a sentence.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 */
export function textOf(index, tick, id) {
  const geometry = at(index.tensors[id]?.geometry, tick);
  if (!geometry) return "?";
  const text = readAt(index, geometry, tick);
  return isValue(text) ? literal(text) : text;
}

/**
 * The contents of a tensor at a tick as text: its elements, or its shape and largest absolute value if there
 * are many elements.
 * @param {Index} index
 * @param {Geometry} geometry
 * @param {number} tick
 */
export function readAt(index, geometry, tick) {
  const elements = elementsAt(index, geometry, tick);
  const contents = at(index.storages[geometry.storage ?? -1]?.contents, tick);
  const isAll =
    contents?.kind === "summary" && contents.dtype === geometry.dtype && isWhole(geometry, contents);
  return written(isAll ? contents : elements, geometry.shape);
}

/**
 * Recorded contents as text: the elements, or the shape and, if known, the largest absolute value if there
 * are many elements.
 * @param {Contents} contents
 * @param {number[]} shape
 */
export function written(contents, shape) {
  const text = nested(contents, shape, MOST.characters);
  const size = sizeIn(contents);
  return isValue(text) || size === null ? text : `${text}, max |x| = ${size}`;
}

/**
 * The phrase for a gradient within a sentence: its elements, or its shape and largest absolute value if
 * there are many elements.
 * @param {Contents} contents
 * @param {number[]} shape
 * @returns {Sentence}
 */
export function gradientIn(contents, shape) {
  const size = sizeIn(contents);
  return size === null || isValue(nested(contents, shape, READ))
    ? gradient(contents, shape)
    : { id: "why-gradient", args: { shape: tuple(shape), size } };
}

/**
 * The largest absolute value of recorded contents as text; null if it is unknown or the dtype is not a
 * floating-point dtype.
 * @param {Contents} contents
 */
function sizeIn(contents) {
  const size = contents.kind !== "unknown" && isFloating(contents.dtype) ? largestOf(contents) : -1;
  return size < 0 ? null : printedSize(size);
}

/**
 * Whether every element of a storage is exactly one element of a tensor.
 * @param {Geometry} geometry
 * @param {{count: number}} contents
 */
function isWhole({ shape, stride }, { count }) {
  let next = 1;
  const axes = shape
    .map((size, axis) => ({ size, step: stride?.[axis] ?? -1 }))
    .filter(({ size }) => size > 1);
  for (const { size, step } of axes.sort((a, b) => a.step - b.step)) {
    if (step !== next) return false;
    next *= size;
  }
  return count === sizeOf(shape);
}
