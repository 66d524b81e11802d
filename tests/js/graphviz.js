/** The page's Graphviz in Node, which streams no WebAssembly from a file: here it has an address. */
import { readFileSync } from "node:fs";

const VENDOR = new URL("../../static/vendor/", import.meta.url);
const ADDRESS = "http://vendor/";

const { fetch } = globalThis;
globalThis.fetch = async (address, options) => {
  if (!String(address).startsWith(ADDRESS)) return fetch(address, options);
  const bytes = readFileSync(new URL(String(address).slice(ADDRESS.length), VENDOR));
  return new Response(bytes, { headers: { "Content-Type": "application/wasm" } });
};

const source = readFileSync(new URL("graphviz.js", VENDOR), "utf8");
const module = source.replaceAll("import.meta.url", JSON.stringify(ADDRESS));
const { Graphviz } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
export const graphviz = await Graphviz.load();
