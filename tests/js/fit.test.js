import assert from "node:assert/strict";
import { test } from "node:test";

import { graphWithin } from "../../static/js/layout/arranging.js";
import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { LEAST_SCALE, measuresFor, scaleOf } from "../../static/js/layout/measures.js";
import { indexed } from "./fixtures.js";

const page = { width: 1440, larger: 1 };

test("the memory picture keeps its minimum scale, and a larger text size enlarges the graph", () => {
  assert.equal(scaleOf("memory", { across: 0.7, down: 0.7 }, page), LEAST_SCALE.memory);
  assert.ok(scaleOf("graph", { across: 0.7, down: 0.3 }, { ...page, larger: 1.5, text: 1.5 }) > 1.19);
});

test("a graph that is too wide has its saved tensors below one another", async () => {
  const index = indexed("data");
  const within = (graph) =>
    graphWithin({ measures: measuresFor(1440), graph, both: null, presented: null }, (measures) =>
      graphLayout(index, { measures }),
    );
  const mostBeside = ({ boxes }) =>
    Math.max(
      ...boxes.flatMap(({ pockets }) =>
        pockets.map(({ y }) => pockets.filter((each) => each.y === y).length),
      ),
    );
  const [usual, narrow] = [await within(Infinity), await within(100)];
  assert.equal(mostBeside(usual), 2);
  assert.equal(mostBeside(narrow), 1);
  assert.ok(narrow.width < usual.width);
});
