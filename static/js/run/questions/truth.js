/** Owns the legal and the right answers to a question, which are looked up in the recorded run. Pure. */

import { NONE } from "./answers.js";
import { at } from "../facts.js";
import { lineOfStep } from "../step-tree.js";
import {
  changedCells,
  countersAt,
  firstStale,
  isThere,
  realCells,
  runsBetween,
  spoiltBy,
  versionOf,
} from "./truth-lookups.js";

/** @import {Value} from "../trace.d.ts" */
/** @import {Index} from "../types.d.ts" */
/** @import {Answer, Legal, Question} from "./asked.d.ts" */

/** @typedef {{legal: Legal, right: Answer[]} | null} Truth null: it does not follow from the trace */

/** @type {Record<Question["kind"], (index: Index, question: Question) => Truth>} */
const TRUTHS = {
  node,
  sends,
  grad,
  counter,
  cell,
  value,
  version,
  grad_fn,
  culprit,
  stale_by,
  raises,
  raising_line,
};

/**
 * @param {Index} index
 * @param {Question} question
 * @returns {Truth}
 */
export function truthOf(index, question) {
  return TRUTHS[question.kind](index, question);
}

/** @type {typeof truthOf} */
function node(index, { after, until }) {
  const nodes = index.nodes.filter(({ born, freed }) => isThere(born, freed, after)).map(({ id }) => id);
  const first = runsBetween(index, after, until)[0];
  if (first === undefined || !nodes.includes(first.node)) return null;
  return { legal: { form: "node", nodes }, right: [{ kind: "node", node: first.node }] };
}

/** @type {typeof truthOf} */
function sends(index, question) {
  for (const { node, edge, tick, value } of index.gradients) {
    if (node !== question.node || edge !== question.edge || tick <= question.after || tick > question.until)
      continue;
    if (value.kind === "cells" && value.values.length > 0)
      return ofNumber(value.values[0], value.dtype, { has_none: true });
  }
  return null;
}

/** @type {typeof truthOf} */
function grad(index, { tensor = -1, until }) {
  const dtype = at(index.tensors[tensor]?.geometry, until)?.dtype;
  if (dtype === undefined) return null;
  const id = at(index.tensors[tensor]?.grad, until) ?? null;
  if (id === null)
    return dtype.includes("complex")
      ? null
      : { legal: { form: "number", dtype, has_none: true }, right: [NONE] };
  const geometry = at(index.tensors[id]?.geometry, until);
  if (geometry === undefined || geometry.storage === null || geometry.stride === null) return null;
  const cells = realCells(index, geometry.storage, until);
  const isSeen = cells?.dtype === geometry.dtype && !geometry.is_neg && !geometry.is_conj;
  if (cells === null || !isSeen || geometry.storage_offset === null || geometry.shape.includes(0))
    return null;
  return ofNumber(cells.values[geometry.storage_offset], cells.dtype, { has_none: true });
}

/** @type {typeof truthOf} */
function grad_fn(index, { tensor = -1, until }) {
  const found = at(index.tensors[tensor]?.grad_fn, until);
  if (found?.kind === "unknown") return null;
  const name = found === undefined || found === null ? undefined : index.nodes[found.node]?.name;
  return {
    legal: { form: "name", has_none: true },
    right: [name === undefined ? NONE : { kind: "name", name }],
  };
}

/** @type {typeof truthOf} */
function culprit(index, { saved = -1, until }) {
  const write = spoiltBy(index.saved_tensors[saved], until);
  const line = write === null ? 0 : lineOfStep(index.steps, index.writes[write]?.step);
  return line === 0 ? null : { legal: ofLines(index), right: [{ kind: "line", line }] };
}

/**
 * Whether a saved tensor became stale between the ticks of the question.
 * @type {typeof truthOf}
 */
function stale_by(index, { saved = -1, after, until }) {
  const first = firstStale(index, saved);
  if (first === null) return null;
  const whether = after < first.tick && first.tick <= until;
  return { legal: { form: "whether" }, right: [{ kind: "whether", whether }] };
}

/** @type {typeof truthOf} */
function value(index, { storage = -1, cell = -1, until }) {
  const cells = realCells(index, storage, until);
  return cells === null ? null : ofNumber(cells.values[cell], cells.dtype);
}

/** @type {typeof truthOf} */
function cell(index, { after, until }) {
  const changed = changedCells(index, after, until);
  if (changed === null) return null;
  /** @type {[number, number][]} */
  const cells = index.storages
    .filter(({ born, freed }) => isThere(born, freed, after))
    .flatMap(({ id }) => {
      const count = realCells(index, id, after)?.values.length;
      return count === undefined ? [] : [/** @type {[number, number]} */ ([id, count])];
    });
  /** @type {Answer[]} */
  const right = [...changed].flatMap(([storage, places]) =>
    places.map((place) => ({ kind: /** @type {const} */ ("cell"), storage, cell: place })),
  );
  return { legal: { form: "cell", has_none: true, cells }, right: right.length > 0 ? right : [NONE] };
}

/** @type {typeof truthOf} */
function counter(index, { after, until }) {
  const counters = countersAt(index, after);
  /** @type {Answer[]} */
  const right = [];
  for (const id of counters) {
    const [before, now] = [versionOf(index, id, after), versionOf(index, id, until)];
    if (before === null || now === null) return null;
    if (now > before) right.push({ kind: "counter", counter: id });
  }
  return { legal: { form: "counter", has_none: true, counters }, right: right.length > 0 ? right : [NONE] };
}

/** @type {typeof truthOf} */
function version(index, question) {
  const found = versionOf(index, question.counter ?? -1, question.until);
  return found === null ? null : { legal: { form: "version" }, right: [{ kind: "version", version: found }] };
}

/** @type {typeof truthOf} */
function raises(index, { after, until }) {
  const whether = index.steps.some(
    ({ kind, began }) => kind === "exception" && after < began && began <= until,
  );
  return { legal: { form: "whether" }, right: [{ kind: "whether", whether }] };
}

/** @type {typeof truthOf} */
function raising_line(index) {
  const { ended } = index;
  if (ended.kind !== "raised") return { legal: ofLines(index), right: [NONE] };
  return ended.line === null ? null : { legal: ofLines(index), right: [{ kind: "line", line: ended.line }] };
}

/**
 * @param {Index} index
 * @returns {Legal}
 */
function ofLines({ source }) {
  return { form: "line", has_none: true, lines: source.split("\n").length };
}

/**
 * @param {Value | undefined} number
 * @param {string} dtype
 * @param {{has_none?: true}} [none]
 * @returns {Truth}
 */
function ofNumber(number, dtype, none = {}) {
  if (number === undefined || Array.isArray(number)) return null;
  return { legal: { form: "number", dtype, ...none }, right: [{ kind: "number", number }] };
}
