/**
 * Owns the questions of a search for the line that made a saved tensor stale. The search goes backwards
 * through the writes, from the run of the Node that needs the tensor. Pure.
 */

import { addTo } from "../grouped.js";
import { stopAtTick } from "../facts.js";
import { firstStale } from "./truth-lookups.js";

/** @import {Index} from "../types.d.ts" */
/** @import {Question} from "./asked.d.ts" */

/** The maximum number of saved tensors that a visitor can choose from. */
const MOST = 3;

/**
 * The saved tensors that are stale when their Node runs, sorted by the tick of this run.
 * @param {Index} index
 * @returns {number[]}
 */
export function staleWhenNeeded(index) {
  const runs = runsOfNodes(index);
  return index.saved_tensors
    .flatMap(({ id, node }) => {
      const needed = neededAt(runs.get(node), firstStale(index, id)?.tick);
      return needed === undefined ? [] : [{ id, needed }];
    })
    .sort((one, other) => one.needed - other.needed)
    .slice(0, MOST)
    .map(({ id }) => id);
}

/**
 * The stops of the writes to a saved tensor between its save and the run of its Node, in order.
 * @param {Index} index
 * @param {number} saved
 */
export function stopsOfWrites(index, saved) {
  const record = index.saved_tensors[saved];
  const first = firstStale(index, saved);
  const needed = neededAt(runsOfNodes(index).get(record?.node ?? -1), first?.tick);
  if (record === undefined || first === null || needed === undefined) return [];
  const { geometry, version_counter: counter, tick: since } = record;
  const isInto = (/** @type {Index["writes"][number]} */ write) =>
    write.storage === geometry.storage ||
    (counter !== null && write.version_counter === counter) ||
    write.id === first.write; // `x.data = y` changes the storage of `x` instead of writing to it
  const stops = index.writes
    .filter((write) => since < write.tick && write.tick <= needed && isInto(write))
    .map(({ tick }) => stopAtTick(index, tick));
  return [...new Set(stops)].filter((k) => k > 0).sort((one, other) => one - other);
}

/**
 * The question whether the step to stop `k` made a saved tensor stale.
 * @param {Index} index
 * @param {number} saved
 * @param {number} k
 * @returns {Question}
 */
export function staleBy(index, saved, k) {
  const [after, until] = [index.stops[k - 1]?.tick ?? -1, index.stops[k]?.tick ?? -1];
  return { kind: "stale_by", after, until, saved };
}

/**
 * For each Node, the ticks at which its runs began.
 * @param {Index} index
 * @returns {Map<number, number[]>}
 */
function runsOfNodes(index) {
  const runs = new Map();
  for (const { kind, node = -1, began } of index.steps) if (kind === "node") addTo(runs, node, began);
  return runs;
}

/**
 * @param {number[] | undefined} runs of the Node
 * @param {number | undefined} stale tick since which the saved tensor is stale
 */
function neededAt(runs = [], stale = Infinity) {
  return runs.find((began) => began >= stale);
}
