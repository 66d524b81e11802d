/** Lays a graph out with Graphviz, for comparison with the page's own layout. */
import { Graphviz } from "@hpcc-js/wasm-graphviz";

import { assemble, componentsOf } from "../../static/js/layout/engine/place.js";

const graphviz = await Graphviz.load();

/** Graphviz's layout of a graph whose groups are not drawn. */
export function byGraphviz(union, measures) {
  const components = componentsOf(union);
  const placed = components.map((component) =>
    placedBy(component, graphviz.layout(dotOf(component, measures), "json", "dot")),
  );
  return assemble(components, placed, measures);
}

const INCH = 72;

/**
 * A connected component of the graph in the DOT language. Nodes are listed in the order of their creation,
 * which Graphviz keeps if possible.
 */
function dotOf({ parts, lines }, measures) {
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

function inches(px) {
  return (px / INCH).toFixed(4);
}

/**
 * Reads the positions of boxes and edges from Graphviz's JSON output, in which y grows upwards instead of
 * downwards.
 */
function placedBy({ parts, lines }, answer) {
  const graph = JSON.parse(answer);
  const [, , width, height] = numbersOf(graph.bb);
  const flip = (y) => height - y;
  const placed = { width, height, centres: new Map(), routes: new Map(), frames: new Map() };
  for (const object of graph.objects ?? []) {
    const part = parts[Number(object.name.slice(1))];
    const [x, y] = numbersOf(object.pos);
    if (part) placed.centres.set(part.key, [x, flip(y)]);
  }
  const boxes = new Map(parts.map((part) => [part.key, part]));
  for (const edge of graph.edges ?? []) {
    const line = lines[Number(edge.id)];
    const points = edge.pos
      .split(" ")
      .filter((word) => !/^[se],/.test(word))
      .map((point) => {
        const [x, y] = numbersOf(point);
        return [x, flip(y)];
      });
    const [x, y] = points.at(-1);
    const { height: tall, body } = boxes.get(line.to);
    const end = y - (tall - body - 2); // extends the edge to the box itself, above the space for name tags
    placed.routes.set(line.key, [...points, [x, y], [x, end], [x, end]]);
  }
  return placed;
}

function numbersOf(text) {
  return text.split(",").map(Number);
}
