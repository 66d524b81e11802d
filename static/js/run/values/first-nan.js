/**
 * Owns which operator of the forward computed the first NaN of a run. No operator is named if the program
 * removes the NaN again, for example by a mask. Pure.
 */

import { at } from "../facts.js";
import { perTrace } from "../per-run.js";
import { ancestor } from "../step-tree.js";

/** @import {Contents, Step} from "../trace.d.ts" */
/** @import {Index} from "../types.d.ts" */

/** Operators that compute new values. Other operators only copy, select or set values. */
const COMPUTES = operators(
  "r?sqrt|pow|_?log\\w*|_?softmax|reciprocal|a?(cos|sin|tan)h?|l?gamma|digamma",
  "r?sub|add|addc\\w+|mul|div|lerp|fmod|remainder|(b|add|badd)?(mm|bmm|mv)|mv|dot",
  "sum|mean|std|var|var_mean|prod|cumsum|norm|(native_)?(batch|group|layer)_norm|_native_batch_norm_legit",
  "linalg_\\w+|_foreach_\\w+|nll_loss\\w*|binary_cross_entropy|_?convolution|_?scaled_dot\\w+",
);
/** Operators by which a program can remove NaN from its results. */
const CLEANS = operators("where|masked_\\w+|nan\\w+|index|index_put");
/** Matches source code that creates a NaN on purpose, such as `math.nan`. */
const WRITTEN = /["'.]nan\b|import nan\b/i;

/** @param {...string} names */
function operators(...names) {
  return new RegExp(`^aten::(${names.join("|")})_?$`);
}

/**
 * @typedef {{tick: number, operator: Step, node: number | null}} FirstNan `node`: the Node that it recorded
 */

/** The first NaN of a run; null if there is none, or if the NaN may be intended. */
export const firstNanIn = perTrace((/** @type {Index} */ index) => {
  const found = firstFact(index);
  if (found === null || WRITTEN.test(index.source)) return null;
  const operator = writerOf(index, found);
  if (operator === undefined || !COMPUTES.test(operator.name ?? "")) return null;
  if (ancestor(index.steps, operator, ({ kind }) => kind === "node") !== undefined) return null;
  const cleaned = index.steps.findLast(
    ({ name = "", began, kind }) => kind === "operator" && began > found.tick && CLEANS.test(name),
  );
  if (cleaned !== undefined && !hasNanFrom(index, cleaned.began)) return null;
  const made = index.lookups
    .tensors_in()(found.storage)
    .find(({ made_by }) => made_by === operator.id);
  const grad_fn = at(made?.grad_fn, found.tick);
  return /** @type {FirstNan} */ ({
    ...{ tick: found.tick, operator },
    node: grad_fn?.kind === "grad_fn" ? grad_fn.node : null,
  });
});

/**
 * The first recorded contents of any storage that have a NaN, with the tick of the storage's previous
 * contents; null if contents that were not recorded came earlier.
 * @param {Index} index
 */
function firstFact({ storages }) {
  let [first, unknown] = [Infinity, Infinity];
  let [storage, before] = [-1, 0];
  for (const { id, contents = [] } of storages)
    for (const [place, [tick, value]] of contents.entries()) {
      if (tick >= first) break;
      if (value.kind === "unknown") unknown = Math.min(unknown, tick);
      else if (hasNan(value)) [first, storage, before] = [tick, id, contents[place - 1]?.[0] ?? -1];
    }
  return unknown < first || storage < 0 ? null : { tick: first, storage, before };
}

/** @param {Contents} contents */
function hasNan(contents) {
  if (contents.kind === "summary") return contents.nan_count > 0;
  return contents.kind === "cells" && contents.values.includes("nan");
}

/**
 * The operator that wrote or created a storage between two of its recorded contents; undefined if several
 * did.
 * @param {Index} index
 * @param {{tick: number, storage: number, before: number}} found
 */
function writerOf({ lookups, steps, writes }, { tick, storage, before }) {
  const made = before < 0 ? lookups.tensors_in()(storage)[0]?.made_by : undefined;
  const wrote = writes.filter(
    (write) => write.storage === storage && write.tick > before && write.tick <= tick,
  );
  const ids = new Set([...(made === undefined ? [] : [made]), ...wrote.map(({ step }) => step)]);
  const [id] = ids;
  const step = ids.size === 1 ? steps[id ?? -1] : undefined;
  return step?.kind === "operator" ? step : undefined;
}

/**
 * @param {Index} index
 * @param {number} from
 */
function hasNanFrom({ storages }, from) {
  return storages.some(({ contents = [] }) => contents.some(([tick, value]) => tick > from && hasNan(value)));
}
