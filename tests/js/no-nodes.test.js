/** Tests of the message that explains why a run recorded no Node, in both languages. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { whyNoNode } from "../../static/js/run/naming/no-nodes.js";
import { indexed } from "./fixtures.js";
import { LANGUAGES, speaker } from "./spoken.js";

const index = indexed("data");
const asked = (tensors) => whyNoNode({ ...index, nodes: [], tensors });
const without = index.tensors.map((tensor) => ({ ...tensor, requires_grad: [[tensor.born, false]] }));

test("the reasons for no Node are: no tensor, none that requires grad, or one that no operator used", () => {
  const [none, plain, unused] = [asked([]), asked(without), asked(index.tensors)];
  assert.deepEqual(
    [none.why, plain.why, unused],
    ["no-tensor", "none-requires", { why: "not-used", name: "w1" }],
  );
  const first = index.tensors[0].id;
  const unnamed = asked([{ ...index.tensors[0], id: first, requires_grad: [[0, true]] }]);
  for (const language of LANGUAGES) {
    const told = [none, plain, unused, unnamed].map((args) => speaker(language).say("graph-empty", args));
    assert.equal(new Set(told).size, 4);
    assert.match(told[2], /`w1`/);
  }
});
