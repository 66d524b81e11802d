/**
 * Owns the loading of the layout engine. It comes with Graphviz and the step sentences, after the page:
 * nothing needs them before a run.
 */

import { isReady, layOut, startGraphviz } from "./graphviz.js";
import { loadStepSentences } from "./step-sentences.js";

/** @import {GraphLayout, Index, Measures} from "../run/types.d.ts" */

/** @type {Promise<typeof import("../layout/engine/index.js")> | undefined} */
let engine;
let isLoaded = false;

function loaded() {
  engine ??= Promise.all([import("../layout/engine/index.js"), loadStepSentences()])
    .then(([loadedEngine]) => {
      isLoaded = true;
      return loadedEngine;
    })
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
  return (await loaded()).graphLayout(index, measures, layOut, open);
}

/** Whether the engine and Graphviz are loaded. */
export function isWarm() {
  return isLoaded && isReady();
}

/** Load the engine and Graphviz, so that the first run finds them ready. */
export function warmUp() {
  startGraphviz();
  loaded().catch(() => undefined); // a run that needs the engine reports the error
}

/** Request what the worker will request, in time that the line is idle while the page starts. */
export function prefetchGraphviz() {
  const wasm = new URL("../../vendor/graphviz.wasm", import.meta.url);
  const script = new URL("../../vendor/graphviz.js", import.meta.url);
  for (const { href } of [wasm, script]) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href }));
  }
}
