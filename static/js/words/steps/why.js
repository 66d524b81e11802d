/**
 * Owns why a value is what it is: a chain of links from a gradient or a tensor back to where it began. Each
 * link is a sentence, what it is about, and the stop to which it leads. Pure.
 */

import { at, stopAtTick } from "../../run/facts.js";
import { literal } from "../../run/legible.js";
import { everName, gradName } from "../../run/naming/naming.js";
import { placeOfStep } from "../../run/places.js";
import { waysOf } from "../../run/values/derivatives.js";
import { cellsRead, isValue, nested, shortName } from "../../run/values/format.js";
import { isClose, sizeOf } from "../../run/values/small-tensor.js";
import { placesIn } from "../../run/values/shown.js";
import { gradient } from "./phrases.js";

/** @import {Contents, Geometry, Gradient, Node, SavedTensor, Value} from "../../run/trace.d.ts" */
/** @import {Index, Run, Sentence} from "../../run/types.d.ts" */
/** @import {Small} from "../../run/values/small-tensor.js" */

/**
 * `operands`: what the names in the formula stand for; `thing`: what it is about, as in an element's data.
 * @typedef {object} Link
 * @property {Sentence} sentence
 * @property {string} [formula]
 * @property {[name: string, value: string][]} [operands]
 * @property {number | null} stop
 * @property {Partial<Record<"node" | "saved" | "tensor" | "gradient", string>>} thing
 */
/** @typedef {{title: Sentence, links: Link[]}} Why */

/** The most links of a chain. */
const MOST_LINKS = 12;
/** The most elements that are recomputed. */
const MOST_CELLS = 256;
/** The most characters of an operand. */
const READ = 40;
/** Relative; half a digit less than the dtype holds, since a product may be summed in another order. */
const TOLERANCE = /** @type {Readonly<Record<string, number>>} */ ({
  float64: 1e-9,
  float32: 1e-4,
  float16: 1e-2,
  bfloat16: 6e-2,
});

/**
 * Why a tensor, or the `grad` of a leaf, is what it is at a tick.
 * @param {Index} index
 * @param {number} tick
 * @param {{kind: "tensor" | "grad", id: number}} subject `id`: of the leaf, for its `grad`
 * @returns {Why}
 */
export function whyOf(index, tick, { kind, id }) {
  const owner = kind === "grad" || hasGrad(index, tick, id) ? id : ownerOf(index, tick, id);
  if (owner === null) return whyValue(index, tick, id);
  const name = gradName(everName(index, owner) ?? `T${owner}`);
  const grad = at(index.tensors[owner]?.grad, tick) ?? null;
  if (grad === null)
    return { title: { id: "why-none", args: { name } }, links: [whyNone(index, tick, owner)] };
  const value = textOf(index, tick, grad);
  return { title: { id: "why-value", args: { name, value } }, links: whyGrad(index, tick, owner, name) };
}

/**
 * Whether a tensor is a leaf that requires grad: of such, its gradient is the question.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 */
function hasGrad(index, tick, id) {
  return at(index.tensors[id]?.requires_grad, tick) === true && at(index.tensors[id]?.is_leaf, tick) === true;
}

/**
 * The tensor whose `grad` this is.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 */
function ownerOf(index, tick, id) {
  return (
    index.lookups
      .owners_of()(id)
      .find(({ grad }) => at(grad, tick) === id)?.id ?? null
  );
}

/**
 * Why `grad` is None; only what the trace says for certain.
 * @param {Index} index
 * @param {number} tick
 * @param {number} leaf
 * @returns {Link}
 */
function whyNone(index, tick, leaf) {
  const tensor = index.tensors[leaf];
  const name = everName(index, leaf) ?? `T${leaf}`;
  const about = { tensor: String(leaf) };
  const link = (
    /** @type {string} */ id,
    /** @type {Sentence["args"]} */ args = {},
    /** @type {number | null} */ stop = null,
  ) => ({
    sentence: { id, args: { name, ...args } },
    stop,
    thing: about,
  });
  const made = tensor?.made_by == null ? null : stopAtTick(index, tensor.born);
  if (at(tensor?.requires_grad, tick) !== true) return link("why-none-plain", {}, made);
  if (at(tensor?.is_leaf, tick) !== true) return link("why-none-result", {}, made);
  const given = (tensor?.grad ?? []).findLast(([since, grad]) => since <= tick && grad !== null);
  const emptied = (tensor?.grad ?? []).find(
    ([since]) => given !== undefined && since > given[0] && since <= tick,
  );
  if (emptied !== undefined) {
    const stop = stopAtTick(index, emptied[0]);
    return link("why-none-reset", { line: index.stops[stop]?.place ?? 0 }, stop);
  }
  const nodes = index.lookups
    .leaves_of()(leaf)
    .filter(({ born }) => born <= tick);
  if (nodes.length === 0) return link("why-none-unused", {}, made);
  return link("why-none-before", {}, stopAtTick(index, nodes[0]?.born ?? tick));
}

/**
 * @param {Index} index
 * @param {number} tick
 * @param {number} leaf
 * @param {string} name
 * @returns {Link[]}
 */
function whyGrad(index, tick, leaf, name) {
  const runs = index.lookups
    .leaves_of()(leaf)
    .flatMap((node) => index.lookups.runs_of()(node.id))
    .filter((run) => run.ended <= tick)
    .sort((a, b) => a.ended - b.ended);
  const run = runs.at(-1);
  if (run === undefined)
    return [{ sentence: { id: "why-unknown", args: {} }, stop: null, thing: { tensor: String(leaf) } }];
  const arrived = arrivalsOf(index, run);
  /** @type {Link[]} */
  const links = [
    {
      sentence: { id: "why-accumulated", args: { name, value: sumOf(arrived), times: runs.length } },
      stop: stopAtTick(index, run.ended),
      thing: { node: String(run.node) },
    },
  ];
  follow(index, arrived, links);
  return links;
}

/**
 * Adds the links of a gradient's way, from the Node that sent it back to the root.
 * @param {Index} index
 * @param {Gradient[]} arrived
 * @param {Link[]} links
 */
function follow(index, arrived, links) {
  let waiting = arrived;
  while (waiting.length > 0) {
    const [sent] = waiting;
    if (sent === undefined) return;
    if (waiting.length > 1) links.push(several(index, waiting));
    if (links.length >= MOST_LINKS) {
      links.push({ sentence: { id: "why-further", args: {} }, stop: null, thing: {} });
      return;
    }
    if (sent.node === null) {
      links.push({
        sentence: { id: "why-root", args: { value: gradient(sent.value, sent.shape) } },
        stop: stopAtTick(index, sent.tick),
        thing: { node: String(sent.to) },
      });
      return;
    }
    const run = runOf(index, sent);
    const received = run === undefined ? [] : arrivalsOf(index, run);
    links.push(...computed(index, sent, run, received));
    waiting = received;
  }
}

/**
 * That a Node received several gradients, of which the first is followed.
 * @param {Index} index
 * @param {Gradient[]} arrived
 * @returns {Link}
 */
function several(index, arrived) {
  const sentence = { id: "why-several", args: { count: arrived.length } };
  return {
    sentence,
    stop: stopAtTick(index, arrived[0]?.tick ?? 0),
    thing: { node: String(arrived[0]?.to) },
  };
}

/**
 * How a Node computed what it sent, and which of its saved tensors had changed by then.
 * @param {Index} index
 * @param {Gradient} sent
 * @param {Run | undefined} run
 * @param {Gradient[]} received
 * @returns {Link[]}
 */
function computed(index, sent, run, received) {
  const node = /** @type {Node} */ (index.nodes[sent.node ?? -1]);
  const args = {
    node: shortName(node.name),
    line: placeOfStep(index, node.made_by),
    value: gradient(sent.value, sent.shape),
  };
  const stop = stopAtTick(index, sent.tick);
  const thing = { gradient: `${sent.node}.${sent.edge}` };
  const saved = run === undefined ? [] : (index.saved_of[node.id] ?? []);
  const found = run === undefined ? undefined : formulaOf(index, sent, run, received, saved);
  if (found === undefined) return [{ sentence: { id: "why-sent", args }, stop, thing }];
  const used = saved.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(found.formula));
  return [
    { sentence: { id: "why-sent", args }, ...found, stop, thing },
    ...used.flatMap((each) => changedSince(index, each, /** @type {Run} */ (run).began)),
  ];
}

/**
 * The formula by which what a Node sent is recomputed exactly; undefined where none is known or it does not
 * give what was sent.
 * @param {Index} index
 * @param {Gradient} sent
 * @param {Run} run
 * @param {Gradient[]} received
 * @param {readonly SavedTensor[]} saved
 * @returns {{formula: string, operands: [string, string][]} | undefined}
 */
function formulaOf(index, sent, run, received, saved) {
  const node = index.nodes[sent.node ?? -1];
  const [only] = received;
  const [grad, expected] = [only && smallOf(only), smallOf(sent)];
  const ways = waysOf(node?.name ?? "", sent.edge ?? -1);
  if (only === undefined || received.length !== 1 || !grad || !expected || ways.length === 0)
    return undefined;
  const known = new Map(saved.map((each) => [each.name, readAt(index, each, run.began)]));
  const values = Object.fromEntries([...known].flatMap(([name, small]) => (small ? [[name, small]] : [])));
  const tolerance = TOLERANCE[sent.value.kind === "cells" ? sent.value.dtype : ""] ?? 0;
  const way = ways.find(({ of }) => {
    const result = of({ grad, shape: sent.shape, saved: values });
    return result ? isClose(result, expected, tolerance) : false;
  });
  if (way === undefined) return undefined;
  const isUsed = (/** @type {string} */ name) => new RegExp(`\\b${name}\\b`).test(way.formula);
  return {
    formula: way.formula,
    operands: [
      ["grad", nested(only.value, only.shape, READ)],
      ...saved
        .filter(({ name }) => isUsed(name))
        .map(
          (each) =>
            /** @type {[string, string]} */ ([operandName(index, each), textAt(index, each, run.began)]),
        ),
    ],
  };
}

/**
 * That a saved tensor held other values when the Node saved it than when it ran.
 * @param {Index} index
 * @param {SavedTensor} saved
 * @param {number} tick
 * @returns {Link[]}
 */
function changedSince(index, saved, tick) {
  const write = index.writes[at(saved.overwritten, tick) ?? -1];
  const [before, after] = [textAt(index, saved, saved.tick), textAt(index, saved, tick)];
  if (write === undefined || before === after) return [];
  const stop = stopAtTick(index, write.tick);
  const args = { name: operandName(index, saved), before, after, line: index.stops[stop]?.place ?? 0 };
  return [{ sentence: { id: "why-stale", args }, stop, thing: { saved: String(saved.id) } }];
}

/**
 * Where a tensor comes from: what made it, what wrote into it since, and from which values.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 * @returns {Why}
 */
function whyValue(index, tick, id) {
  const name = everName(index, id) ?? `T${id}`;
  /** @type {Link[]} */
  const links = [];
  const seen = new Set();
  /** @type {number | undefined} */
  let next = id;
  while (next !== undefined && !seen.has(next) && links.length < MOST_LINKS) {
    seen.add(next);
    links.push(...writtenSince(index, next, tick), madeBy(index, next));
    const inputs = inputsOf(index, next);
    if (inputs.length > 0) links.push(fromInputs(index, inputs));
    const isBad = isNonfinite(index, next, index.tensors[next]?.born ?? tick);
    next = isBad
      ? inputs.find((input) => isNonfinite(index, input, index.tensors[next ?? -1]?.born ?? tick))
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
    name: everName(index, id) ?? `T${id}`,
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
  const args = { name: everName(index, id) ?? `T${id}`, line: index.stops[stop]?.place ?? 0 };
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
function isNonfinite(index, id, tick) {
  const geometry = at(index.tensors[id]?.geometry, tick);
  const contents = at(
    index.storages[geometry?.storage ?? -1]?.contents,
    index.stops[stopAtTick(index, tick)]?.tick ?? tick,
  );
  if (contents?.kind === "summary") return (contents.nan_count ?? 0) + (contents.inf_count ?? 0) > 0;
  return (
    contents?.kind === "cells" &&
    contents.values.some((value) => typeof value === "string" && /nan|inf/.test(value))
  );
}

/**
 * The gradients that a run of a Node received.
 * @param {Index} index
 * @param {Run} run
 * @returns {Gradient[]}
 */
function arrivalsOf(index, run) {
  const before = index.lookups
    .runs_of()(run.node)
    .findLast(({ ended }) => ended < run.began);
  return index.lookups
    .gradients_of()(run.statement)
    .within(before?.ended ?? -1, run.ended)
    .filter(({ to }) => to === run.node);
}

/**
 * The run in which a Node sent a gradient.
 * @param {Index} index
 * @param {Gradient} sent
 */
function runOf(index, sent) {
  return index.lookups
    .runs_of()(sent.node ?? -1)
    .find(({ began, ended }) => began <= sent.tick && sent.tick <= ended);
}

/**
 * @param {Gradient[]} arrived
 * @returns {Sentence}
 */
function sumOf(arrived) {
  const [first] = arrived;
  if (first !== undefined && arrived.length === 1) return gradient(first.value, first.shape);
  return { id: "phrase-gradients-count", args: { count: arrived.length } };
}

/**
 * The slot of a saved tensor, and the name of the tensor: `self = d`.
 * @param {Index} index
 * @param {SavedTensor} saved
 */
function operandName(index, saved) {
  const name = everName(index, saved.tensor);
  return name === undefined || name === saved.name ? saved.name : `${saved.name} = ${name}`;
}

/**
 * @param {Index} index
 * @param {SavedTensor} saved
 * @param {number} tick
 */
function textAt(index, { geometry }, tick) {
  const small = numbersIn(geometry, at(index.storages[geometry.storage ?? -1]?.contents, tick));
  return nested(small ?? { kind: "unknown", reason: "" }, geometry.shape, READ);
}

/**
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 */
function textOf(index, tick, id) {
  const geometry = at(index.tensors[id]?.geometry, tick);
  if (!geometry) return "?";
  const cells = numbersIn(geometry, at(index.storages[geometry.storage ?? -1]?.contents, tick));
  const text = nested(cells ?? { kind: "unknown", reason: "" }, geometry.shape, READ);
  return isValue(text) ? literal(text) : text;
}

/**
 * @param {Index} index
 * @param {SavedTensor} saved
 * @param {number} tick
 * @returns {Small | null}
 */
function readAt(index, { geometry }, tick) {
  const cells = numbersIn(geometry, at(index.storages[geometry.storage ?? -1]?.contents, tick));
  return cells === null ? null : toSmall(cells.values, geometry.shape);
}

/**
 * The elements of a tensor in their order, as contents of their own; null where they are many or unknown.
 * @param {Geometry} geometry
 * @param {Contents | null | undefined} contents
 * @returns {Extract<Contents, {kind: "cells"}> | null}
 */
function numbersIn(geometry, contents) {
  const read = cellsRead(geometry, contents);
  const places = read && placesIn(geometry, MOST_CELLS);
  if (!read || !places) return null;
  const values = places.map((place) => read.values[place]).filter((value) => value !== undefined);
  return values.length === places.length ? { kind: "cells", dtype: geometry.dtype, values } : null;
}

/**
 * @param {Gradient} gradient
 * @returns {Small | null}
 */
function smallOf({ value, shape }) {
  return value.kind === "cells" && value.values.length <= MOST_CELLS ? toSmall(value.values, shape) : null;
}

/**
 * @param {Value[]} values
 * @param {number[]} shape
 * @returns {Small | null}
 */
function toSmall(values, shape) {
  const numbers = values.map((value) =>
    typeof value === "number" || typeof value === "boolean"
      ? Number(value)
      : typeof value === "string"
        ? Number(value.replace("nan", "NaN").replace("inf", "Infinity"))
        : Number.NaN,
  );
  const isComplex = values.some((value) => Array.isArray(value));
  return isComplex || numbers.length !== sizeOf(shape) ? null : { shape, values: numbers };
}
