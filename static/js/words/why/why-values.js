/**
 * Owns where the value of a tensor comes from: what made it, what wrote into it since, and from which values.
 * Pure.
 */

import { at, stopAtTick } from "../../run/facts.js";
import { literal } from "../../run/legible.js";
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
/** @import {Link, Why} from "./why.js" */

/** The most links of a chain, operands without a formula, and characters of a value. */
export const MOST = { links: 12, operands: 4, characters: 64 };

/**
 * Where a tensor comes from: what made it, what wrote into it since, and from which values.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 * @returns {Why}
 */
export function whyValue(index, tick, id) {
  const name = nameOrId(index, id);
  /** @type {Link[]} */
  const links = [];
  const seen = new Set();
  /** @type {number | undefined} */
  let next = id;
  while (next !== undefined && !seen.has(next) && links.length < MOST.links) {
    seen.add(next);
    links.push(...writtenSince(index, next, tick), madeBy(index, next));
    const inputs = inputsOf(index, next);
    if (inputs.length > 0) links.push(fromInputs(index, inputs));
    const isBad = isBadAt(index, next, index.tensors[next]?.born ?? tick);
    next = isBad
      ? inputs.find((input) => isBadAt(index, input, index.tensors[next ?? -1]?.born ?? tick))
      : undefined;
  }
  return { title: { id: "why-value", args: { name, value: textOf(index, tick, id) } }, links };
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
 * The last write into a tensor's storage by a later statement than the one that made it.
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 * @returns {Link[]}
 */
function writtenSince(index, id, tick) {
  const tensor = index.tensors[id];
  const storage = at(tensor?.geometry, tick)?.storage ?? null;
  const since = index.stops[stopAtTick(index, tensor?.born ?? 0)]?.tick ?? 0;
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
 * @returns {Link}
 */
function fromInputs(index, inputs) {
  const shown = inputs.slice(0, 3).map((id) => {
    const name = everName(index, id);
    const value = textOf(index, index.tensors[id]?.born ?? 0, id);
    return { id: "phrase-code", args: { text: name === undefined ? value : `${name} = ${value}` } };
  });
  return {
    sentence: { id: "why-inputs", args: { names: shown } },
    stop: null,
    thing: { tensor: String(inputs[0]) },
  };
}

/**
 * The tensors that autograd recorded as inputs of what made a tensor.
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
 * The value of a tensor as it stands in a sentence.
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
 * What a tensor of this geometry held at a tick: its elements, or of many the shape and how large they are.
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
 * Elements; of many the shape, and the largest absolute value if that is known.
 * @param {Contents} contents
 * @param {number[]} shape
 */
export function written(contents, shape) {
  const text = nested(contents, shape, MOST.characters);
  const size = sizeIn(contents);
  return isValue(text) || size === null ? text : `${text}, max |x| = ${size}`;
}

/**
 * A gradient within a sentence, in the same way.
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
 * The largest absolute value, as it is printed; null: it is not known, or says nothing.
 * @param {Contents} contents
 */
function sizeIn(contents) {
  const size = contents.kind !== "unknown" && isFloating(contents.dtype) ? largestOf(contents) : -1;
  return size < 0 ? null : printedSize(size);
}

/**
 * Whether a tensor reads every element of its storage, each once.
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
