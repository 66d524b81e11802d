/**
 * Owns the loading of the layout engine. It comes with Graphviz and the step sentences, after the page:
 * nothing needs them before a run.
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
 * @param {Set<string>} [open] keys of the open groups; by default as many as fit
 * @returns {Promise<GraphLayout>}
 */
export async function graphLayout(index, measures, open) {
  return (await loaded()).graphLayout(index, measures, open);
}

/** Load the engine and Graphviz, so that the first run finds them ready. */
export function warmUp() {
  void loaded().then(
    (loadedEngine) => loadedEngine.warmUp(),
    () => undefined,
  ); // a run that needs the engine reports the error
}
