/** Owns who lays out the graph: Graphviz in a disposable worker within a time limit, our own layout where it cannot. */

import { dotOf, placedBy } from "./dot.js";
import { unionOf } from "./graph.js";
import { ownPlaces } from "./own.js";
import { assemble, componentsOf } from "./place.js";

/** @import {Measures} from "./measures.js" */
/** @import {GraphLayout, Index} from "../types.d.ts" */

const LIMIT_MS = 4000;
const MOST_NODES = 1000;

/**
 * The layout of a trace's union graph; never fails.
 * @param {Index} index
 * @param {Measures} measures
 * @returns {Promise<GraphLayout>}
 */
export async function graphLayout(index, measures) {
  const components = componentsOf(unionOf(index, measures));
  const count = components.reduce((sum, component) => sum + component.parts.length, 0);
  const own = () => assemble(components, components.map(ownPlaces), "own", measures);
  if (count === 0 || count > MOST_NODES) return own();
  try {
    const answers = await inWorker(components.map((component) => dotOf(component, measures)));
    return assemble(components, components.map((component, number) => placedBy(component, answers[number] ?? "")), "dot", measures);
  } catch (error) {
    console.warn("Graphviz did not answer; the graph is laid out without it.", error);
    return own();
  }
}

/** @type {Worker | undefined} A worker that has loaded Graphviz and waits. */
let warm;

/** Start loading Graphviz, so that the first run finds it ready. */
export function warmUp() {
  warm ??= new Worker(new URL("../worker/graphviz.js", import.meta.url), { type: "module" });
}

/** @param {string[]} sources @returns {Promise<string[]>} */
function inWorker(sources) {
  warmUp();
  const worker = /** @type {Worker} */ (warm);
  return new Promise((resolve, reject) => {
    const give = (/** @type {() => void} */ settle) => {
      clearTimeout(timer);
      worker.onmessage = worker.onerror = null;
      settle();
    };
    const fail = (/** @type {unknown} */ error) => give(() => {
      worker.terminate();
      if (warm === worker) warm = undefined;
      reject(error);
    });
    const timer = setTimeout(() => fail(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
    worker.onerror = (event) => fail(event.message);
    worker.onmessage = ({ data }) => ("error" in data ? fail(data.error) : give(() => resolve(data.answers)));
    worker.postMessage({ sources });
  });
}
