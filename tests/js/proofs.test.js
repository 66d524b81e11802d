/**
 * Tests of a lesson's proofs: conditions in Python that the page checks against the trace of a run. A
 * condition about values that the trace does not contain is not confirmed.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isConfirmed, piecesOf, stopOfProof, tensorOfProof } from "../../static/js/lazy/lesson/proofs.js";
import { indexOf } from "../../static/js/run/facts.js";
import { indexed, read } from "./fixtures.js";

const [data, detach, views, loop] = ["data", "detach", "views", "loop"].map(indexed);
const sees = (index, expression, value) => isConfirmed(index, { line: 1, expression, value });

test("a condition about a tensor's values is confirmed to the digits that torch prints", () => {
  assert.ok(sees(data, "w2.grad", "tensor([1.])"));
  assert.ok(sees(data, "w1", "tensor([[2.],\n        [1.]], requires_grad=True)"));
  assert.ok(sees(data, "w1.tolist()", "[[2.0], [1.0]]"));
  assert.ok(sees(data, "d.item()", "1.0"));
  assert.ok(sees(views, "x.grad", "tensor([6., 6., 3., 3.])"));
  for (const [expression, value] of [
    ["w2.grad", "tensor([4.])"],
    ["w2.grad", "tensor(1.)"],
    ["w2.grad", "tensor([1., 1.])"],
    ["w2.grad", "None"],
    ["w1.tolist()", "[2.0, 1.0]"],
    ["w1.item()", "2.0"],
  ]) {
    assert.ok(!sees(data, expression, value), `${expression} ${value}`);
  }
});

test("conditions about properties of a tensor are confirmed", () => {
  for (const [expression, value] of [
    ["d_._version", "1"],
    ["d._version", "0"],
    ["w1.is_leaf", "True"],
    ["d.is_leaf", "False"],
    ["d_.requires_grad", "False"],
    ["d_.grad_fn", "None"],
    ["f.grad_fn.name()", "'MvBackward0'"],
    ["w1.shape", "torch.Size([2, 1])"],
    ["w1.dtype", "torch.float32"],
    ["w1.grad_fn is None", "True"],
    ["d.grad", "None"],
    ["w1.numel()", "2"],
    ["w1.is_inference()", "False"],
  ]) {
    assert.ok(sees(data, expression, value), expression);
    assert.ok(
      !sees(data, expression, value === "True" ? "False" : value === "False" ? "True" : `${value}1`),
      `not ${expression}`,
    );
  }
  assert.ok(sees(views, "row.untyped_storage().nbytes()", "40000"));
  assert.ok(sees(detach, "d._version", "1") && sees(detach, "w2.grad", "None"), "also of a run that raised");
});

test("conditions about equal addresses and identity of two tensors are confirmed", () => {
  assert.ok(sees(data, "d.data_ptr() == d_.data_ptr()", "True"));
  assert.ok(sees(data, "d.data_ptr() == f.data_ptr()", "False"));
  assert.ok(sees(views, "v.data_ptr() == b.data_ptr()", "True"));
  assert.ok(sees(views, "row.data_ptr() == big.data_ptr()", "False"), "another place in one storage");
  assert.ok(
    sees(data, "d is d_", "False") && sees(data, "d is not d_", "True") && sees(data, "d is d", "True"),
  );
  assert.ok(!sees(data, "d.data_ptr() == d_.data_ptr()", "False") && !sees(data, "d is nobody", "False"));
});

test("conditions about a class, an entry of a dict and the value of a variable are confirmed", () => {
  assert.ok(
    sees(loop, "type(x).__name__", "'Tensor'") && sees(loop, "type(model[0].weight).__name__", "'Parameter'"),
  );
  assert.ok(
    !sees(loop, "type(x).__name__", "'Parameter'") && !sees(loop, "type(nobody).__name__", "'undefined'"),
  );
  assert.ok(sees(loop, "opt.param_groups[0]['params'][0] is model[0].weight", "True"));
  const { trace } = read("data");
  const held = (name, value) => ({ id: 0, name, frame: 0, value: [[1, value]] });
  const variables = [
    held("total", { type: "float", text: "14.0" }),
    held("text", { type: "str", text: "'aa…'", length: 900 }),
    held("rows", { kind: "collection", type: "list", text: "[]" }),
  ];
  const index = indexOf({ trace: { ...trace, variables } });
  assert.ok(sees(index, "total", "14.0"));
  assert.ok(
    !sees(index, "total", "14.1") && !sees(index, "text", "'aa…'") && !sees(index, "rows", "[]"),
    "all of it, and a value",
  );
});

test("several conditions are confirmed only if each of them holds", () => {
  assert.ok(sees(data, "d._version, w2.grad", "(0, tensor([1.]))"));
  assert.ok(!sees(data, "d._version, w2.grad", "(0, tensor([4.]))"));
  assert.ok(!sees(data, "d._version, w2.grad, f", "(0, tensor([1.]))"));
  assert.deepEqual(piecesOf("f(a, b)[0, 1], (c, d),"), ["f(a, b)[0, 1]", "(c, d)"]);
});

test("conditions about values that the trace does not record are not confirmed", () => {
  for (const [expression, value] of [
    ["d + 1", "tensor([[2.]])"],
    ["len([d])", "1"],
    ["torch.is_grad_enabled()", "True"],
    ["nobody._version", "0"],
    ["big", "tensor([])"],
    ["w1[0].item()", "2.0"],
    ["", ""],
  ]) {
    assert.ok(!sees(data, expression, value), expression);
    assert.ok(!sees(views, expression, value), expression);
  }
});

test("a proof is shown after the last run of its line, or at the end if the line never ran", () => {
  const line = loop.source.split("\n").findIndex((text) => text.includes("opt.step()")) + 1;
  const k = stopOfProof(loop, { line, expression: "", value: "" });
  assert.equal(loop.stops[k].line, line);
  assert.ok(loop.stops.slice(k + 1).every((stop) => stop.line !== line));
  assert.equal(stopOfProof(loop, { line: 999, expression: "", value: "" }), loop.stops.length - 1);
});

test("the tensor of a proof is found if it exists", () => {
  const last = data.stops.length - 1;
  const names = (expression) =>
    data.names.find((name) => name.tensor.at(-1)[1] === tensorOfProof(data, last, expression))?.path;
  assert.equal(names("d_._version, d._version"), "d_");
  assert.equal(names("len(f.shape)"), "f");
  assert.equal(tensorOfProof(data, last, "torch.is_grad_enabled()"), undefined);
  assert.equal(tensorOfProof(data, 0, "d._version"), undefined, "not yet");
  assert.equal(
    data.tensors[tensorOfProof(data, last, "w2.grad")].id,
    data.tensors.find(({ id }) =>
      data.tensors.some(
        (tensor) =>
          tensor.grad?.at(-1)?.[1] === id &&
          names("w2") &&
          tensor.id === tensorOfProof(data, last, "w2.data"),
      ),
    ).id,
  );
});
