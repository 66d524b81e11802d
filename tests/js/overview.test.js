import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { graphLayout, MOST_DRAWN } from "../../static/js/layout/engine/engine.js";
import { linearPlaces } from "../../static/js/layout/engine/linear.js";
import { componentsOf } from "../../static/js/layout/engine/place.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { unionOf } from "../../static/js/layout/union-graph.js";
import { read } from "./fixtures.js";

const MEASURES = measuresFor(1440);

/** A run in which one line makes `count` Nodes. Node n has edges to Nodes n - 1 and n / 2. */
function dense(count) {
  const { header } = read("data").trace;
  const span = { column: 0, end_column: 1 };
  const steps = [
    { id: 0, kind: "statement", began: 1, ended: 2, frame: 0, span: { ...span, line: 1, end_line: 1 } },
    { id: 1, kind: "statement", began: 3, ended: 4, frame: 0, span: { ...span, line: 2, end_line: 2 } },
  ];
  const nodes = Array.from({ length: count }, (_, id) => ({
    id,
    name: "AddBackward0",
    born: 3,
    made_by: 1,
    sequence_nr: id,
    edges: [id - 1, id >> 1].filter((to) => to >= 0 && to < id).map((node) => ({ node, input_nr: 0 })),
    inputs: [],
  }));
  const frames = [{ id: 0, function: "<module>", line: 1, began: 0 }];
  return indexOf({
    trace: { source: "one\nmany\n", header, steps, frames, nodes, ended: { kind: "finished" } },
  });
}

test("too many Nodes of one line are divided into folded groups of thousands and hundreds, without omissions", () => {
  const index = dense(5000);
  const layout = graphLayout(index, { measures: MEASURES });
  assert.ok(layout.isOverview);
  assert.ok(layout.boxes.length <= 60, `${layout.boxes.length} boxes are no overview`);
  const nodes = layout.boxes.flatMap((box) => box.fold?.nodes ?? [box.node]);
  assert.deepEqual(
    nodes.sort((a, b) => a - b),
    index.nodes.map(({ id }) => id),
  );
  for (const { points, key } of layout.edges)
    assert.ok(
      points.every(([, y], at) => at === 0 || y <= points[at - 1][1]),
      `${key} goes down`,
    );
  const top = layout.groups.filter((group) => group.parent === -1);
  assert.deepEqual(top[0].scopes, [{ kind: "part", line: 2, first: 1, last: 1000 }]);
});

test("one such group can be unfolded if it fits; unfolding all of a large graph is refused without a layout", () => {
  const index = dense(8000);
  const { groups } = graphLayout(index, { measures: MEASURES });
  const first = groups.findIndex((group) => group.parent === -1);
  const pieces = groups.filter((group) => group.parent === first).map(({ key }) => key);
  const opened = graphLayout(index, { measures: MEASURES, chosen: new Set([groups[first].key, pieces[0]]) });
  assert.ok(opened.boxes.filter((box) => box.fold === null).length >= 100, "its hundred Nodes are seen");
  const all = new Set(groups.map(({ key }) => key));
  assert.equal(graphLayout(index, { measures: MEASURES, chosen: all }), null);
});

test("edges that cross too many rows are refused before any layout", () => {
  const [component] = componentsOf(unionOf(dense(4000), MEASURES));
  assert.equal(linearPlaces(component, [], MOST_DRAWN.rows), null);
});
