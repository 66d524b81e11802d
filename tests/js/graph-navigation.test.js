import assert from "node:assert/strict";
import { test } from "node:test";

import {
  boxBeside,
  firstBox,
  nodesFoundBy,
  namesFoundBy,
  stopFoundBy,
  storageFoundBy,
} from "../../static/js/layout/graph-navigation.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { indexed, laidOut } from "./fixtures.js";

const index = indexed("data");
const layout = laidOut(index, "layered");
const last = stateAt(index, index.stops.length - 1);
const called = (name) => layout.boxes.find((box) => index.nodes[box.node].name.endsWith(name)).key;
const nameOf = (box) => box && index.nodes[box.node].name;

test("keys move the cursor up along next_functions, down to users, and sideways to inputs of the same user", () => {
  const [top, low] = [called("MmBackward0"), called("MvBackward0")];
  assert.equal(boxBeside(layout, last, low, "up").key, top);
  assert.equal(boxBeside(layout, last, top, "down").key, low);
  assert.equal(boxBeside(layout, last, low, "down"), undefined);
  const [bucket] = layout.boxes.filter(
    (box) => box.shape === "bucket" && layout.edges.some((edge) => edge.from === low && edge.to === box.key),
  );
  const beside = ["left", "right"].map((direction) => boxBeside(layout, last, top, direction)?.key);
  assert.ok(beside.includes(bucket.key) && beside.includes(undefined), "w2's leaf is its only sibling");
  const back = ["left", "right"].map((direction) => boxBeside(layout, last, bucket.key, direction)?.key);
  assert.ok(back.includes(top));
});

test("the cursor does not reach boxes of Nodes that do not exist yet", () => {
  const early = index.stops.findIndex((_, k) =>
    stateAt(index, k).nodes.has(layout.boxes.find((box) => box.key === called("MmBackward0")).node),
  );
  const state = stateAt(index, early);
  assert.equal(boxBeside(layout, state, called("MmBackward0"), "down"), undefined);
  assert.equal(nameOf(firstBox(layout, state)), "MmBackward0");
});

test("the cursor begins at the running Node", () => {
  const k = index.stops.findIndex(
    (stop) => stop.kind === "node" && index.nodes[stop.node].name === "MmBackward0",
  );
  assert.equal(nameOf(firstBox(layout, stateAt(index, k))), "MmBackward0");
});

test("a search finds existing Nodes by name, variable and line", () => {
  const found = (text, state = last) =>
    nodesFoundBy(index, state, text).map((id) => index.nodes[id].name.split("::").at(-1));
  assert.deepEqual(found("mvback"), ["MvBackward0"]);
  assert.deepEqual(found("w2"), ["AccumulateGrad"]);
  assert.deepEqual(found(" "), []);
  assert.deepEqual(found("nothing of the kind"), []);
  const line =
    index.stops[index.stop_of.get(index.nodes.find((node) => node.name === "MvBackward0").made_by)].line;
  assert.ok(
    found(`line ${line}`).includes("MvBackward0") &&
      found(`第 ${line} 行`).includes("MvBackward0") &&
      found(String(line)).includes("MvBackward0"),
  );
  assert.deepEqual(found(`L${line}`), found(`line ${line}`));
  assert.ok(found("aten::mv").includes("MvBackward0"));
  const { id, inputs } = index.nodes.find((node) => node.name === "MmBackward0");
  const [rows, columns] = inputs[0].shape;
  for (const shape of [
    `(${rows}, ${columns})`,
    `${rows}x${columns}`,
    `${rows} × ${columns}`,
    `[${rows},${columns}]`,
  ])
    assert.ok(nodesFoundBy(index, last, shape).includes(id), shape);
  assert.deepEqual(found(`(${rows}, ${columns + 77})`), []);
  const names = (text, state = last) =>
    namesFoundBy(index, state, text).map((name) => index.names[name].path);
  assert.ok(names("w2").includes("w2"));
  assert.deepEqual(names("w2", stateAt(index, 0)), []);
  assert.ok(!found(`line ${line + 1}`).includes("MvBackward0"));
  assert.deepEqual(found("mvback", stateAt(index, 0)), []);
});

test("a search finds an existing storage by its number", () => {
  const born = index.storages.at(-1);
  const before = index.stops.findLastIndex(({ tick }) => tick < born.born);
  assert.equal(storageFoundBy(last, `s${born.id}`), born.id);
  assert.equal(storageFoundBy(last, ` S${born.id} `), born.id);
  assert.equal(storageFoundBy(stateAt(index, before), `S${born.id}`), null);
  for (const text of ["S", "S999", `${born.id}`, `xs${born.id}`])
    assert.equal(storageFoundBy(last, text), null);
});

test("a search finds the next stop at which a name or storage exists, or else the first such stop", () => {
  for (const { path } of index.names) {
    const stop = stopFoundBy(index, path, 0);
    const found = (k) => namesFoundBy(index, stateAt(index, k), path).map((id) => index.names[id].path);
    const first = [...index.stops.keys()].find((k) => found(k).includes(path));
    assert.equal(stop, first, path);
    assert.equal(stopFoundBy(index, ` ${path.toUpperCase()} `, index.stops.length), first);
  }
  const { id, born } = index.storages.at(-1);
  assert.ok(index.stops[stopFoundBy(index, `S${id}`, 0)].tick >= born);
  for (const text of ["", "  ", "zebra", "s999"]) assert.equal(stopFoundBy(index, text, 0), null);
});
