import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "../../static/js/lazy/editing/completion.js";
import { NAMES } from "../../static/js/lazy/editing/torch-names.js";

const SOURCE = `import torch, math
import torch.nn as nn
from torch.nn import functional as F, init
from torch import optim
import numpy as np

model = nn.Linear(2, 1)
w = nn.Parameter(torch.ones(2))
x = torch.ones(2)
`;

const owner = (/** @type {string} */ path) => ownerOf(path, SOURCE);

test("a path is resolved through its imports", () => {
  assert.equal(owner("torch"), "torch");
  assert.equal(owner("torch.nn"), "torch.nn");
  assert.equal(owner("nn"), "torch.nn");
  assert.equal(owner("nn.init"), "torch.nn.init");
  assert.equal(owner("init"), "torch.nn.init");
  assert.equal(owner("F"), "torch.nn.functional");
  assert.equal(owner("optim"), "torch.optim");
  for (const other of ["math", "np", "np.linalg", "torch.backends"])
    assert.equal(NAMES[String(owner(other))], undefined, other);
});

test("usual names need no import, and an import replaces them", () => {
  assert.equal(ownerOf("F", ""), "torch.nn.functional");
  assert.equal(ownerOf("F", "import flask as F"), "flask");
});

test("a path that is neither a module nor an instance of a class counts as a Tensor", () => {
  for (const path of ["x", "w", "x.grad", ")", "self.weight", "unknown"])
    assert.equal(owner(path), "Tensor", path);
  for (const path of ["model", "self", "cls"]) assert.equal(owner(path), null, path);
});

test("a long line takes less than a second", () => {
  const began = performance.now();
  for (const text of [
    `from ${"a.".repeat(50_000)}`,
    `import ${"a as b,".repeat(20_000)}`,
    `x = ${"Aa.".repeat(50_000)}`,
  ])
    ownerOf("x", text);
  assert.ok(performance.now() - began < 1000);
});
