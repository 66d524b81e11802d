/**
 * Tests of the rows that compare wrong with corrected gradients, and of the space reserved before these are
 * known.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { awaitedRows, goesOn, isAboutIt, rowsOf } from "../../static/js/run/values/corrected-gradients.js";
import { isSilentlyWrong } from "../../static/js/run/trials.js";
import { indexed } from "./fixtures.js";

const index = indexed("data");
const needer = index.steps[index.runs[0].statement];
const finding = {
  kind: "silently_wrong_gradient",
  arguments: { effect: "wrong" },
  steps: [0, 1, needer.id],
};
const cells = (...values) => ({ kind: "cells", dtype: "float32", values });
const summary = (min, max, mean) => ({
  kind: "summary",
  dtype: "float32",
  count: 900,
  min,
  max,
  mean,
  nan_count: 0,
  inf_count: 0,
  histogram: [],
  picture: [],
});
const row = (wrong, right, shape = [wrong.values?.length ?? 900], more = {}) =>
  rowsOf(index, [{ tensor: 0, name: "x", is_grad: true, shape, wrong, right, ...more }])[0];

test("rows are reserved for exactly the leaves that the backward reaches", () => {
  const rows = awaitedRows(index, finding);
  const leaves = new Set(
    index.runs
      .map((run) => index.nodes[run.node].variable)
      .filter((leaf) => leaf !== undefined && leaf !== null),
  );
  assert.equal(rows.length, leaves.size);
  assert.ok(rows.length > 0 && rows.every((row) => row.wrong === null && row.right === null && row.is_grad));
  assert.deepEqual(awaitedRows(index, { ...finding, steps: [] }), []);
});

test("small gradients are printed as torch prints them", () => {
  const shown = row(cells(400), cells(4));
  assert.deepEqual([shown.wrong, shown.right, shown.isSame], ["[400.]", "[4.]", false]);
  assert.equal(row(cells(1, 2, 3, 4), cells(1, 2, 3, 5), [2, 2]).wrong, "[[1., 2.], [3., 4.]]");
  assert.equal(row(cells("nan", 1), cells("nan", 1)).isSame, true);
  assert.deepEqual(
    row(
      { kind: "cells", dtype: "complex64", values: [[1, 2]] },
      { kind: "cells", dtype: "complex64", values: [[1, -2]] },
    ).isSame,
    false,
  );
});

test("of many elements, those from the first difference on are shown", () => {
  const values = Array.from({ length: 40 }, (_, place) => place);
  const changed = (at) => cells(...values.slice(0, at), -1, ...values.slice(at + 1));
  const shown = row(cells(...values), changed(20));
  assert.deepEqual([shown.wrong, shown.right], ["[…, 20., 21., 22., …]", "[…, -1., 21., 22., …]"]);
  assert.equal(row(cells(...values), cells(...values)).wrong, "[0., 1., 2., …]");
  assert.equal(row(cells(...values), changed(39)).right, "[…, -1.]");
});

test("of very many elements, minimum, maximum and mean are shown", () => {
  const shown = row(summary(-1, 2, 0.5), summary(-10, 20, 5));
  assert.deepEqual(shown.wrong, { id: "right-summary", args: { min: "-1.", max: "2.", mean: "0.5" } });
  assert.equal(shown.isSame, false);
  assert.equal(row(summary(1, 1, 1), summary(1, 1, 1)).isSame, true);
});

test("a row has the name that the page shows for the leaf", () => {
  assert.equal(
    row(cells(1), cells(2), [1], { name: "\u202eevil" }).name,
    indexed("data").names.find((name) => name.tensor.some(([, id]) => id === 0)).path,
  );
  assert.equal(row(cells(1), cells(2), [1], { tensor: 10_000 }).name, "T10000");
});

test("only a finding about the corrected backward gets its rows, and a later backward is detected", () => {
  const step = finding.steps.at(-1);
  assert.ok(isSilentlyWrong(finding) && !isSilentlyWrong({ ...finding, arguments: { effect: "waits" } }));
  assert.ok(isAboutIt(finding, { kind: "right", step, node: 0, gradients: [] }));
  assert.ok(!isAboutIt(finding, { kind: "right", step: 0, node: 0, gradients: [] }));
  assert.ok(!goesOn(index, { kind: "right", step, node: 0, gradients: [] }));
  assert.ok(goesOn(index, { kind: "right", step: 0, node: 0, gradients: [] }));
});

test("elements with equal printed digits get as many digits as show the difference", () => {
  const shown = row(cells(1, 0.123456, 3), cells(1, 0.123457, 3));
  assert.deepEqual([shown.wrong, shown.right], ["[…, 0.123456, …]", "[…, 0.123457, …]"]);
  const one = row(cells(8.0812e-4), cells(8.0813e-4));
  assert.deepEqual([one.wrong, one.right], ["0.00080812", "0.00080813"]);
});
