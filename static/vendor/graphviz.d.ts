/** What graphviz.js exports: Graphviz compiled to WebAssembly, which it loads from graphviz.wasm. Needs 'wasm-unsafe-eval' in script-src. */
export { Graphviz } from "@hpcc-js/wasm-graphviz";
export type { Engine, Format, Options } from "@hpcc-js/wasm-graphviz";
