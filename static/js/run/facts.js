/** Owns the index over a document: every table present, every look-up the player needs, no record changed. */

import { legibleArguments, legibleTrace } from "./legible.js";
import { lookupsOf } from "./lookups.js";
import { firstWhere } from "./sorted.js";
import { runsOf, withGranularity } from "./granularity.js";

/** @import {Document} from "./trace.d.ts" */
/** @import {Index} from "./types.d.ts" */

/**
 * The value that holds at `tick`; undefined before the first fact.
 * @template T
 * @param {[number, T][] | undefined} facts
 * @param {number} tick
 * @returns {T | undefined}
 */
export function at(facts, tick) {
  if (facts === undefined) return undefined;
  const next = firstWhere(facts.length, (place) => /** @type {[number, T]} */ (facts[place])[0] > tick);
  return facts[next - 1]?.[1];
}

/**
 * The index of a document, stepped through by statements and Nodes. Absent tables and lists are empty: the
 * wire omits defaults.
 * @param {Document} document
 * @returns {Index}
 */
export function indexOf({ trace: recorded, findings, unfinished, end_arguments }) {
  const trace = legibleTrace(recorded);
  const tables = {
    steps: trace.steps ?? [],
    frames: trace.frames ?? [],
    outputs: trace.outputs ?? [],
    names: trace.names ?? [],
    variables: trace.variables ?? [],
    tensors: trace.tensors ?? [],
    storages: trace.storages ?? [],
    version_counters: trace.version_counters ?? [],
    writes: trace.writes ?? [],
    modules: trace.modules ?? [],
    nodes: trace.nodes ?? [],
    saved_tensors: trace.saved_tensors ?? [],
    gradients: trace.gradients ?? [],
    runs: runsOf(trace.steps ?? []),
  };
  const index = {
    ...tables,
    source: trace.source,
    header: trace.header,
    ended: trace.ended ?? { kind: "interfered", reason: "The run has not ended." },
    end_arguments: legibleArguments(end_arguments),
    findings: (findings ?? []).map((finding) => ({
      ...finding,
      arguments: legibleArguments(finding.arguments),
    })),
    unfinished: unfinished ?? 0,
    granularity: /** @type {Index["granularity"]} */ ("node"),
    by_granularity: new Map(),
    stops: [],
    lookups: lookupsOf(tables),
    saved_of: /** @type {Index["saved_of"]} */ ((trace.nodes ?? []).map(() => [])),
    stop_of: new Map(),
  };
  for (const saved of index.saved_tensors) index.saved_of[saved.node]?.push(saved);
  return withGranularity(index, "node");
}

/**
 * The first stop whose state includes a fact of `tick`.
 * @param {Index} index
 * @param {number} tick
 */
export function stopAtTick(index, tick) {
  return firstWhere(Math.max(0, index.stops.length - 1), (k) => (index.stops[k]?.tick ?? Infinity) >= tick);
}

/**
 * The stop from which a finding is shown.
 * @param {Index} index
 * @param {{tick: number, step?: number | null, steps?: number[]}} finding
 */
export function stopOfFinding(index, finding) {
  return Math.min(stopAtTick(index, finding.tick), Math.max(index.stops.length - 1, 0));
}
