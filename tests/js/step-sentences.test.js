import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { rowIn } from "../../static/js/words/sentence.js";
import { indexed, read } from "./fixtures.js";
import { speaker, sentencesAt } from "./spoken.js";

const [english, chinese] = ["en", "zh-CN"].map(speaker);
const heard = (index, k, { tell } = english) =>
  sentencesAt(index, k).map((sentence) => tell(sentence).replaceAll("]\u2060", "]"));

test("a new leaf and a new result have sentences, with the tensors that autograd saved", () => {
  const index = indexed("data");
  assert.deepEqual(heard(index, 2), [
    "`w1` is a new tensor of shape (2, 1), a leaf that requires grad, with its own storage `S1`.",
  ]);
  assert.deepEqual(heard(index, 6), [
    "`f` is a new tensor of shape (1,) with its own storage `S4`.",
    "Autograd recorded `MvBackward0`, which saved `self = d` at `v0` and `vec = w2` at `v0` for backward.",
  ]);
});

test("a write has sentences about the tensors that read it, and about the counter that did not move", () => {
  const index = indexed("data");
  assert.deepEqual(heard(index, 5), [
    "`d_` is a new tensor of shape (1, 1): it shares storage `S3` with `d`.",
    "But `d_` has its own version counter: a write to it does not increment the counter of `d`.",
  ]);
  assert.deepEqual(heard(index, 7), [
    "`aten::fill_` wrote into storage `S3` through `d_`: `[4.]` became `[1.]`.",
    "`d` also uses `S3`, so it is now `[[1.]]`.",
    "The version counter of `d_` went from `v0` to `v1`.",
    "The version counter of `d` is still at `v0`: the write went through `d_`, which has its own counter.",
    "What `MvBackward0` of line 7 saved as `self = d` is now stale: its bytes changed but its version counter did not, so torch will not detect it.",
  ]);
});

test("of several other tensors in a written storage, those that see the change have a sentence", () => {
  const { trace } = read("views");
  const { tensor: since } = trace.names.find((name) => name.path === "v");
  const seen = trace.tensors[since[0][1]];
  const id = trace.tensors.length;
  const unseen = {
    ...seen,
    id,
    geometry: seen.geometry.map(([tick, geometry]) => [tick, { ...geometry, storage_offset: 2 }]),
  };
  const rest = { id: trace.names.length, path: "rest", frame: 0, tensor: [[since[0][0], id]] };
  const index = indexOf({
    trace: { ...trace, tensors: [...trace.tensors, unseen], names: [...trace.names, rest] },
  });
  assert.equal(heard(index, 4)[1], "`v` and `rest` also use `S1`, so their values changed too.");
  assert.equal(heard(index, 5)[1], "`b` also uses `S1`, so its values changed too.");
});

test("a Node has sentences about received, sent and freed values, and backward about its overall effect", () => {
  const index = indexed("data");
  assert.deepEqual(heard(index, 8), [
    "`MvBackward0` of line 7 received the gradient `[1.]`.",
    "It sent the gradient `[[3.]]` to `MmBackward0` of line 5.",
    "It sent the gradient `[1.]` to the `AccumulateGrad` of `w2`.",
    "Its saved tensors were freed: `self = d` and `vec = w2`.",
  ]);
  assert.deepEqual(heard(index, 9), [
    "The `AccumulateGrad` of `w2` received the gradient `[1.]`.",
    "`w2.grad` was created: `[1.]` in storage `S8`.",
  ]);
  assert.deepEqual(heard(index, 12), [
    "Backward is complete: 4 Nodes ran, and gradients reached `w2` and `w1`.",
    "`w1.grad` was created: `[[3.], [6.]]` in storage `S9`.",
    "`w2.grad` was created: `[1.]` in storage `S8`.",
  ]);
});

test("a Node receives all gradients that reached it since it last ran", () => {
  const { trace } = read("data");
  const index = indexOf({ trace });
  const k = index.stops.findIndex((stop) => stop.mark === "accumulate");
  const last = trace.gradients.findLast((gradient) => gradient.to === index.stops[k].step.node);
  const twice = indexOf({
    trace: { ...trace, gradients: [...trace.gradients, { ...last, id: trace.gradients.length }] },
  });
  assert.match(heard(index, k)[0], /received the gradient `\[1\.\]`\.$/);
  assert.match(heard(twice, k)[0], /received the sum of the gradients `\[1\.\]` and `\[1\.\]`\.$/);
});

test("a tensor whose name is now bound to another tensor is called by its former name", () => {
  const { trace } = read("data");
  const other = trace.names.find((name) => name.path === "x").tensor[0][1];
  const names = trace.names.map((name) =>
    name.path === "w2" ? { ...name, tensor: [...name.tensor, [40, other]] } : name,
  );
  const index = indexOf({ trace: { ...trace, names } });
  const k = index.stops.findIndex((stop) => stop.mark === "accumulate");
  assert.equal(
    heard(index, k)[0],
    "The `AccumulateGrad` of the tensor formerly called `w2` received the gradient `[1.]`.",
  );
  assert.equal(heard(index, k, chinese)[0], "原先叫 `w2` 的张量的 `AccumulateGrad` 收到梯度 `[1.]`。");
});

test("training has sentences about variables, modules of Nodes, output, and writes of the optimizer", () => {
  const { trace } = read("loop");
  const rounds = trace.steps.filter((step) => step.kind === "statement" && step.span?.line === 7);
  const value = rounds.map((step, round) => [step.ended, { type: "int", text: String(round) }]);
  const modules = [
    { id: 0, type: "Sequential", name: "model" },
    { id: 1, type: "Linear", parent: 0, name: "0" },
  ];
  const nodes = trace.nodes.map((node) => (node.name === "AddmmBackward0" ? { ...node, module: 1 } : node));
  const index = indexOf({
    trace: { ...trace, nodes, modules, variables: [{ id: 0, name: "epoch", frame: 0, value }] },
  });
  const all = index.stops.flatMap((_, k) => heard(index, k)).join("\n");
  assert.match(all, /`epoch` is now `1`\./);
  assert.match(
    all,
    /Autograd recorded `AddmmBackward0` in the module `model\.0`, which saved `mat1 = x` at `v0`/,
  );
  assert.match(all, /It printed `0 \d/);
  assert.match(all, /`model\[0\]\.weight\.grad` was set to `None`\./);
  assert.match(all, /The version counter of `model\[0\]\.bias` went from `v\d+` to `v\d+`\./);
});

test("text of the snippet is never formatted as markup", () => {
  const { trace } = read("data");
  const outputs = [{ id: 0, tick: trace.steps[0].ended, stream: "stdout", text: "`S4` and { $name }\n" }];
  const index = indexOf({ trace: { ...trace, outputs } });
  assert.equal(heard(index, 0).at(-1), "It printed ``\u2060S4`\u2060 and { $name }`.");
});

test("a sentence says that the time of native output is unknown", () => {
  const { trace } = read("data");
  const outputs = [
    { id: 0, tick: trace.steps[0].ended, stream: "stdout", text: "one\n" },
    { id: 1, tick: trace.steps[0].ended, stream: "stdout", text: "two\n", category: "native" },
  ];
  const index = indexOf({ trace: { ...trace, outputs } });
  assert.deepEqual(heard(index, 0).slice(-2), [
    "It printed `one`.",
    "Native code wrote this text during the run. It is not known when, nor whether to stdout or stderr.",
  ]);
});

test("lists are written in the notation of each language", () => {
  assert.equal(rowIn("en", ["a", "b", "c"]), "a, b and c");
  assert.equal(rowIn("zh-CN", ["`a`", "`总和`"]), "`a` 和 `总和`");
});

test("the sentences of a step need no steps before it", () => {
  const index = indexed("loop");
  const k = index.stops.length - 1;
  assert.deepEqual(sentencesAt(index, k), sentencesAt(indexOf(read("loop")), k));
  assert.ok(stateAt(index, k).is_last);
});

test("a tensor with another storage and a tensor that no longer requires grad have sentences", () => {
  const { trace } = read("data");
  const k = 7;
  const tick = indexOf({ trace }).stops[k].step.ended;
  const other = trace.tensors.find(
    (tensor) => tensor.id === trace.names.find((name) => name.path === "x").tensor[0][1],
  );
  const leads = (path) => trace.names.find((name) => name.path === path).tensor[0][1];
  const [moved, freed] = [leads("w1"), leads("w2")];
  const tensors = trace.tensors.map((tensor) => {
    if (tensor.id === moved)
      return { ...tensor, geometry: [...tensor.geometry, [tick, other.geometry[0][1]]] };
    return tensor.id === freed
      ? { ...tensor, requires_grad: [...tensor.requires_grad, [tick, false]] }
      : tensor;
  });
  const index = indexOf({ trace: { ...trace, tensors } });
  const expected = ["`w1` now uses storage `S0` instead of `S1`.", "`w2` no longer requires grad."];
  assert.deepEqual(
    heard(index, k).filter((sentence) => expected.includes(sentence)),
    expected,
  );
  assert.ok(heard(index, k, chinese).includes("`w1` 现在使用存储 `S0`，不再使用 `S1`。"));
});
