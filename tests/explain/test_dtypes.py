"""Exceptions about dtypes: findings name the tensors in torch's message. If torch accepts the dtypes of a program, there are
no findings about dtypes.
"""

import itertools
import re

import pytest

from app.explain import explain
from app.words import LANGUAGES, sentence
from tests.explain.recorded import record

BEGUN = """import torch
import torch.nn as nn
import torch.nn.functional as F
a = torch.ones(3, 3, dtype=torch.{a})
b = torch.ones(3, 3, dtype=torch.{b})
i = torch.zeros(2, dtype=torch.{b})
layer = nn.{layer}
"""
DTYPES = ["float32", "float64", "int64", "int32", "uint8", "bool", "bfloat16"]
KINDS = {"dtype_mismatch", "dtype_refused", "integer_leaf", "loss_target", "narrow_write"}
OPERATIONS = [
    "a @ b",
    "torch.mm(a, b)",
    "torch.einsum('ij,jk->ik', a, b)",
    "a[i]",
    "a[torch.zeros(1, dtype=torch.long)] = b[:1]",
    "a[b > 0] = b.flatten()",
    "a.index_select(0, i)",
    "a.gather(0, b)",
    "a.scatter_add(0, torch.zeros(3, 3, dtype=torch.long), b)",
    "a - b",
    "-b",
    "~b",
    "a & b",
    "b.mean()",
    "torch.softmax(b, 0)",
    "F.gelu(b)",
    "a.masked_fill(b, 0)",
    "torch.where(b, a, a)",
    "F.one_hot(i)",
    "F.embedding(i, a)",
    "F.binary_cross_entropy(a, b)",
    "b.requires_grad_()",
    "nn.Parameter(b)",
]
LAYERS = [
    "Linear(3, 2)",
    "Conv1d(3, 2, 1)",
    "BatchNorm1d(3)",
    "LayerNorm(3)",
    "GRU(3, 2)",
    "GRUCell(3, 2)",
    "Embedding(4, 2)",
    "RMSNorm(3)",
]


@pytest.mark.parametrize("every", [29, pytest.param(2, marks=pytest.mark.long)])
def test_a_dtype_is_told_where_torch_raises_for_it_and_nowhere_else(every: int) -> None:
    pairs = [(operation, "Linear(3, 2)", a, b) for operation in OPERATIONS for a, b in itertools.product(DTYPES, DTYPES)]
    pairs += [("layer(a)", layer, a, "int64") for layer in LAYERS for a in DTYPES]
    sources = [BEGUN.format(layer=layer, a=a, b=b) + operation + "\n" for operation, layer, a, b in pairs[::every]]
    told = 0
    for trace in record(sources):
        findings = [finding for finding in explain(trace).findings if finding.kind in KINDS]
        message = getattr(trace.ended, "message", "")
        about = re.search(r"dtype|type|bool|Bool|not implemented for|indices must|Long|floating|cast|index tensor", message)
        assert bool(findings) <= bool(about), (trace.source, message, findings)
        assert bool(findings) >= (about is not None), (trace.source, message)
        told += bool(findings)
        for finding in findings:
            assert all(sentence(language, f"finding-{finding.kind}", **finding.arguments) for language in LANGUAGES)
    assert told > len(sources) / 4


INDEXING = {
    "index_select": "a.index_select(0, i)",
    "gather": "a.gather(0, i[None])",
    "scatter": "a.scatter(0, i[None], a)",
    "scatter_add": "a.scatter_add(0, i[None], a)",
    "index_add": "a.index_add(0, i, a[:2])",
    "index_copy": "a.index_copy(0, i, a[:2])",
    "index_fill": "a.index_fill(0, i, 1.0)",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_dtype_that_an_index_may_have_is_named(language: str) -> None:
    made = "import torch\na = torch.ones(3, 3)\ni = torch.zeros(2, dtype=torch.{})\n"
    cases = list(itertools.product(INDEXING, ["int64", "int32", "int16", "float32"]))
    traces = record([made.format(dtype) + INDEXING[name] + "\n" for name, dtype in cases])
    taken = {case for case, trace in zip(cases, traces, strict=True) if trace.ended.__struct_config__.tag == "finished"}
    for (name, dtype), trace in zip(cases, traces, strict=True):
        if dtype == "float32":
            (finding,) = explain(trace).findings
            said = sentence(language, "finding-dtype_refused", **finding.arguments)
            named = set(re.findall(r"`(int\d+)`", said.replace(INDEXING[name], "")))
            assert named == {each for function, each in taken if function == name}, said
