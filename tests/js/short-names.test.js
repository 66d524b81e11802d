import assert from "node:assert/strict";
import { test } from "node:test";

import { shortening } from "../../static/js/run/naming/short-names.js";
import { finished } from "../../static/js/run/slices.js";
import { confusedIn } from "./short-names.js";
import { NAMES, read } from "./fixtures.js";

/** Shortens names to at most `most` characters, as far as they stay distinct from each other. */
function shortened(texts, most) {
  const shorten = finished(shortening(texts));
  return texts.map((text) => shorten(text, most));
}

test("shortening drops parts that other names share, never the part that distinguishes a name", () => {
  for (const [most, names, expected] of [
    [16, ["params['layer3.weight']", "params['layer4.weight']"], ["layer3.weight", "layer4.weight"]],
    [12, ["model.fc1.weight", "model.fc2.weight"], ["fc1.weight", "fc2.weight"]],
    [11, ["net.conv.weight", "net.fc.weight", "x"], ["conv.weight", "fc.weight", "x"]],
    [14, ["a.blocks[0].fc.weight", "a.blocks[1].fc.weight"], ["blocks[0]…weight", "blocks[1]…weight"]],
    [12, ["x (1) · Net.forward", "x (2) · Net.forward"], ["x (1)", "x (2)"]],
    [12, ["x · Net.forward", "x"], ["x · forward", "x"]],
    [12, ["x · Encoder.forward", "x · Decoder.forward", "x"], ["x · Encoder…", "x · Decoder…", "x"]],
    [16, ["weight_of_the_first_layer", "weight_of_the_last_layer"], ["…the_first_layer", "…the_last_layer"]],
    [12, ["fc1.weight", "old.model.fc1.weight"], ["fc1.weight", "old…weight"]],
    [
      12,
      ["encoder", "decoder"].flatMap((part) =>
        ["query", "value"].map(
          (word) => `net.${part}_layer_of_the_model.self_attention_${word}_projection.weight`,
        ),
      ),
      ["encoder…query…weight", "encoder…value…weight", "decoder…query…weight", "decoder…value…weight"],
    ],
    [12, ["data['train'].images", "data['test'].images"], ["['train'].images", "['test'].images"]],
  ])
    assert.deepEqual(shortened(names, most), expected);
});

test("names of any letters stay distinct", () => {
  const long = (/** @type {string} */ middle) => `${"a".repeat(20)}${middle}${"b".repeat(20)}`;
  for (const names of [
    [long("x"), long("y"), long("xy")],
    ["a.b.c.d", "a.b.x.d", "a.x.c.d", "x.b.c.d", "a.b.c.x"].map((name) => `model.${name}.weight`),
    ["权重矩阵的第一部分的参数", "权重矩阵的第二部分的参数"],
  ])
    for (const most of [2, 8, 12, 16]) assert.equal(new Set(shortened(names, most)).size, names.length);
});

test("in the pictures of a run, different names have different short forms, and each fits its tag", () => {
  for (const name of NAMES) assert.deepEqual(confusedIn(read(name)), [], name);
});
