/** Owns Graphviz in its worker: DOT texts in, their layouts as JSON texts out. */

import { Graphviz } from "../../vendor/graphviz.js";

const loading = Graphviz.load();
loading.then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ error: String(error) }),
);

self.onmessage = async (/** @type {MessageEvent<{number: number, sources: string[]}>} */ { data }) => {
  try {
    const graphviz = await loading;
    const answers = data.sources.map((source) => graphviz.layout(source, "json", "dot"));
    self.postMessage({ number: data.number, answers });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
