/**
 * Owns the way to those who lay out the graph. They come with Graphviz and those who tell steps, after the
 * page: nobody needs them before a run is there.
 */

import { loadStepSentences } from "./step-sentences.js";

/** @import {Measures} from "../layout/measures.js" */
/** @import {GraphLayout, Index} from "../run/types.d.ts" */

/** @type {Promise<typeof import("../layout/engine/index.js")> | undefined} */
let engine;

function loaded() {
  engine ??= Promise.all([import("../layout/engine/index.js"), loadStepSentences()])
    .then(([loadedEngine]) => loadedEngine)
    .catch((error) => {
      engine = undefined; // so that the next run tries again
      throw error;
    });
  return engine;
}

/**
 * @param {Index} index
 * @param {Measures} measures
 * @param {Set<string>} [open] keys of the groups that are open; without, as many as fit
 * @returns {Promise<GraphLayout>}
 */
export async function graphLayout(index, measures, open) {
  return (await loaded()).graphLayout(index, measures, open);
}

/** Load them, and Graphviz, so that the first run finds them ready. */
export function warmUp() {
  void loaded().then(
    (loadedEngine) => loadedEngine.warmUp(),
    () => undefined,
  ); // a run that needs them says what is wrong
}
