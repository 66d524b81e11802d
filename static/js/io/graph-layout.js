/**
 * Lays out graphs: small ones in the page, others in a web worker, if the browser supports workers. The
 * worker builds its own copies of the runs, and is terminated if a layout takes too long. The layout engine
 * is loaded after the page, together with the step sentences and `stage/`, because only a run needs it.
 */

import { loadDrawing } from "./drawing.js";
import { isFile } from "./medium.js";
import { loadStepSentences } from "./step-sentences.js";

/** @import {Task} from "./layout.worker.js" */
/** @import {Finding} from "../run/trace.d.ts" */
/** @import {FoldedBy, GraphLayout, Index, Measures} from "../run/types.d.ts" */

/**
 * The time limits of the worker in ms: for one layout, and for its start, in which it loads the engine and
 * reads the run.
 */
const LIMITS_MS = { layout: 6000, start: 60_000 };
/** The maximum number of runs of which the worker keeps copies: two compared runs, and the previous run. */
const MOST_RUNS = 3;

/**
 * The maximum number of Nodes of a graph that is laid out in the page, where it delays about two frames of
 * the screen.
 */
const MOST_ON_PAGE = 150;

/** Thrown if the worker does not answer in time. */
class TooSlow extends Error {}

/**
 * The visitor's choices. `by`: the kind of groups. `open`: keys of the open groups; by default, as many
 * groups as fit.
 * @typedef {{by?: FoldedBy, open?: Set<string> | undefined}} Folds
 */
/** @typedef {Omit<Extract<Task, {kind: "layout"}>, "kind" | "run" | "number">} Wanted */
/**
 * @typedef {{
 *   number: number,
 *   resolve: (layout: GraphLayout | null) => void,
 *   reject: (error: unknown) => void,
 * }} Waiting
 */

/** A web worker that computes layouts, one at a time, and the request that is waiting for its result. */
class LayoutWorker {
  /** @type {Waiting | null} */
  #waiting = null;
  /**
   * For each run in the worker, how many of its texts the worker has. The most recently used run is the
   * last.
   * @type {Map<number, number>}
   */
  #runs = new Map();
  #asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  isOver = false;
  isReady = false;

  constructor() {
    this.worker = new Worker(new URL("./layout.worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.kind === "ready") this.isReady = true;
      else if (data.kind === "begun") this.#within(LIMITS_MS.layout);
      else if (data.kind === "laid") this.#answer(data.number, data.layout);
      else this.end(new Error(data.error));
    };
    this.worker.onerror = (event) => this.end(new Error(event.message || "The layout engine did not load."));
  }

  /** @param {number} limit time in ms within which the worker must answer from now on */
  #within(limit) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(new TooSlow(`no layout within ${limit} ms`)), limit);
  }

  /** @param {Task} task */
  #tell(task) {
    this.worker.postMessage(task);
  }

  /**
   * @param {number} number
   * @param {GraphLayout | null} layout
   */
  #answer(number, layout) {
    if (this.#waiting?.number === number) this.#waiting.resolve(layout);
  }

  /**
   * @param {Recorded} recorded
   * @param {Wanted} wanted
   * @param {AbortSignal} signal
   * @returns {Promise<GraphLayout | null>}
   */
  ask(recorded, wanted, signal) {
    this.send(recorded);
    this.#asked += 1;
    const number = this.#asked;
    /** @type {Promise<GraphLayout | null>} */
    const answer = new Promise((resolve, reject) => {
      this.#waiting = { number, resolve, reject };
    });
    this.#tell({ kind: "layout", run: recorded.run, number, ...wanted });
    this.#within(LIMITS_MS.start);
    const drop = () => this.#drop(number, signal.reason);
    signal.addEventListener("abort", drop);
    return answer.finally(() => {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", drop);
    });
  }

  /**
   * Cancels a request. If the worker is computing it, the worker is terminated. If the worker is still
   * loading, it will skip the request.
   * @param {number} number
   * @param {unknown} reason
   */
  #drop(number, reason) {
    if (this.isReady) this.end(reason);
    else {
      this.#tell({ kind: "drop", number });
      this.#waiting?.reject(reason);
    }
  }

  /**
   * Sends the worker those texts of a run that it does not have yet. If the worker then has too many runs,
   * makes it drop the least recently used run.
   * @param {Recorded} recorded
   */
  send({ run, findings, texts }) {
    if (!this.#runs.has(run)) this.#tell({ kind: "run", run, findings });
    for (const text of texts.slice(this.#runs.get(run) ?? 0)) this.#tell({ kind: "piece", run, text });
    this.#runs.delete(run);
    this.#runs.set(run, texts.length);
    if (this.#runs.size <= MOST_RUNS) return;
    const [oldest = -1] = this.#runs.keys();
    this.#runs.delete(oldest);
    this.#tell({ kind: "forget", run: oldest });
  }

  /**
   * Terminates the worker and rejects the request that is waiting for its result.
   * @param {unknown} error
   */
  end(error) {
    this.isOver = true;
    this.worker.terminate();
    this.#waiting?.reject(error);
  }
}

/** @type {WeakMap<Index["nodes"], Recorded>} */
const recordedOf = new WeakMap();
let count = 0;

/** The texts from which a run was built (its pieces, or its document), and the groups of its graph. */
export class Recorded {
  /** @type {string[]} */
  texts = [];
  /** @type {Map<Measures, Map<FoldedBy, GraphLayout["groups"]>>} */
  groups = new Map();

  /** @param {Finding[]} findings */
  constructor(findings) {
    this.findings = findings;
    count += 1;
    this.run = count;
  }

  /**
   * Adds a text. A trace in several texts is large, so the worker starts to read it while the page still
   * receives it.
   * @param {string} text
   */
  add(text) {
    this.texts.push(text);
    if (this.texts.length > 1 && hasWorkers()) started().send(this);
  }

  /** @param {Index} index of the same run */
  isOf(index) {
    recordedOf.set(index.nodes, this);
  }
}

/** @type {LayoutWorker | undefined} */
let warm;

function started() {
  if (warm === undefined || warm.isOver) warm = new LayoutWorker();
  return warm;
}

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * Sends a request to the worker after all earlier requests are answered.
 * @param {Recorded} recorded
 * @param {Wanted} wanted
 * @param {AbortSignal} signal
 */
function ask(recorded, wanted, signal) {
  const answer = last.then(() => {
    signal.throwIfAborted();
    return started().ask(recorded, wanted, signal);
  });
  last = answer.catch(() => undefined);
  return answer;
}

/** Aborted when another run is laid out that will replace the shown run. */
let replaced = new AbortController();

/** The abort signal for layouts of the shown run. */
export function untilReplaced() {
  return replaced.signal;
}

/** Cancels unfinished layouts of the shown run when another run is about to replace it. */
export function replaceShown() {
  replaced.abort();
  replaced = new AbortController();
}

/**
 * The layout of a run's graph. Null: the open groups do not fit into a picture, or the layout takes too
 * long. Rejects if the signal is aborted.
 * @param {Index} index
 * @param {Measures} measures
 * @param {AbortSignal} signal
 * @param {Folds} [folds]
 * @returns {Promise<GraphLayout | null>}
 */
export async function graphLayout(index, measures, signal, { by = "all", open: chosen } = {}) {
  const recorded = recordedOf.get(index.nodes);
  if (recorded === undefined) throw new Error("Nothing is known of what this run was made from.");
  const [engine] = await Promise.all([loadEngine(), loadStepSentences(), loadDrawing()]);
  if (index.nodes.length <= MOST_ON_PAGE || !hasWorkers()) {
    signal.throwIfAborted();
    return engine.graphLayout(index, { measures, by, chosen });
  }
  try {
    return as(recorded, await ask(recorded, { measures, by, chosen, isFolded: false }, signal), measures);
  } catch (error) {
    if (!(error instanceof TooSlow)) throw error;
    if (chosen !== undefined) return null;
  }
  try {
    const folded = await ask(recorded, { measures, by, chosen: undefined, isFolded: true }, signal);
    return as(recorded, folded, measures);
  } catch (error) {
    if (!(error instanceof TooSlow)) throw error;
    return nothing(measures);
  }
}

/**
 * Replaces the copies of `measures` and of groups in a worker's layout by the equal objects that the page
 * already has. Therefore caches that use these objects as keys still apply.
 * @param {Recorded} recorded
 * @param {GraphLayout | null} layout
 * @param {Measures} measures
 */
function as({ groups }, layout, measures) {
  if (layout === null) return null;
  const kept = groups.get(measures) ?? new Map();
  const before = kept.get(layout.by);
  const same = before?.length === layout.groups.length ? before : layout.groups;
  groups.set(measures, kept.set(layout.by, same));
  return { ...layout, measures, groups: same };
}

/**
 * @param {Measures} measures
 * @returns {GraphLayout}
 */
function nothing(measures) {
  const lists = { boxes: [], edges: [], frames: [], groups: [], homes: [], open: new Set(), kinds: [] };
  return { width: 0, height: 0, ...lists, by: "all", isOverview: true, measures };
}

/** @type {Promise<typeof import("../layout/engine/index.js")> | undefined} */
let loading;
let isLoaded = false;

function loadEngine() {
  loading ??= import("../layout/engine/index.js").then(
    (engine) => {
      isLoaded = true;
      return engine;
    },
    (error) => {
      loading = undefined; // after a failure, the next run loads the engine again
      throw error;
    },
  );
  return loading;
}

function hasWorkers() {
  return !isFile && typeof Worker === "function";
}

/** Whether the layout engine is loaded in the page, and in the worker if one was started. */
export function isWarm() {
  return isLoaded && (warm === undefined || warm.isOver || warm.isReady);
}

/** Loads the layout engine in advance, for the first run. */
export function warmUp() {
  loadEngine().catch(() => undefined); // a run that needs the engine reports the error
  loadStepSentences().catch(() => undefined);
  loadDrawing().catch(() => undefined);
}
