/**
 * Owns which engine lays out the graph: Graphviz in a disposable worker within a time limit; the linear
 * layout where Graphviz does not answer, the graph is large, or groups have frames.
 */

import { dotOf, placedBy } from "./dot.js";
import { folded, openAtFirst } from "./folding.js";
import { unionOf } from "../union-graph.js";
import { groupsOf } from "./groups.js";
import { linearPlaces } from "./linear.js";
import { assemble, componentsOf } from "./place.js";
import { withGranularity } from "../../run/granularity.js";
import { perRun } from "../../run/per-run.js";

/** @import {Grouping} from "./folding.js" */
/** @import {Union} from "../union-graph.js" */
/** @import {Measures} from "../measures.js" */
/** @import {GraphLayout, Index} from "../../run/types.d.ts" */

/** How long Graphviz may take to lay out, and to begin at all. */
const LIMITS_MS = { layout: 1500, start: 8000 };
const MOST_NODES = 1000;

/**
 * The layout of a trace's union graph; never fails.
 * @param {Index} index
 * @param {Measures} measures
 * @param {Set<string>} [chosen] keys of the groups that are open; without, as many as fit
 * @returns {Promise<GraphLayout>}
 */
export async function graphLayout(index, measures, chosen) {
  const { union, grouping } = wholesOf(withGranularity(index, "node"))(measures);
  const { groups } = grouping;
  const open = chosen ?? openAtFirst(union, grouping, warned(index));
  const components = componentsOf(folded(union, grouping, open), groups);
  const count = components.reduce((sum, component) => sum + component.parts.length, 0);
  const linear = () =>
    assemble(
      components,
      components.map((component) => linearPlaces(component, groups)),
      "linear",
      measures,
      { groups, open },
    );
  if (groups.length > 0 || count === 0 || count > MOST_NODES) return linear();
  try {
    const answers = await inWorker(components.map((component) => dotOf(component, measures)));
    return assemble(
      components,
      components.map((component, number) => placedBy(component, answers[number] ?? "")),
      "dot",
      measures,
    );
  } catch (error) {
    console.warn("Graphviz did not answer; the graph is laid out without it.", error);
    return linear();
  }
}

/** The graph with no group folded, made once for a run, for all granularities. */
const wholesOf = perRun((/** @type {Index} */ index) =>
  perRun((/** @type {Measures} */ measures) => {
    const union = unionOf(index, measures);
    return { union, grouping: groupsOf(index, union) };
  }),
);

/**
 * The Nodes whose saved tensors a finding is about.
 * @param {Index} index
 */
function warned(index) {
  return index.findings
    .flatMap((finding) => finding.saved_tensors ?? [])
    .map((id) => index.saved_tensors[id]?.node ?? -1);
}

/** @typedef {{resolve: (answers: string[]) => void, reject: (error: unknown) => void}} Waiting */

/** A worker with Graphviz, and the requests that wait for its answers. */
class Graphviz {
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  #asked = 0;
  isOver = false;
  isReady = false;

  constructor() {
    this.worker = new Worker(new URL("../../io/graphviz.worker.js", import.meta.url), { type: "module" });
    this.ready = new Promise((resolve) => {
      this.worker.onmessage = ({ data }) => {
        if ("ready" in data) {
          this.isReady = true;
          return resolve(undefined);
        }
        if ("error" in data) return this.end(data.error);
        this.#waiting.get(data.number)?.resolve(data.answers);
        this.#waiting.delete(data.number);
      };
    });
    this.worker.onerror = (event) => this.end(event.message);
  }

  /**
   * @param {string[]} sources
   * @returns {Promise<string[]>}
   */
  ask(sources) {
    return new Promise((resolve, reject) => {
      this.#asked += 1;
      const number = this.#asked;
      this.#waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, sources });
    });
  }

  /**
   * Rejects all requests and terminates the worker, which may be stuck in its C code.
   * @param {unknown} error
   */
  end(error) {
    this.isOver = true;
    this.worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

/** @type {Graphviz | undefined} */
let warm;

/** Whether Graphviz is there. */
export function isWarm() {
  return warm?.isReady === true && !warm.isOver;
}

/** Starts to load Graphviz, so that the first run finds it ready. */
export function warmUp() {
  if (warm === undefined || warm.isOver) warm = new Graphviz();
  return warm;
}

/**
 * @param {string[]} sources
 * @returns {Promise<string[]>}
 */
async function inWorker(sources) {
  const graphviz = warmUp();
  const within = (/** @type {number} */ limit) =>
    setTimeout(() => graphviz.end(new Error(`no answer within ${limit} ms`)), limit);
  const answers = graphviz.ask(sources);
  let timer = within(LIMITS_MS.start);
  void graphviz.ready.then(() => {
    clearTimeout(timer);
    if (!graphviz.isOver) timer = within(LIMITS_MS.layout);
  });
  return answers.finally(() => clearTimeout(timer));
}
