"""The plain text and the page contain the most important sentence about each program, in both languages."""

import json
import subprocess
from functools import cache
from pathlib import Path

import msgspec
import pytest

from app.explain import Document, explain
from app.report.transcript import story
from app.trace.ends import Finished
from app.words import LANGUAGES
from tests.explain.recorded import record

SPOKEN = Path(__file__).parents[1] / "js/spoken.js"

LEAF = "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\n"

PROGRAMS = {
    "hooks": LEAF
    + """
def double(grad):
    return grad * 2

h = w * 3
h.retain_grad()
w.retain_grad()
h.register_hook(double)
h.register_hook(hook=lambda grad: None)
w.register_post_accumulate_grad_hook(double)
(w * 3).register_hook(double)
handles = [w.register_hook(print) for _ in range(7)]
try:
    w.detach().register_hook(double)
except RuntimeError:
    pass
""",
    "accumulated": LEAF
    + """
v = torch.ones(200, requires_grad=True)
u = torch.ones(1, requires_grad=True)
u.register_hook(lambda grad: grad * 10)
for _ in range(2):
    ((w * 3).sum() + v.sum() + u.sum()).backward()
w.grad.zero_()
optimizer = torch.optim.SGD([v], lr=0.1)
optimizer.zero_grad(set_to_none=False)
torch.optim.SGD([w]).zero_grad()
(w * w).sum().backward(create_graph=True)
(w + w + w * 2).sum().backward()
""",
    "bare expressions": LEAF
    + """
w
w * 2
(w > 1) | True
w[0]
w.shape, [1, w]
f"{len(w)} items"
with torch.no_grad():
    w.mul_(1)
torch.manual_seed(0)
def inner():
    w + 1
inner()
for i in range(2): i; None
big = torch.ones(3000)
big + 1
big.requires_grad_()
w.T
w * 0 if w.sum() > 3 else w
"text"
...
""",
    "tangents": LEAF
    + """
from torch.autograd import forward_ad
with forward_ad.dual_level():
    dual = forward_ad.make_dual(w, torch.tensor([3.0, 5.0]))
    square = dual * dual
    large = dual.expand(100, 2) + 1
    total = square.sum()
    dual + dual
    plain = w * 2
after = w + 1
""",
    "grad mode off inside a call": LEAF
    + """
@torch.no_grad()
def doubled(x):
    inside = x * 2
    return inside

normal = torch.distributions.Normal(w, torch.ones(2))
sample = normal.sample()
again = normal.rsample()
twice = doubled(w)
with torch.no_grad():
    off = w * 2
""",
    "zero": LEAF
    + """
torch.relu(w * 2 - 9).exp().sum().backward()
big = torch.ones(20, 20, requires_grad=True)
(big * 2).clamp(max=1).sum().backward()
a, b = torch.zeros(1, requires_grad=True), torch.ones(1, requires_grad=True)
(a * b).backward()
(a * big).sum().backward()
(a * 0).backward()
((w * 2).sum() * a).backward()
""",
}

SAID = {
    "hooks": [
        ("Backward will keep the gradient of `h` in `h.grad`, although `h` is not a leaf.",
         "反向传播会把 `h` 的梯度保存在 `h.grad` 中，虽然 `h` 不是叶子。"),
        ("`w` is a leaf: backward keeps its gradient in `w.grad` without `retain_grad()`.",
         "`w` 是叶子：不调用 `retain_grad()`，反向传播也会把它的梯度保存在 `w.grad` 中。"),
        ("A hook is registered on `h`: backward calls `double` with the gradient of `h`."
         " If the hook returns a tensor, that tensor replaces the gradient.",
         "在 `h` 上注册了一个钩子：反向传播会以 `h` 的梯度调用 `double`。如果钩子返回张量，它会取代这个梯度。"),
        ("A hook is registered on `h`: backward calls it with the gradient of `h`.", "反向传播会以 `h` 的梯度调用它。"),
        ("A hook is registered on `w`: once backward has added to `w.grad`, it calls `double` with `w`.",
         "在 `w` 上注册了一个钩子：反向传播累加到 `w.grad` 之后，会以 `w` 调用 `double`。"),
        ("A hook is registered on a tensor without a name: backward calls `double` with the gradient of a tensor without a name.",
         "一个未命名的张量"),
        ("A hook is registered on `w`: backward calls `print` with the gradient of `w`.", "反向传播会以 `w` 的梯度调用 `print`。"),
    ],
    "accumulated": [
        ("`w.grad` is now `[3., 3.]` + `[3., 3.]` = `[6., 6.]`: backward added the new gradient to what it held.",
         "`w.grad` 现在是 `[3., 3.]` + `[3., 3.]` = `[6., 6.]`：反向传播把新的梯度累加到了它原有的值上。"),
        ("`v.grad` has new values: backward added the new gradient to what it held.",
         "`v.grad` 有了新的值：反向传播把新的梯度累加到了它原有的值上。"),
        ("`u.grad` is now `[20.]`: backward added the new gradient to what it held.",
         "`u.grad` 现在是 `[20.]`：反向传播把新的梯度累加到了它原有的值上。"),
        ("`w.grad` was set to zero; it held `[6., 6.]`.", "`w.grad` 被置零；之前是 `[6., 6.]`。"),
        ("`v.grad` was set to zero.", "`v.grad` 被置零。"),
        ("`w.grad` was set to `None`.", "`w.grad` 被设为 `None`。"),
        ("`w.grad` is now `[2., 4.]` + `[4., 4.]` = `[6., 8.]`: backward added the new gradient to what it held.",
         "`[2., 4.]` + `[4., 4.]` = `[6., 8.]`"),
    ],
    "bare expressions": [
        ("The result is `w`: `[1., 2.]`.", "结果是 `w`：`[1., 2.]`。"),
        ("The result is a tensor of shape (2,) in storage `S1`: `[2., 4.]`.",
         "结果是一个张量，形状 (2,)，位于存储 `S1` 中：`[2., 4.]`。"),
        ("in storage `S4`: `[True, True]`.", "位于存储 `S4` 中：`[True, True]`。"),
        ("The result is a scalar tensor in storage `S0`, which it shares with `w`: `1.0`.",
         "结果是一个标量张量，位于存储 `S0` 中，与 `w` 共用：`1.0`。"),
        ("The result is `(torch.Size([…]), […])`.", "结果是 `(torch.Size([…]), […])`。"),
        ("The result is `'2 items'`.", "结果是 `'2 items'`。"),
        ("The result is `1`.", "结果是 `1`。"),
        ("The result is a tensor of shape (3000,) in storage", "结果是一个张量，形状 (3000,)，位于存储"),
    ],
    "tangents": [
        ("`dual` carries the forward-mode tangent `[3., 5.]`.", "`dual` 带有前向模式的切线 `[3., 5.]`。"),
        ("`square` carries the forward-mode tangent `[6., 20.]`.", "`square` 带有前向模式的切线 `[6., 20.]`。"),
        ("`total` carries the forward-mode tangent `26.0`.", "`total` 带有前向模式的切线 `26.0`。"),
        ("`large` carries a forward-mode tangent of shape (100, 2).", "`large` 带有前向模式的切线，形状 (100, 2)。"),
    ],
    "grad mode off inside a call": [
        ("A call in this statement switched grad mode off and then made `sample`, so it has no `grad_fn`.",
         "这条语句中的调用先关闭了梯度模式，再创建 `sample`，所以它没有 `grad_fn`。"),
    ],
    "zero": [
        ("The gradient is zero everywhere from here on.", "从这里开始，梯度处处为零。"),
        ("What it sent to the `AccumulateGrad` of `big` is zero everywhere.", "它传给 `big` 的 `AccumulateGrad` 的梯度处处为零。"),
        ("What it sent to `SumBackward0` of line 11 is zero everywhere.", "它传给第 11 行的 `SumBackward0` 的梯度处处为零。"),
    ],
}  # fmt: skip
"""Sentences, or parts of sentences, about these programs in both languages."""

NEVER = {
    "tangents": ["`plain` carries", "`w` carries", "`after` carries"],
    "bare expressions": [
        "The result is `big`",
        "Generator",
        "result is `None",
        "result is `'text",
        "Ellipsis",
        "result is `[1., 2.]`",
    ],
    "accumulated": ["`[10.]` + `[1.]`", "`[10.]` + `[10.]`"],
    "grad mode off inside a call": [
        f"switched grad mode off and then made `{name}" for name in ("again", "twice", "inside", "off", "normal")
    ],
}


@cache
def documents() -> dict[str, Document]:
    traces = dict(zip(PROGRAMS, record(list(PROGRAMS.values())), strict=True))
    for name, trace in traces.items():
        assert isinstance(trace.ended, Finished), (name, trace.ended)
    return {name: explain(trace) for name, trace in traces.items()}


@cache
def text(name: str, language: str) -> str:
    """Return the plain text of a program without backticks."""
    return "\n".join(story(documents()[name], language))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """Return the page's sentences about the steps of each program, by language."""
    folder = tmp_path_factory.mktemp("documents")
    files = {f"{number:02}.json": name for number, name in enumerate(PROGRAMS)}
    for file, name in files.items():
        (folder / file).write_bytes(msgspec.json.encode(documents()[name]))
    run = subprocess.run(["node", str(SPOKEN), str(folder)], capture_output=True, text=True, check=True, timeout=120)
    said: dict[tuple[str, str], str] = {(name, language): "" for name in PROGRAMS for language in LANGUAGES}
    for line in map(json.loads, run.stdout.splitlines()):
        if line["granularity"] != "finding":
            for language, sentence in zip(LANGUAGES, line["said"], strict=True):
                said[files[line["file"]], language] += sentence.replace("\u2060", "") + "\n"
    return said


def without_marks(sentence: str) -> str:
    return sentence.replace("`", "")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said(name: str, language: str, page: dict[tuple[str, str], str]) -> None:
    for both in SAID[name]:
        each = both[LANGUAGES.index(language)]
        assert each in page[name, language], page[name, language]
        assert without_marks(each) in text(name, language), text(name, language)


@pytest.mark.parametrize("name", NEVER)
def test_nothing_else_is_said(name: str, page: dict[tuple[str, str], str]) -> None:
    for each in NEVER[name]:
        assert each not in page[name, "en"]
        assert without_marks(each) not in text(name, "en"), text(name, "en")


def test_the_page_tells_of_four_hooks_and_how_many_more(page: dict[tuple[str, str], str]) -> None:
    assert "3 more hooks are registered." in page["hooks", "en"] and "还注册了 3 个钩子。" in page["hooks", "zh-CN"]
    assert text("hooks", "en").count("A hook is registered on w: backward calls print") == 7


def test_that_a_gradient_is_zero_is_told_where_it_became_so() -> None:
    """A gradient that is zero is mentioned once in each backward."""
    lines = [line for line in text("zero", "en").splitlines() if "zero everywhere" in line]
    assert [line.split()[0] for line in lines] == [
        "ReluBackward0",
        "ClampBackward1",
        "MulBackward0",
        "MulBackward0",
        "MulBackward0",
    ]


def test_a_hook_that_torch_refuses_is_none() -> None:
    hooks = documents()["hooks"].trace.hooks
    assert [hook.kind for hook in hooks] == ["retain"] * 2 + ["gradient"] * 2 + ["accumulated"] + ["gradient"] * 8
    assert [hook.function for hook in hooks[:5]] == [None, None, "double", "<lambda>", "double"]
