/**
 * Owns the index of a document: the recorded tables of a run with look-ups over them. The index does not
 * change the recorded tables.
 */

import { runsOf, stopping } from "./stops/granularity.js";
import { legibleArguments } from "./legible.js";
import { lookupsOf } from "./lookups.js";
import { addPiece, noTables } from "./pieces.js";
import { finished } from "./slices.js";
import { firstWhere } from "./sorted.js";

/** @import {Document, Trace} from "./trace.d.ts" */
/** @import {Tables} from "./pieces.js" */
/** @import {Index} from "./types.d.ts" */

/**
 * The value that a list of `[tick, value]` facts has at a tick; undefined before the first fact.
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
 * The index of a document at the granularity of Nodes: the player stops at statements and at runs of Nodes.
 * The index adds the empty tables and lists that a document omits.
 * @param {Document} document
 * @returns {Index}
 */
export function indexOf({ trace, ...about }) {
  const tables = noTables();
  addPiece(tables, trace);
  return finished(indexing({ ...trace, ...tables }, about));
}

/**
 * Builds the index of a document in slices. The text of the trace must already be legible (legible.js).
 * @param {Trace & Required<Tables>} trace
 * @param {Omit<Document, "trace">} about
 * @returns {Generator<void, Index>}
 */
export function* indexing(trace, { findings, unfinished, end_arguments, recording_token, corrected }) {
  const { source, header, ended, ...recorded } = trace;
  const tables = { ...recorded, runs: runsOf(trace.steps) };
  yield;
  /** @type {Index} */
  const index = {
    ...tables,
    source,
    header,
    ended: ended ?? { kind: "interfered", reason: "The run has not ended." },
    end_arguments: legibleArguments(end_arguments),
    findings: (findings ?? []).map((finding) => ({
      ...finding,
      arguments: legibleArguments(finding.arguments),
    })),
    unfinished: unfinished ?? 0,
    ...(recording_token && { recording_token }),
    corrected: { answer: corrected ?? null },
    granularity: "node",
    by_granularity: new Map(),
    stops: [],
    lookups: lookupsOf(tables),
    saved_of: trace.nodes.map(() => []),
    stop_of: new Map(),
  };
  for (const saved of index.saved_tensors) index.saved_of[saved.node]?.push(saved);
  yield;
  return yield* stopping(index, "node");
}

/**
 * The first stop at or after a tick; the last stop of the run if there is none.
 * @param {Index} index
 * @param {number} tick
 */
export function stopAtTick(index, tick) {
  return firstWhere(Math.max(0, index.stops.length - 1), (k) => (index.stops[k]?.tick ?? Infinity) >= tick);
}

/**
 * The first stop at which a finding is shown.
 * @param {Index} index
 * @param {{tick: number, step?: number | null, steps?: number[]}} finding
 */
export function stopOfFinding(index, finding) {
  return Math.min(stopAtTick(index, finding.tick), Math.max(index.stops.length - 1, 0));
}
