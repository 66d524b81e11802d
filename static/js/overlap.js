/** Owns which storages lie over the same bytes at a tick: `from_numpy` of one array twice makes two storages of one memory. Pure. */

import { at } from "./facts.js";

/** @import {Index} from "./types.d.ts" */

/**
 * For each storage that lies over bytes of another, the first such other.
 * @param {Index} index
 * @param {number} tick
 * @returns {Map<number, number>}
 */
export function overlapsAt(index, tick) {
  const spans = [];
  for (const { id, born, freed, device, address, moved, nbytes } of index.storages) {
    const begin = Number(at(moved, tick) ?? address);
    const size = at(nbytes, tick) ?? 0;
    if (born > tick || (freed !== undefined && freed <= tick) || begin === 0 || size === 0) continue;
    spans.push({ id, device, begin, end: begin + size });
  }
  spans.sort((a, b) => (a.device === b.device ? a.begin - b.begin || a.id - b.id : a.device < b.device ? -1 : 1));
  /** @type {Map<number, number>} */
  const found = new Map();
  const note = (/** @type {number} */ own, /** @type {number} */ other) => found.set(own, Math.min(found.get(own) ?? Infinity, other));
  let widest = spans[0];
  for (const span of spans.slice(1)) {
    if (widest !== undefined && widest.device === span.device && span.begin < widest.end) {
      note(span.id, widest.id);
      note(widest.id, span.id);
    }
    if (widest === undefined || widest.device !== span.device || span.end > widest.end) widest = span;
  }
  return found;
}
