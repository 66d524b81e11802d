/**
 * Tests of the picture of two shapes that do not match: which dimensions share a column, and which are
 * marked.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { shapeRows } from "../../static/js/lazy/finding/shapes.js";

/**
 * The rows of the picture as text. `≠` is before a marked size, `*` stands for any size, and `-` for a
 * missing dimension.
 */
function drawn(kind, args) {
  return shapeRows({ kind, severity: "error", tick: 0, arguments: { left: "a", right: "b", ...args } }).map(
    ({ cells }) =>
      cells.map((cell) => (cell === null ? "-" : `${cell.differs ? "≠" : ""}${cell.size ?? "*"}`)).join(" "),
  );
}

test("in a product of matrices, the summed dimensions or the batch dimensions are marked", () => {
  const product = (left_shape, right_shape, left_at, right_at) =>
    drawn("matmul_mismatch", { left_shape, right_shape, left_at, right_at, rule: "inner" });
  assert.deepEqual(product("(2, 3)", "(4, 5)", -1, -2), ["2 ≠3", "≠4 5"]);
  assert.deepEqual(product("(2, 3)", "(4,)", -1, -1), ["2 ≠3", "- ≠4"]);
  assert.deepEqual(product("(7, 2, 3)", "(6, 3, 5)", -3, -3), ["≠7 2 3", "≠6 3 5"]);
  assert.deepEqual(product("(2,)", "()", 0, 0), ["2", "-"]);
});

test("operands that broadcast are aligned at their last dimensions, and a 1 or a missing dimension matches", () => {
  const equal = (left_shape, right_shape) =>
    drawn("broadcast_mismatch", { left_shape, right_shape, rule: "equal", at: -1, result: "()" });
  assert.deepEqual(equal("(4, 3)", "(4,)"), ["4 ≠3", "- ≠4"]);
  assert.deepEqual(equal("(5, 1, 3)", "(2, 6, 4)"), ["≠5 1 ≠3", "≠2 6 ≠4"]);
  const into = { left_shape: "(1, 3)", right_shape: "(2, 5, 3)", rule: "in_place", result: "(2, 5, 3)" };
  assert.deepEqual(drawn("broadcast_mismatch", into), ["- ≠1 3", "≠2 ≠5 3"]);
  const loss = { left_shape: "(8, 1)", right_shape: "(8,)", result: "(8, 8)" };
  assert.deepEqual(drawn("loss_broadcast", loss), ["≠8 ≠1", "- ≠8"]);
});

test("joined tensors may differ only in the joined dimension, which is counted from either end", () => {
  const joined = (left_shape, right_shape, rule, dimension) =>
    drawn("join_mismatch", { left_shape, right_shape, rule, dimension });
  assert.deepEqual(joined("(2, 3, 9)", "(5, 4, 9)", "size", 0), ["2 ≠3 9", "5 ≠4 9"]);
  assert.deepEqual(joined("(2, 3)", "(5, 4)", "size", -1), ["≠2 3", "≠5 4"]);
  assert.deepEqual(joined("(2, 3)", "(5, 3)", "stack", 0), ["≠2 3", "≠5 3"]);
  assert.deepEqual(joined("(2, 3)", "(2,)", "count", 0), ["2 ≠3", "2 -"]);
});

test("the input of a layer or a loss is aligned with the accepted shape", () => {
  const layer = (left_shape, rule, at, wanted) =>
    drawn("layer_input", { left_shape, right_shape: "(10, 30)", rule, at, wanted, module: "fc" });
  assert.deepEqual(layer("(32, 20)", "size", -1, 30), ["32 ≠20", "* ≠30"]);
  assert.deepEqual(layer("(8, 28, 28, 3)", "size", 1, 3), ["8 ≠28 28 3", "* ≠3 * *"]);
  assert.deepEqual(layer("(28, 28)", "dimensions", 0, 4), ["- - 28 28", "≠* ≠* * *"]);
  const loss = (left_shape, right_shape, rule) => drawn("loss_target", { left_shape, right_shape, rule });
  assert.deepEqual(loss("(8, 5)", "(7,)", "batch"), ["≠8 5", "≠7 -"]);
  assert.deepEqual(loss("(8, 5)", "(8, 1)", "dimensions"), ["8 5", "8 ≠1"]);
  assert.deepEqual(loss("(8, 1)", "(8,)", "equal"), ["8 ≠1", "8 -"]);
  assert.deepEqual(loss("(8, 5)", "(8,)", "dtype"), [], "its shape is right");
});

test("a requested shape is below the actual shape of the tensor", () => {
  const asked = (left_shape, wanted, rule) => drawn("reshape_mismatch", { left_shape, wanted, rule });
  assert.deepEqual(asked("(2, 3)", "(4, -1)", "rest"), ["2 3", "4 -1"]);
  assert.deepEqual(asked("(3, 1)", "(2, 4, 5)", "expand"), ["- ≠3 1", "2 ≠4 5"]);
  assert.deepEqual(asked("(2, 3)", "(3,)", "fewer"), ["≠2 3", "- 3"]);
});

test("invalid shapes, shapes with many dimensions and other findings are not drawn", () => {
  const long = `(${Array(11).fill(2).join(", ")})`;
  assert.deepEqual(drawn("matmul_mismatch", { left_shape: long, right_shape: "(2,)" }), []);
  assert.deepEqual(
    drawn("reshape_mismatch", { left_shape: "(2, 3)", wanted: "(2, 3, 4…", rule: "count" }),
    [],
  );
  assert.deepEqual(drawn("matmul_mismatch", { left_shape: "()", right_shape: "()" }), []);
  assert.deepEqual(drawn("non_leaf_grad", { left_shape: "(2,)", right_shape: "(2,)" }), []);
  assert.deepEqual(drawn("constructor", {}), []);
});

test("the shape of an initial state is above the shape that its layer accepts", () => {
  const state = (left_shape, wanted) =>
    drawn("hidden_state", { left_shape, right_shape: "(2, 7, 3)", wanted, rule: "batch", module: "lstm" });
  assert.deepEqual(state("(1, 4, 5)", "(1, 2, 5)"), ["1 ≠4 5", "1 ≠2 5"]);
  assert.deepEqual(state("(4, 5)", "(1, 4, 5)"), ["- 4 5", "≠1 4 5"]);
});

test("einsum, attention and gather mark the dimensions of the finding", () => {
  const einsum = (rule, left_at, right_at) =>
    drawn("einsum_mismatch", { rule, left_at, right_at, left_shape: "(2, 3)", right_shape: "(4, 5)" });
  assert.deepEqual(einsum("size", 1, 0), ["2 ≠3", "≠4 5"]);
  assert.deepEqual(einsum("count"), []);
  const attention = { left_shape: "(7, 2, 8)", right_shape: "(2, 6)", at: -1 };
  assert.deepEqual(drawn("attention_mismatch", attention), ["7 2 ≠8", "- 2 ≠6"]);
  const gather = (rule, right_shape, at) =>
    drawn("gather_mismatch", { rule, at, left_shape: "(2, 4)", right_shape });
  assert.deepEqual(gather("larger", "(3, 1)", 0), ["≠2 4", "≠3 1"]);
  assert.deepEqual(gather("count", "(3,)", 0), ["2 ≠4", "3 -"]);
});
