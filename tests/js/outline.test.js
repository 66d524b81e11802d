import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { graphOutline } from "../../static/js/lazy/text-view/graph-outline.js";
import { memoryOutline } from "../../static/js/lazy/text-view/memory-outline.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { FluentBundle, FluentResource } from "../../static/vendor/fluent.js";
import { indexed, laidOut, NAMES } from "./fixtures.js";

const bundles = ["en", "zh-CN"].map((tag) => {
  const bundle = new FluentBundle(tag, { useIsolating: false });
  for (const file of ["page", "run/text", "run/pictures"]) {
    const text = readFileSync(new URL(`../../app/words/${tag}/${file}.ftl`, import.meta.url), "utf8");
    assert.deepEqual(bundle.addResource(new FluentResource(text)), []);
  }
  return bundle;
});

function linesOf(items, bundle = bundles[0]) {
  return items.flatMap(({ parts, children }) => {
    const said = parts.map(({ id, args }) => {
      const errors = [];
      const pattern = bundle.getMessage(id)?.value;
      assert.ok(pattern, `${id} is a message`);
      const text = bundle.formatPattern(pattern, args, errors);
      assert.deepEqual(errors, [], `${id} has all that it needs`);
      return text;
    });
    return [said.join(" "), ...linesOf(children, bundle).map((line) => `- ${line}`)];
  });
}

const outlines = (index, k) => {
  const state = stateAt(index, k);
  return {
    memory: memoryOutline(index, memoryLayout(index, measuresFor(1440)), state, true).items,
    graph: graphOutline(index, laidOut(index, "linear"), state, true).items,
  };
};

test("the text view of `.data` names the shared storage, its tensors, their counters, and stale saved tensors", () => {
  const index = indexed("data");
  const { memory, graph } = outlines(index, 7);
  const lines = linesOf(memory);
  const at = lines.findIndex((line) => line.startsWith("Storage `S3`"));
  assert.equal(
    lines[at],
    "Storage `S3`: 4 B. float32 values `1.`. Written in this step; before: `4.`. 2 tensors share it: `d`, `d_`.",
  );
  assert.match(
    lines[at + 1],
    /^- `d`, a Tensor: shape \(1, 1\), stride \(1, 1\), storage offset 0, float32\. Its value is \[\[1\.\]\]\. Its grad_fn is `MmBackward0`\. Version counter at `v0`\.$/,
  );
  assert.match(
    lines[at + 2],
    /^- `d_`, .* It does not require grad\. Version counter went to `v1` in this step\.$/,
  );
  assert.ok(
    linesOf(graph).includes("- Saved `self = d` in `S3` at version `v0`: stale: written since it was saved."),
    linesOf(graph).join("\n"),
  );
});

test("the text view of a backward names sent gradients, Nodes that ran, freed saved tensors, and a new grad", () => {
  const index = indexed("data");
  const lines = linesOf(outlines(index, 9).graph).join("\n");
  assert.match(
    lines,
    /`MvBackward0`, recorded on line 7\. The grad_fn of `f`\. It has run in this backward\./,
  );
  assert.match(lines, /- Received the gradient `\[1\.\]`, where backward began\./);
  assert.match(lines, /- Sent the gradient `\[1\.\]` to `AccumulateGrad` \(`w2`\)\./);
  assert.match(lines, /- Saved `self = d` in `S3` at version `v0`: stale when its Node ran, then freed\./);
  assert.match(
    lines,
    /`AccumulateGrad` \(`w2`\), .* Its grad is `\[1\.\]` in `S\d+`\. It runs in this step\./,
  );
});

test("the text view of views names shape, stride, offset, base and values", () => {
  const index = indexed("views");
  const lines = linesOf(outlines(index, index.stops.length - 1).memory).join("\n");
  assert.match(
    lines,
    /`v`, a Tensor: .* Its value is \[6\., 6\.\]\. .* The counter is shared with `b`\. A view of `b`\./,
  );
  assert.match(
    lines,
    /`row`, a Tensor: shape \(100,\), stride \(1,\), storage offset 300, .* A view of a tensor without a name\./,
  );
  assert.match(lines, /10,000 float32 values from 0\. to 9999\., mean 4999\.5\./);
});

test("every sentence of every step has a message in both languages, and no item occurs twice", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    for (const k of index.stops.keys()) {
      const { memory, graph } = outlines(index, k);
      for (const items of [memory, graph]) {
        assert.equal(new Set(items.map((item) => item.key)).size, items.length);
        for (const bundle of bundles) linesOf(items, bundle);
      }
    }
  }
});

test("a long list is cut, but contains what the step changed", () => {
  const index = indexed("data");
  const layout = memoryLayout(index, measuresFor(1440));
  const many = { ...layout, rows: Array.from({ length: 30 }, () => layout.rows).flat() };
  const state = stateAt(index, 7);
  const whole = memoryOutline(index, many, state, true);
  const short = memoryOutline(index, many, state, false);
  assert.equal(whole.others, 0);
  assert.equal(short.items.length, 30, "one storage was written");
  assert.ok(short.items.every((item) => item.isFresh));
  assert.equal(short.items.length + short.others, whole.items.length);
  assert.deepEqual(
    short.items,
    whole.items.filter((item) => item.isFresh),
  );
});
