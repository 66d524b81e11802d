"""Formulas in the page's explanations of gradients, compared with torch's gradients for each Node."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.trace.chunks import Trace
from tests.explain.recorded import record
from tests.questions.page import why

STARTS = "import torch\ntorch.manual_seed(3)\nF = torch.nn.functional\n"
LEAVES = "a = torch.rand(2, 3, requires_grad=True)\nb = torch.rand(2, 3, requires_grad=True)\n"
MATRICES = "a = torch.rand(2, 3, requires_grad=True)\nb = torch.rand(3, 2, requires_grad=True)\n"
WEIGHTED = "\n(y * torch.rand(y.shape)).sum().backward()\n"

NODES = {
    "AddBackward0": LEAVES + "y = a + b",
    "SubBackward0": LEAVES + "y = a - b[0]",
    "NegBackward0": LEAVES + "y = -a",
    "MulBackward0": LEAVES + "y = a * b[:, :1]",
    "DivBackward0": LEAVES + "y = a / (b + 1)",
    "PowBackward0": LEAVES + "y = (a + 1) ** 3",
    "ExpBackward0": LEAVES + "y = a.exp()",
    "Exp2Backward0": LEAVES + "y = a.exp2()",
    "LogBackward0": LEAVES + "y = (a + 1).log()",
    "Log1PBackward0": LEAVES + "y = a.log1p()",
    "Log2Backward0": LEAVES + "y = (a + 1).log2()",
    "SqrtBackward0": LEAVES + "y = (a + 1).sqrt()",
    "RsqrtBackward0": LEAVES + "y = (a + 1).rsqrt()",
    "ReciprocalBackward0": LEAVES + "y = (a + 1).reciprocal()",
    "SigmoidBackward0": LEAVES + "y = a.sigmoid()",
    "TanhBackward0": LEAVES + "y = a.tanh()",
    "ReluBackward0": LEAVES + "y = (a - 0.5).relu()",
    "LeakyReluBackward0": LEAVES + "y = F.leaky_relu(a - 0.5, 0.3)",
    "ClampBackward1": LEAVES + "y = a.clamp(0.2, 0.6)",
    "NllLossBackward0": LEAVES + "y = F.cross_entropy(a, torch.tensor([2, 0]), reduction='sum')",
    "SinBackward0": LEAVES + "y = a.sin()",
    "CosBackward0": LEAVES + "y = a.cos()",
    "AbsBackward0": LEAVES + "y = (a - 0.5).abs()",
    "SoftplusBackward0": LEAVES + "y = F.softplus(a)",
    "SiluBackward0": LEAVES + "y = F.silu(a)",
    "MmBackward0": MATRICES + "y = a @ b",
    "BmmBackward0": "a = torch.rand(2, 2, 3, requires_grad=True)\nb = torch.rand(2, 3, 2, requires_grad=True)\ny = torch.bmm(a, b)",
    "MvBackward0": "a = torch.rand(2, 3, requires_grad=True)\nb = torch.rand(3, requires_grad=True)\ny = a @ b",
    "DotBackward0": "a = torch.rand(3, requires_grad=True)\nb = torch.rand(3, requires_grad=True)\ny = a.dot(b)",
    "AddmmBackward0": "l = torch.nn.Linear(3, 2)\na = torch.rand(2, 3, requires_grad=True)\ny = l(a)",
    "TBackward0": LEAVES + "y = a.t()",
    "TransposeBackward0": LEAVES + "y = a.transpose(0, 1)",
    "ViewBackward0": LEAVES + "y = a.view(3, 2)",
    "UnsqueezeBackward0": LEAVES + "y = a.unsqueeze(1)",
    "SqueezeBackward1": "a = torch.rand(2, 1, requires_grad=True)\ny = a.squeeze(1)",
    "CloneBackward0": LEAVES + "y = a.clone()",
    "ExpandBackward0": "a = torch.rand(2, 1, requires_grad=True)\ny = a.expand(2, 3)",
    "SumBackward0": LEAVES + "y = a.sum()",
    "SumBackward1": LEAVES + "y = a.sum(1)",
    "MeanBackward0": LEAVES + "y = a.mean()",
    "MeanBackward1": LEAVES + "y = a.mean(0)",
    "WhereBackward0": LEAVES + "y = torch.where(a > 0.5, a, b)",
    "MaskedFillBackward0": LEAVES + "y = a.masked_fill(a > 0.5, 0.0)",
    "MseLossBackward0": LEAVES + "y = F.mse_loss(a, torch.ones(2, 3))",
    "LogSoftmaxBackward0": LEAVES + "y = a.log_softmax(1)",
    "SoftmaxBackward0": LEAVES + "y = a.softmax(0)",
    "Log10Backward0": LEAVES + "y = (a + 1).log10()",
    "Expm1Backward0": LEAVES + "y = a.expm1()",
    "SelectBackward0": LEAVES + "y = a[:, -2]",
    "SliceBackward0": LEAVES + "y = a[:, 1:] * a[:, ::2] * a[:, -3:-1]",
    "PermuteBackward0": LEAVES.replace("2, 3", "2, 3, 4") + "y = a.permute(2, 0, -2)",
    "StackBackward0": LEAVES + "y = torch.stack([b, a, b], -1)",
    "CatBackward0": LEAVES + "y = torch.cat([b[:, :2], a], 1)",
    "SplitBackward0": LEAVES + "x, y = a.split(2, 1)",
    "UnsafeSplitBackward0": LEAVES + "x, y = torch.unsafe_split(a, 2, -1)\ny = y * x",
    "UnbindBackward0": LEAVES + "x, y, z = a.unbind(1)\ny = y * z",
    "CopyBackwards": "a = torch.rand(3, requires_grad=True)\ny = torch.zeros(3).copy_(a)",
    "BinaryCrossEntropyWithLogitsBackward0": LEAVES + "y = F.binary_cross_entropy_with_logits(a, torch.rand(2, 3))",
    "GeluBackward0": LEAVES + "y = F.gelu(a * 4 - 2)",
    "ProdBackward0": LEAVES + "y = a.prod()",
    "NativeLayerNormBackward0": LEAVES + "y = F.layer_norm(a, (3,), torch.rand(3), torch.rand(3))",
}
"""For each Node, a program with a backward that runs it."""


def _recorded(source: str) -> Trace:
    [trace] = record([STARTS + source])
    return trace


def _links(source: str) -> list[dict[str, Any]]:
    """Return the steps of the explanation of `a.grad` at the end of a run."""
    links: list[dict[str, Any]] = why(_recorded(source), "a")["links"]
    return links


@pytest.mark.parametrize("node", NODES)
def test_each_formula_gives_what_torch_sent(node: str) -> None:
    links = _links(NODES[node] + WEIGHTED)
    found = [link for link in links if link["sentence"]["args"].get("node") == node]
    assert found, [link["sentence"] for link in links]
    assert all("formula" in link for link in found), found


NORMED = "x, r = torch.rand(4, 3), torch.rand(3)\na = torch.rand(3, requires_grad=True)\n"
OTHERS = [
    ("NativeLayerNormBackward0", NORMED + "y = F.layer_norm(x, (3,), a, r)"),
    ("NativeLayerNormBackward0", NORMED + "y = F.layer_norm(x, (3,), r, a)"),
    ("NativeLayerNormBackward0", LEAVES.replace("2, 3", "2, 3, 2") + "y = F.layer_norm(a, (3, 2))"),
    ("StackBackward0", LEAVES + "y = torch.stack([a, b])"),
    ("CatBackward0", LEAVES + "y = torch.cat([a, b, b], -1)"),
    ("SelectBackward0", LEAVES + "y = a[1]"),
    ("UnbindBackward0", LEAVES + "x, y = a.unbind()"),
    ("SplitBackward0", LEAVES + "x, y = a.split(2, 1)\ny = y * x"),
    ("GeluBackward0", LEAVES + "y = F.gelu(a - 0.5)"),
    ("BinaryCrossEntropyWithLogitsBackward0", LEAVES + "y = F.binary_cross_entropy_with_logits(a, b, reduction='sum')"),
]
"""More programs, for Nodes with several inputs, outputs or variants."""


@pytest.mark.parametrize(("node", "program"), OTHERS)
def test_each_formula_gives_what_torch_sent_in_other_forms(node: str, program: str) -> None:
    [found] = [link for link in _links(program + WEIGHTED) if link["sentence"]["args"].get("node") == node]
    assert "formula" in found, found


SCALARS = {
    "PowBackward0": (LEAVES + "y = (a + 1) ** 2.7", {"exponent": "2.7"}),
    "AddBackward0": (LEAVES + "y = torch.add(b, a, alpha=3)", {"alpha": "3"}),
    "SubBackward0": (LEAVES + "y = torch.sub(b, a, alpha=3)", {"alpha": "3"}),
    "SumBackward1": (LEAVES.replace("2, 3", "2, 3, 2") + "y = a.sum((0, -1))", {"dim": "(0, -1)"}),
    "MeanBackward1": (LEAVES.replace("2, 3", "2, 3, 2") + "y = a.mean((0, 2), keepdim=True)", {"dim": "(0, 2)"}),
    "SoftmaxBackward0": (LEAVES + "y = a.softmax(-1)", {"dim": "-1"}),
    "TransposeBackward0": (LEAVES.replace("2, 3", "2, 3, 4") + "y = a.transpose(0, 2)", {"dim0": "0", "dim1": "2"}),
    "LeakyReluBackward0": (LEAVES + "y = F.leaky_relu(a - 0.5, 0.3)", {"negative_slope": "0.3"}),
    "ClampBackward1": (LEAVES + "y = a.clamp(0.25, 0.75)", {"max": "0.75", "min": "0.25"}),
}
"""For each Node, a program, and the scalars in the Node's formula."""


@pytest.mark.parametrize("node", SCALARS)
def test_a_formula_is_shown_with_the_scalars_that_the_node_saved(node: str) -> None:
    program, scalars = SCALARS[node]
    [found] = [link for link in _links(program + WEIGHTED) if link["sentence"]["args"].get("node") == node]
    assert "formula" in found and scalars.items() <= dict(found["operands"]).items(), found


def test_a_formula_that_does_not_give_what_was_sent_is_not_shown() -> None:
    trace = _recorded(LEAVES + "y = (a + 1) ** 2.7" + WEIGHTED)
    for scalars in ({"exponent": 2.6}, {"exponent": "nan"}, {"exponent": [2]}, {}):
        nodes = [replace(node, scalars=scalars if node.name == "PowBackward0" else {}) for node in trace.nodes]
        links = why(replace(trace, nodes=nodes), "a")["links"]
        [found] = [link for link in links if link["sentence"]["args"].get("node") == "PowBackward0"]
        assert "formula" not in found, "an older recording has no exponent, and another one does not give it"


def test_a_changed_saved_tensor_is_part_of_the_chain() -> None:
    program = "a = torch.tensor([2.0, 3.0], requires_grad=True)\ny = a.exp()\ny.data.zero_()\ny.sum().backward()\n"
    links = _links(program)
    assert [link["sentence"]["id"] for link in links] == ["why-accumulated", "why-sent", "why-stale", "why-sent", "why-root"]
    assert links[1]["formula"] == "grad · result" and dict(links[1]["operands"])["result = y"] == "[0., 0.]"
    assert links[2]["sentence"]["args"] | {"before": ""} == {"name": "result = y", "before": "", "after": "[0., 0.]", "line": 6}


NONE = {
    "why-none-plain": "a = torch.ones(2)",
    "why-none-result": "x = torch.ones(2, requires_grad=True)\na = x * 2\na.sum().backward()",
    "why-none-unused": "a = torch.ones(2, requires_grad=True)\nb = torch.ones(2, requires_grad=True)\nb.sum().backward()",
    "why-none-before": "a = torch.ones(2, requires_grad=True)\nb = a * 2",
    "why-none-reset": "a = torch.ones(2, requires_grad=True)\na.sum().backward()\na.grad = None",
}


@pytest.mark.parametrize("reason", NONE)
def test_why_a_gradient_is_none(reason: str) -> None:
    found = why(_recorded(NONE[reason] + "\n"), "a", kind="grad")
    assert found["title"]["id"] == "why-none" and [link["sentence"]["id"] for link in found["links"]] == [reason]


def test_nan_is_followed_to_where_it_was_born() -> None:
    program = "x = torch.tensor([-1.0, 4.0], requires_grad=True)\nr = x.sqrt()\ns = r * 2\na = s.sum()\n"
    links = why(_recorded(program), "a")["links"]
    assert [link["sentence"]["args"]["name"] for link in links if link["sentence"]["id"] == "why-made"] == ["a", "s", "r"]


LARGE = """a = torch.linspace(-2, 1, 400, requires_grad=True)
y = a.view(20, 20).tanh() * 3
part = y[:, 1:]
y.sum().backward()
"""


def test_of_many_elements_the_shape_and_the_largest_is_told() -> None:
    trace = _recorded(LARGE)
    links = why(trace, "a")["links"]
    values = [link["sentence"]["args"].get("value") for link in links]
    assert values[0] == {"id": "why-gradient", "args": {"shape": "(400,)", "size": "3."}}, values
    [tanh] = [link for link in links if link["sentence"]["args"].get("node") == "TanhBackward0"]
    assert "formula" not in tanh, "no formula is tried on values that are not kept"
    assert dict(tanh["operands"]) == {"grad": "(20, 20), max |x| = 3.", "result": "(20, 20), max |x| = 0.964"}
    assert why(trace, "y")["title"]["args"]["value"] == "(20, 20), max |x| = 2.89"
    assert why(trace, "part")["title"]["args"]["value"] == "(20, 19)", "of a part the recording does not tell it"


def test_a_write_into_a_large_saved_tensor_is_part_of_the_chain() -> None:
    program = "a = torch.ones(400, requires_grad=True)\nb = torch.ones(400)\ny = a * b\nb.data.mul_(-1)\ny.sum().backward()\n"
    links = why(_recorded(program), "a")["links"]
    [written] = [link for link in links if link["sentence"]["id"] == "why-written"]
    assert written["sentence"]["args"] == {"name": "other = b", "line": 7} and written["thing"] == {"saved": "0"}


def test_the_name_of_a_saved_tensor_is_no_pattern() -> None:
    """The name comes from the snippet's process and may contain any characters."""
    trace = _recorded("a = torch.rand(2, requires_grad=True)\ny = a.exp()" + WEIGHTED)
    named = [replace(each, name="((((") for each in trace.saved_tensors]
    links = why(replace(trace, saved_tensors=named), "a")["links"]
    assert [link["sentence"]["id"] for link in links if link["sentence"]["id"] == "why-sent"] != []


SUMS = {
    "used twice": ("a = torch.tensor(3.0, requires_grad=True)\ny = a * 2 + a * 3\ny.backward()", ["3.", "2."], 0, "5."),
    "two backward calls": (
        "a = torch.tensor([3.0], requires_grad=True)\n(a * 2).sum().backward()\n(a * 3).sum().backward()",
        ["[2.]", "[3.]"],
        1,
        "[5.]",
    ),
    "after zero_": (
        "a = torch.tensor([3.0], requires_grad=True)\n(a * 2).sum().backward()\na.grad.zero_()\n"
        "(a * 3).sum().backward()\n(a * 4).sum().backward()",
        ["[3.]", "[4.]"],
        1,
        "[7.]",
    ),
    "after None, and clipped": (
        "a = torch.tensor([3.0], requires_grad=True)\n(a * 2).sum().backward()\na.grad = None\n"
        "(a * 3).sum().backward()\n(a * 4).sum().backward()\na.grad.mul_(0.5)",
        ["[3.]", "[4.]"],
        1,
        "[7.]",
    ),
    "not finite": (
        "a = torch.tensor([0.0], requires_grad=True)\n(a * 2 + (a.sqrt() * 0)).sum().backward()",
        ["[2.]", "[nan]"],
        1,
        "[nan]",
    ),
    "changed by a hook": (
        "a = torch.tensor([3.0], requires_grad=True)\na.register_hook(lambda g: g * 2)\n(a * 2 + a * 3).sum().backward()",
        ["[3.]", "[2.]"],
        0,
        None,
    ),
}
"""For each way to add gradients: a program, the summands, the index of the one that is explained, and the recorded sum or
None.
"""


@pytest.mark.parametrize("how", SUMS)
def test_a_sum_is_shown_with_its_parts(how: str) -> None:
    program, values, followed, total = SUMS[how]
    trace = _recorded(program + "\n")
    links = why(trace, "a")["links"]
    parts = links[0]["parts"]
    assert sorted(part["value"] for part in parts["each"]) == sorted(values)
    assert (parts["each"][parts["followed"]]["value"], parts["total"]) == (values[followed], total)
    assert ("why-written" in [link["sentence"]["id"] for link in links]) == ("clipped" in how)
    for place, part in enumerate(parts["each"]):
        again = why(trace, "a", choices=part["choices"])["links"]
        assert again[0]["parts"]["followed"] == place
        [sent, *_] = [link for link in again if link["sentence"]["id"] == "why-sent"]
        assert sent["sentence"]["args"]["node"] == part["from"]["args"]["node"]
        assert part["value"].rstrip(".") in sent["sentence"]["args"]["value"]["args"]["value"], "the chain goes on at the part"


def test_a_formula_is_recomputed_from_the_sum_that_its_node_received() -> None:
    links = _links("a = torch.tensor(3.0, requires_grad=True)\nd = a * 2\ny = d * d\ny.backward()\n")
    ids = [link["sentence"]["id"] for link in links]
    assert ids == ["why-accumulated", "why-sent", "why-several", "why-sent", "why-root"]
    assert links[1]["formula"] == "grad · other" and dict(links[1]["operands"]) == {"grad": "12.", "other": "2"}
    assert links[2]["parts"]["total"] == "12." and links[2]["parts"]["sign"] == "+"


def test_gradients_for_several_outputs_are_no_sum() -> None:
    links = _links("a = torch.tensor([3.0, 2.0], requires_grad=True)\nx, y = a.unbind()\n(x * y).backward()\n")
    [parts] = [link["parts"] for link in links if link["sentence"]["id"] == "why-outputs"]
    assert (parts["sign"], parts["total"], [part["value"] for part in parts["each"]]) == (",", None, ["2.", "3."])


def test_a_choice_of_a_part_that_is_not_there_is_ignored() -> None:
    trace = _recorded("a = torch.tensor(3.0, requires_grad=True)\ny = a * 2 + a * 3\ny.backward()\n")
    assert why(trace, "a", choices=((0, 2), (7, 1))) == why(trace, "a")


def test_a_long_chain_goes_on_to_where_backward_began() -> None:
    program = "a = torch.tensor(1.0, requires_grad=True)\ny = a\nfor i in range(40):\n    y = y * 1.5\ny.backward()\n"
    ids = [link["sentence"]["id"] for link in _links(program)]
    assert ids == ["why-accumulated", *["why-sent"] * 40, "why-root"]


def test_an_input_is_followed_where_it_is_chosen() -> None:
    trace = _recorded("x = torch.tensor([2.0], requires_grad=True)\nr = x * 3\ns = r.exp()\na = r + s\n")
    links = why(trace, "a")["links"]
    assert [link["sentence"]["id"] for link in links] == ["why-made", "why-inputs"] and links[1]["parts"]["followed"] is None
    second = links[1]["parts"]["each"][1]
    assert second["value"].startswith("s = ")
    made = [each["sentence"]["args"]["name"] for each in why(trace, "a", choices=second["choices"])["links"] if each["stop"]]
    assert made == ["a", "s"]
