/**
 * Owns building the look-ups of a large run before the run is shown. The look-ups are built in slices,
 * because building them all at the first step would block the page. Pure.
 */

import { callsAt, preparingCalls } from "./stops/calls.js";
import { memoryUsageOf } from "./memory-usage.js";
import { preparingNames } from "./naming/naming.js";
import { overlapsAt } from "./overlap.js";
import { stateAt } from "./state-at.js";
import { stopIndexOf } from "./stops/stop-index.js";

/** @import {Index} from "./types.d.ts" */

/**
 * @param {Index} index
 * @returns {Generator<void, void>}
 */
export function* preparing(index) {
  const { born, freed, ...others } = index.lookups;
  for (const look of [...Object.values(others), ...Object.values(born), ...Object.values(freed)]) {
    look();
    yield;
  }
  yield* preparingNames(index);
  overlapsAt(index, 0);
  yield;
  stopIndexOf(index);
  yield;
  memoryUsageOf(index);
  yield;
  yield* preparingCalls(index);
  if (index.stops.length > 0) callsAt(index, stateAt(index, index.stops.length - 1));
}
