import assert from "node:assert/strict";
import { test } from "node:test";

import { bucketLabel, pocketLabel } from "../../static/js/layout/union-graph.js";
import { tagLines } from "../../static/js/layout/memory-widths.js";
import { indexOf } from "../../static/js/run/facts.js";
import { clipName } from "../../static/js/run/values/format.js";
import { monoWidth } from "../../static/js/run/values/text-width.js";
import { everName, gradName, nameIn, numberedName } from "../../static/js/run/naming/naming.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { read } from "./fixtures.js";

/** A recorded run, whose tables are changed by `change`. */
function renamed(change) {
  const { trace } = read("data");
  const id = (path) => trace.names.find((name) => name.path === path).tensor[0][1];
  return { id, index: indexOf({ trace: { ...trace, ...change(trace, id) } }) };
}

test("tensors that have the same name in turn are numbered, except the one that has it now", () => {
  const { id, index } = renamed(({ names }, id) => ({
    names: names.map((name) => {
      if (name.path === "w1") return { ...name, tensor: [] };
      return name.path === "w2" ? { ...name, tensor: [[1, id("w1")], ...name.tensor] } : name;
    }),
  }));
  const [first, second] = [id("w1"), id("w2")];
  const last = stateAt(index, index.stops.length - 1);
  assert.deepEqual([everName(index, first), everName(index, second)], ["w2", "w2"]);
  assert.deepEqual([numberedName(index, first), numberedName(index, second)], ["w2 (1)", "w2 (2)"]);
  assert.deepEqual([nameIn(index, last, first), nameIn(index, last, second)], ["w2 (1)", "w2"]);
  const [old, now] = [first, second].map((tensor) => ({ name: "self", tensor }));
  assert.deepEqual(
    [old, now].map((saved) => pocketLabel(index, saved, last)),
    ["self = w2 (1)", "self = w2"],
  );
  assert.equal(numberedName(index, id("x")), "x");
});

test("the name of a function's variable ends with the function, also the name of its gradient", () => {
  const { id, index } = renamed(({ frames, names }) => ({
    frames: [...frames, { id: 1, function: "made.<locals>.f", parent: 0, began: 1, line: 1 }],
    names: names.map((name) => (name.path === "w1" ? { ...name, frame: 1 } : name)),
  }));
  const last = stateAt(index, index.stops.length - 1);
  const leaf = id("w1");
  assert.equal(nameIn(index, last, leaf), "w1 · f");
  assert.equal(nameIn(index, last, index.tensors[leaf].grad.at(-1)[1]), "w1.grad · f");
  assert.deepEqual(tagLines(index, "w1.grad · f", 12), ["w1", ".grad · f"]);
  assert.equal(bucketLabel(index, "w1 · f"), "w1.grad · f");
  assert.equal(gradName("w"), "w.grad");
});

test("a shortened name keeps the end of its path, or the variable before its function", () => {
  for (const [text, most, expected] of [
    ["net.fc.weight", 14, "net.fc.weight"],
    ["net.blocks[3].attn.weight", 12, "…attn.weight"],
    ["model.blocks.3.qkv.weight", 20, "…blocks.3.qkv.weight"],
    ["model.bn1.running_mean", 14, "…running_mean"],
    ["net.attention.projection", 14, "…projection"],
    ["opt.param_groups[0]['params'][48]", 12, "…arams'][48]"],
    ["x · Transformer.forward", 12, "x · Tra…ward"],
    ["weight · make_a_model", 14, "weight · ma…el"],
  ]) {
    assert.equal(clipName(text, most), expected);
    assert.ok(monoWidth(clipName(text, most), 10) <= most * 6 + 0.01);
  }
});
