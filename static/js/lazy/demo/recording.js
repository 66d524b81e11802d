/** Owns the recording of the first example, which the demonstration plays, and the choice of its stops. */

import { send } from "../../io/api.js";
import { indexFrom } from "../../io/documents.js";
import { stopOfFinding } from "../../run/facts.js";
import { prepared } from "../../session/running.js";
import { layoutsOfWidth } from "../../state/layouts.js";

/** @import {GraphLayout, Index, MemoryLayout} from "../../run/types.d.ts" */

/** @typedef {{index: Index, graph: GraphLayout, memory: MemoryLayout, stops: number[]}} Shown */

/**
 * Fetches the recording of a lesson and lays it out for the demonstration.
 * @param {string} slug
 * @param {number} width of a picture in px
 * @param {AbortSignal} signal
 * @returns {Promise<Shown>}
 */
export async function load(slug, width, signal) {
  const text = await (await send(`/lessons/${slug}/document`, { signal })).text();
  const read = await indexFrom({ document: JSON.parse(text), text }, signal, () => undefined);
  const { index, layouts } = await prepared(read, (each) => layoutsOfWidth(each, width, signal), signal);
  return { index, graph: layouts.graph.peek(), memory: layouts.memory.peek(), stops: stopsOf(index) };
}

/**
 * The stops that the demonstration plays: from just before the first finding to the end of the next
 * backward, or all stops if there is no finding.
 * @param {Index} index
 * @returns {number[]}
 */
export function stopsOf(index) {
  const all = index.stops.map((_, k) => k);
  const finding = index.findings[0];
  if (finding === undefined) return all;
  const first = stopOfFinding(index, finding);
  const begin = all.findIndex((k) => k > first && index.stops[k]?.node !== null);
  const end = all.findIndex((k) => k > begin && index.stops[k]?.node === null);
  return all.slice(Math.max(0, first - 1), begin < 0 || end < 0 ? undefined : end);
}

/**
 * The position of the first finding's stop among the played stops. The poster shows the same stop.
 * @param {Shown} shown
 */
export function placeOfFinding({ index, stops }) {
  const [finding] = index.findings;
  return finding === undefined ? 0 : Math.max(0, stops.indexOf(stopOfFinding(index, finding)));
}
