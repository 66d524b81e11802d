/** Owns Graphviz: a worker that is thrown away when it does not answer in time. */

/** How long Graphviz may take to lay out, and to begin at all. */
const LIMITS_MS = { layout: 1500, start: 8000 };

/** @typedef {{resolve: (answers: string[]) => void, reject: (error: unknown) => void}} Waiting */

/** A worker with Graphviz, and the requests that wait for its answers. */
class Graphviz {
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  #asked = 0;
  isOver = false;
  isReady = false;

  get isBusy() {
    return this.#waiting.size > 0;
  }

  constructor() {
    this.worker = new Worker(new URL("./graphviz.worker.js", import.meta.url), { type: "module" });
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
export function isReady() {
  return warm?.isReady === true && !warm.isOver;
}

/** Ends Graphviz where it lays out what nobody waits for any more, and starts it anew. */
export function freeGraphviz() {
  if (warm === undefined || !warm.isBusy) return;
  warm.end(new Error("No longer wanted."));
  startGraphviz();
}

/** Starts to load Graphviz, so that the first run finds it ready. */
export function startGraphviz() {
  if (warm === undefined || warm.isOver) warm = new Graphviz();
  return warm;
}

/**
 * The layouts of DOT texts, as Graphviz writes them in JSON. It throws where Graphviz does not answer in
 * time.
 * @param {string[]} sources
 * @returns {Promise<string[]>}
 */
export async function layOut(sources) {
  const graphviz = startGraphviz();
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
