import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { boxesOf, groupContentsAt } from "../../static/js/layout/group-contents.js";
import { AT_FIRST, folded, openAtFirst } from "../../static/js/layout/engine/folding.js";
import { withLevel } from "../../static/js/layout/folds/fold-levels.js";
import { unionOf } from "../../static/js/layout/union-graph.js";
import { groupsOf } from "../../static/js/layout/engine/groups.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { moduleScope } from "../../static/js/layout/engine/modules.js";
import { placesOf } from "../../static/js/layout/engine/closed.js";
import { layeredPlaces } from "../../static/js/layout/engine/layered.js";
import { linearPlaces } from "../../static/js/layout/engine/linear.js";
import { outermostOf } from "../../static/js/layout/engine/nesting.js";
import { assemble, componentsOf } from "../../static/js/layout/engine/place.js";
import { largestGradient } from "../../static/js/stage/gradient-size.js";
import { labelsOf } from "../../static/js/stage/zoomed-labels.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { read } from "./fixtures.js";

const SOURCE = `import torch
def block(x):
    y = x * w
    return y + x
w = torch.ones(1, requires_grad=True)
x = w
for turn in range(N):
    x = block(x)
x.backward()
`;
const MEASURES = measuresFor(1440);

/**
 * A recorded run of SOURCE. Each iteration (round) of the loop calls a function with a product and a sum.
 * After the loop, a backward through all iterations frees their Nodes.
 */
function run(rounds) {
  let tick = 0;
  const now = () => (tick += 1);
  const [steps, frames, nodes, gradients] = [
    [],
    [{ id: 0, function: "<module>", line: 1, began: 0 }],
    [],
    [],
  ];
  const begin = (kind, line, more) => {
    const step = {
      id: steps.length,
      kind,
      began: now(),
      ...(line ? { span: { line, column: 0, end_line: line, end_column: 1 } } : {}),
      ...more,
    };
    steps.push(step);
    return step;
  };
  const end = (step) => (step.ended = now());
  const node = (step, name, edges, more) =>
    nodes.push({
      id: nodes.length,
      name,
      born: now(),
      made_by: step.id,
      sequence_nr: nodes.length,
      edges,
      inputs: [],
      ...more,
    }) - 1;
  const leaf = node(begin("statement", 5, { frame: 0 }), "torch::autograd::AccumulateGrad", [], {
    variable: 0,
  });
  end(steps[0]);
  let last = leaf;
  for (let round = 0; round < rounds; round += 1) {
    end(begin("statement", 7, { frame: 0 }));
    const outer = begin("statement", 8, { frame: 0 });
    const frame = frames.push({ id: frames.length, function: "block", line: 2, parent: 0, began: now() }) - 1;
    const call = begin("call", 2, { frame, parent: outer.id, name: "block" });
    const first = begin("statement", 3, { frame, parent: call.id });
    const product = node(first, "MulBackward0", [
      { node: last, input_nr: 0 },
      { node: leaf, input_nr: 0 },
    ]);
    end(first);
    const second = begin("statement", 4, { frame, parent: call.id });
    last = node(second, "AddBackward0", [
      { node: product, input_nr: 0 },
      { node: last, input_nr: 0 },
    ]);
    [second, call, outer].forEach(end);
    frames[frame].ended = tick;
  }
  end(begin("statement", 7, { frame: 0 }));
  const backward = begin("statement", 9, { frame: 0 });
  for (const node of [...nodes].reverse()) {
    const step = begin("node", 0, { parent: backward.id, node: node.id });
    for (const [edge, { node: to }] of node.edges.entries())
      gradients.push({
        id: gradients.length,
        tick: now(),
        step: step.id,
        node: node.id,
        edge,
        to,
        input_nr: 0,
        shape: [],
        value: { kind: "cells", dtype: "float32", values: [1] },
      });
    end(step);
    if (node.id !== leaf) node.freed = tick;
  }
  end(backward);
  frames[0].ended = tick;
  return indexOf({
    trace: {
      source: SOURCE,
      header: read("data").trace.header,
      steps,
      frames,
      nodes,
      gradients,
      ended: { kind: "finished" },
    },
  });
}

function grouped(index) {
  const union = unionOf(index, MEASURES);
  const grouping = groupsOf(index, union);
  return { union, grouping, open: openAtFirst(union, grouping, []) };
}

function laidOut(index, open, lay = linearPlaces) {
  const { union, grouping } = grouped(index);
  const { groups } = grouping;
  const components = componentsOf(folded(union, grouping, open), outermostOf(groups));
  return assemble(
    components,
    components.map((component) => placesOf(component, groups, MEASURES, lay)),
    MEASURES,
    { groups, open },
  );
}

const countOf = (parts) => parts.filter((part) => part.shape !== "none").length;

test("a small graph has no groups", () => {
  assert.deepEqual(grouped(run(5)).grouping.groups, []);
});

test("the group of an iteration that only calls a function is merged with the group of the call", () => {
  const { groups } = grouped(run(20)).grouping;
  assert.equal(groups.length, 20);
  assert.deepEqual(groups[2].scopes, [
    { kind: "round", line: 7, round: 3 },
    { kind: "call", name: "block" },
  ]);
  assert.deepEqual(
    groups.map((group) => group.parent),
    Array(20).fill(-1),
  );
});

test("a module is a group in each iteration that calls it, with a forward of the snippet or of torch", () => {
  for (const name of ["block", "Net.forward"]) {
    const index = run(20);
    index.modules.push({ id: 0, type: "Net", name: "net" }, { id: 1, type: "Linear", name: "0", parent: 0 });
    for (const node of index.nodes) if (node.variable === undefined) node.module = 0;
    for (const frame of index.frames) if (frame.id !== 0) frame.function = name;
    const { groups } = grouped(index).grouping;
    assert.equal(groups.length, 20);
    const kinds = (by) => groupsOf(index, unionOf(index, MEASURES), by).groups.map(({ scopes }) => scopes);
    assert.deepEqual(kinds("module"), Array(20).fill([{ kind: "module", name: "net" }]));
    assert.deepEqual(kinds("call"), Array(20).fill([{ kind: "call", name }]));
    assert.deepEqual(kinds("round")[19], [{ kind: "round", line: 7, round: 20 }]);
    for (const [round, { scopes }] of groups.entries()) {
      assert.deepEqual(scopes, [
        { kind: "round", line: 7, round: round + 1 },
        { kind: "call", name },
        { kind: "module", name: "net" },
      ]);
    }
    assert.deepEqual(moduleScope(index, 1), { kind: "module", name: "(0) Linear" });
  }
});

test("iterations of a long loop are grouped in tens and hundreds", () => {
  const { groups } = grouped(run(400)).grouping;
  const hundreds = groups.filter((group) => group.parent === -1);
  assert.deepEqual(
    hundreds.map((group) => group.scopes[0]),
    [0, 1, 2, 3].map((at) => ({ kind: "rounds", line: 7, first: 100 * at + 1, last: 100 * at + 100 })),
  );
  const tens = groups.filter((group) => groups[group.parent]?.parent === -1);
  assert.equal(tens.length, 40);
  assert.equal(groups.length, 444);
});

test("a graph opens at the level that fits, and equal groups are all open or all folded", () => {
  for (const rounds of [20, 60, 150, 400, 1500]) {
    const { union, grouping, open } = grouped(run(rounds));
    const { parts } = folded(union, grouping, open);
    assert.ok(
      countOf(parts) <= 1 + AT_FIRST.boxes && countOf(parts) >= AT_FIRST.few,
      `${rounds} rounds: ${countOf(parts)} boxes`,
    );
    const levels = new Map();
    for (const { key, scopes } of grouping.groups) {
      const level = `${scopes[0].kind} ${scopes[0].last - scopes[0].first}`;
      levels.set(level, (levels.get(level) ?? new Set()).add(open.has(key)));
    }
    for (const [level, looks] of levels) assert.equal(looks.size, 1, `${rounds} rounds: ${level}`);
  }
});

test("unfolding a level unfolds the outermost folded groups; folding a level folds the innermost unfolded ones", () => {
  const { union, grouping } = grouped(run(400));
  const counts = [];
  let open = new Set();
  for (const direction of [1, 1, 1, 1, -1, -1, -1, -1]) {
    open = withLevel(grouping.groups, open, direction);
    counts.push(folded(union, grouping, open).parts.filter((part) => part.fold !== null).length);
  }
  assert.deepEqual(counts, [40, 400, 0, 0, 400, 40, 4, 4]);
  const [first] = grouping.groups;
  open = withLevel(grouping.groups, new Set([first.key]), 1);
  assert.ok(!grouping.groups.some(({ key, parent }) => open.has(key) && parent >= 0));
});

test("the groups around the Nodes of a finding are open", () => {
  const { union, grouping } = grouped(run(1500));
  const { parts } = folded(union, grouping, openAtFirst(union, grouping, [1333]));
  assert.ok(parts.some((part) => part.key === "1333"));
});

test("folding hides only the Nodes and edges inside a group", () => {
  const { union, grouping, open } = grouped(run(400));
  for (const chosen of [open, new Set(), new Set(grouping.groups.map((group) => group.key))]) {
    const { parts, lines } = folded(union, grouping, chosen);
    const nodes = parts.flatMap((part) =>
      part.fold ? [...part.fold.nodes] : part.shape === "none" ? [] : [part.node],
    );
    assert.deepEqual(
      [...new Set(nodes)].sort((a, b) => a - b),
      union.parts
        .map((part) => part.node)
        .filter((node, at, all) => all.indexOf(node) === at)
        .sort((a, b) => a - b),
    );
    const keys = new Set(parts.map((part) => part.key));
    for (const line of lines) assert.ok(keys.has(line.from) && keys.has(line.to) && line.from !== line.to);
    assert.equal(new Set(lines.map((line) => line.key)).size, lines.length);
  }
});

test("boxes do not overlap, edges lead up, groups have separate frames, and a layout is reproducible", () => {
  const cases = [
    [run(150), linearPlaces],
    [run(20), (component, groups) => layeredPlaces(component, MEASURES, groups)],
  ];
  for (const [index, lay] of cases)
    for (const chosen of [
      grouped(index).open,
      new Set(),
      new Set(grouped(index).grouping.groups.map(({ key }) => key)),
    ])
      check(index, chosen, lay);

  function check(index, chosen, lay) {
    const layout = laidOut(index, chosen, lay);
    const { boxes, edges, frames } = layout;
    const meets = (a, b) =>
      a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    for (const [at, a] of boxes.entries())
      for (const b of boxes.slice(at + 1)) assert.ok(!meets(a, b), `${a.key} and ${b.key}`);
    for (const { points, key } of edges)
      assert.ok(
        points.every(([, y], at) => at === 0 || y <= points[at - 1][1]),
        `${key} goes down`,
      );
    for (const { key, points, from, to } of edges) {
      const others = boxes.filter((box) => box.key !== from && box.key !== to);
      for (let at = 0; at < points.length; at += 3)
        assert.ok(
          !others.some(
            (box) =>
              points[at][0] > box.x &&
              points[at][0] < box.x + box.width &&
              points[at][1] > box.y &&
              points[at][1] < box.y + box.height,
          ),
          `${key} runs behind a box`,
        );
    }
    assert.equal(
      frames.length,
      chosen.size === 0 ? 0 : new Set(boxes.flatMap((box) => around(layout.groups, box.around))).size,
    );
    for (const frame of frames)
      for (const box of boxes)
        assert.equal(
          meets(frame, box),
          around(layout.groups, box.around).includes(frame.group),
          `${box.key} and its frame`,
        );
    for (const box of [...boxes, ...frames])
      assert.ok(
        box.x >= 0 && box.y >= 0 && box.x + box.width <= layout.width && box.y + box.height <= layout.height,
      );
    assert.deepEqual(laidOut(index, chosen, lay), layout);
  }
});

function around(groups, innermost) {
  const found = [];
  for (let group = innermost; group >= 0; group = groups[group].parent) found.push(group);
  return found;
}

test("the linear layout takes linear time", () => {
  const timed = (rounds) => {
    const { union, grouping } = grouped(run(rounds));
    const [component] = componentsOf(
      folded(union, grouping, new Set(grouping.groups.map((group) => group.key))),
      outermostOf(grouping.groups),
    );
    const once = () => {
      const began = process.cpuUsage();
      linearPlaces(component, grouping.groups);
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    // The fastest of several measurements, because compilation and garbage collection make single ones
    // slower.
    return Math.min(...Array.from({ length: 5 }, once));
  };
  const [many, few] = [timed(8000), timed(200)];
  assert.ok(
    many < 500 * few,
    `40 times the Nodes: ${many} µs after ${few} µs; each pair of them would be 1,600 times`,
  );
});

test("the box of a folded group shows how many of its Nodes are recorded, have run and are freed", () => {
  const index = run(20);
  const layout = laidOut(index, new Set());
  const box = boxesOf(layout, 5)[0];
  assert.deepEqual(box.fold.nodes, [0, 5, 6]);
  const contentsByStop = index.stops.map((_, k) => groupContentsAt(index, stateAt(index, k), box.fold));
  const at = (is) => contentsByStop.findIndex(is);
  assert.deepEqual(contentsByStop[at((contents) => contents.count === 3)], {
    count: 3,
    ran: 0,
    active: false,
    is_new: true,
    freed: false,
    stale: false,
  });
  assert.deepEqual(contentsByStop[at((contents) => contents.ran === 1)], {
    count: 3,
    ran: 1,
    active: true,
    is_new: false,
    freed: false,
    stale: false,
  });
  assert.deepEqual(contentsByStop.at(-1), {
    count: 3,
    ran: 3,
    active: false,
    is_new: false,
    freed: true,
    stale: false,
  });
  const active = contentsByStop
    .map((contents, k) => (contents.active ? index.stops[k].node : null))
    .filter((node) => node !== null);
  assert.deepEqual(
    active,
    [6, 5, 0],
    "its own Nodes, and the shared AccumulateGrad to which it sent a gradient",
  );
});

test("at a small scale, labels keep their size on the screen and hide neither each other nor a box", () => {
  const index = run(60);
  const say = (id, args = {}) => `${id} ${Object.values(args).join(" ")}`;
  const meets = (a, b) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  for (const open of [new Set(), new Set(["rounds0.0.10"])]) {
    const layout = laidOut(index, open);
    for (const scale of [0.6, 0.3, 0.1]) {
      const labels = labelsOf({ index, layout, scale, spare: 200 / scale, say });
      assert.ok(labels.length >= 6);
      for (const [at, label] of labels.entries()) {
        assert.equal(Math.round(label.size * scale * 10), 125);
        for (const other of labels.slice(at + 1))
          assert.ok(!meets(label, other), `${label.text}, ${other.text}`);
        for (const box of layout.boxes)
          assert.ok(box.key === label.key || !meets(label, { ...box, height: box.body }), label.text);
      }
    }
  }
});

test("a folded group shows the size of the gradients that reached it", () => {
  const index = run(20);
  const layout = laidOut(index, new Set());
  const [box] = boxesOf(layout, 5);
  const sizes = index.stops.map((_, k) => largestGradient(layout, stateAt(index, k), box));
  assert.equal(
    sizes.indexOf("1."),
    index.stops.findIndex(({ node }) => node === 8),
  );
  assert.ok(!sizes.slice(0, sizes.indexOf("1.")).some((size) => size !== ""));
});
