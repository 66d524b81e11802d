/** Owns the interface to Graphviz: the DOT text of a component, and the places in the answer. Pure. */

/** @import {Union} from "../union-graph.js" */
/** @import {Measures} from "../../run/types.d.ts" */
/** @import {Placed} from "./place.js" */

const INCH = 72;

/**
 * One component as DOT. The order of input is the order of creation, which Graphviz keeps where it can.
 * @param {Union} component
 * @param {Measures} measures
 */
export function dotOf({ parts, lines }, measures) {
  const numbers = new Map(parts.map((part, number) => [part.key, number]));
  const boxes = parts.map(
    (part, number) => `n${number} [width=${inches(part.width)}, height=${inches(part.height)}]`,
  );
  const edges = lines.map(
    (line, number) => `n${numbers.get(line.from)} -> n${numbers.get(line.to)} [id=${number}]`,
  );
  return [
    "digraph {",
    `graph [rankdir=BT, nodesep=${measures.box.across}, ranksep=0.78, splines=true, ordering=out]`,
    'node [shape=box, fixedsize=true, label=""]',
    "edge [arrowhead=none]",
    ...boxes,
    ...edges,
    "}",
  ].join("\n");
}

/** @param {number} px */
function inches(px) {
  return (px / INCH).toFixed(4);
}

/**
 * The places in Graphviz's "json" answer; there y grows upwards, here downwards.
 * @param {Union} component
 * @param {string} answer
 * @returns {Placed}
 */
export function placedBy({ parts, lines }, answer) {
  const graph = JSON.parse(answer);
  const [, , width, height] = numbersOf(graph.bb);
  const flip = (/** @type {number} */ y) => height - y;
  /** @type {Placed} */
  const placed = { width, height, centres: new Map(), routes: new Map(), frames: new Map(), isFinal: false };
  for (const object of graph.objects ?? []) {
    const part = parts[Number(object.name.slice(1))];
    const [x, y] = numbersOf(object.pos);
    if (part) placed.centres.set(part.key, [x, flip(y)]);
  }
  for (const edge of graph.edges ?? []) {
    const line = lines[Number(edge.id)];
    const points = edge.pos.split(" ").filter((/** @type {string} */ word) => !/^[se],/.test(word));
    if (line)
      placed.routes.set(
        line.key,
        points.map((/** @type {string} */ point) => {
          const [x, y] = numbersOf(point);
          return [x, flip(y)];
        }),
      );
  }
  return placed;
}

/**
 * @param {string} text
 * @returns {[number, number, number, number]}
 */
function numbersOf(text) {
  return /** @type {[number, number, number, number]} */ (text.split(",").map(Number));
}
