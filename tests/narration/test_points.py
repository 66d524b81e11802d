"""What each of these programs is about is said in so many words, by the story and by the page, in both languages."""

import json
import subprocess
from functools import cache
from pathlib import Path

import msgspec
import pytest

from app.explain import Document, explain
from app.trace.ends import Finished
from app.transcript import story
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
}

SAID = {
    "hooks": [
        ("Backward will keep the gradient of `h` in `h.grad`, though `h` is no leaf.",
         "反向传播会把 `h` 的梯度保存在 `h.grad` 中，虽然 `h` 不是叶子。"),
        ("`w` is a leaf: backward keeps its gradient in `w.grad` without `retain_grad()`.",
         "`w` 是叶子：不调用 `retain_grad()`，反向传播也会把它的梯度保存在 `w.grad` 中。"),
        ("A hook is put on `h`: backward calls `double` with the gradient of `h`."
         " If the hook returns a tensor, that takes the gradient's place.",
         "在 `h` 上注册了一个钩子：反向传播会以 `h` 的梯度调用 `double`。如果钩子返回张量，它会取代这个梯度。"),
        ("A hook is put on `h`: backward calls it with the gradient of `h`.", "反向传播会以 `h` 的梯度调用它。"),
        ("A hook is put on `w`: once backward has added to `w.grad`, it calls `double` with `w`.",
         "在 `w` 上注册了一个钩子：反向传播累加到 `w.grad` 之后，会以 `w` 调用 `double`。"),
        ("A hook is put on a tensor without a name: backward calls `double` with the gradient of a tensor without a name.",
         "一个未命名的张量"),
        ("A hook is put on `w`: backward calls `print` with the gradient of `w`.", "反向传播会以 `w` 的梯度调用 `print`。"),
    ],
}  # fmt: skip
"""Sentences of these programs, or pieces of some, in both languages."""

NEVER: dict[str, list[str]] = {}


@cache
def documents() -> dict[str, Document]:
    """Every program, run and explained."""
    traces = dict(zip(PROGRAMS, record(list(PROGRAMS.values())), strict=True))
    for name, trace in traces.items():
        assert isinstance(trace.ended, Finished), (name, trace.ended)
    return {name: explain(trace) for name, trace in traces.items()}


@cache
def text(name: str, language: str) -> str:
    """The story; code stands without its backticks."""
    return "\n".join(story(documents()[name], language))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """What the page says at the steps of each program, by language."""
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
    assert "3 more hooks are put on." in page["hooks", "en"] and "还注册了 3 个钩子。" in page["hooks", "zh-CN"]
    assert text("hooks", "en").count("A hook is put on w: backward calls print") == 7


def test_a_hook_that_torch_refuses_is_none() -> None:
    hooks = documents()["hooks"].trace.hooks
    assert [hook.kind for hook in hooks] == ["retain"] * 2 + ["gradient"] * 2 + ["accumulated"] + ["gradient"] * 8
    assert [hook.function for hook in hooks[:5]] == [None, None, "double", "<lambda>", "double"]
