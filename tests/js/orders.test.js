/** Tests of the messages that an embedded player accepts from the page around it: only a theme or a step. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { orderIn } from "../../static/js/lazy/embed/orders.js";

test("a message may contain a theme, a step, or both", () => {
  assert.deepEqual(orderIn({ type: "stepgrad", theme: "dark" }), { theme: "dark" });
  assert.deepEqual(orderIn({ type: "stepgrad", step: 3 }), { step: 3 });
  assert.deepEqual(orderIn({ type: "stepgrad", step: 1, theme: "auto" }), { step: 1, theme: "auto" });
});

test("all other messages are ignored", () => {
  const step = { type: "stepgrad", step: 3 };
  for (const data of [
    ...[null, undefined, 3, "stepgrad", [], [step], () => step, new Map([["type", "stepgrad"]])],
    ...[{}, { type: "stepgrad" }, { step: 3 }, { ...step, type: "Stepgrad" }, { ...step, run: true }],
    ...[0, -1, 1.5, NaN, Infinity, 2 ** 31 + 1, "3", [3], { valueOf: () => 3 }].map((each) => ({
      ...step,
      step: each,
    })),
    ...["red", "", null, 1, ["dark"], { toString: () => "dark" }].map((theme) => ({
      type: "stepgrad",
      theme,
    })),
    Object.create(step),
    Object.assign(Object.create({ type: "stepgrad" }), { step: 3 }),
  ])
    assert.equal(orderIn(data), null);
});
