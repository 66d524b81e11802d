"""The plain text of every lesson: each line that ran is in it, and so are its end and its findings, in both languages."""

from itertools import pairwise

from app.explain import Document, explain
from app.lessons import Lesson, lessons
from app.trace.index import Index
from app.transcript import transcript
from app.words import LANGUAGES
from tests.explain.recorded import record


def run(source: str) -> Document:
    (trace,) = record([source])
    return explain(trace)


def test_every_lesson() -> None:
    for lesson in lessons():
        document = run(lesson.snippet.source)
        for language in LANGUAGES:
            lines = list(transcript(document, language))
            check_statements(lesson, lines)
            assert len([line for line in lines if line.startswith("line ")]) == len(Index(document.trace).statements)
            for finding in document.findings:
                assert any(line.startswith(f"{finding.severity}: ") for line in lines)


MODES = """import threading
import torch
w = torch.ones(2, requires_grad=True)
b = torch.ones(2)
thread = threading.Thread(target=lambda: b.add_(1))
with torch.no_grad(), torch.autocast("cpu"), torch.autograd.set_detect_anomaly(True):
    y = w * 2
with torch.inference_mode(), torch.autograd.graph.save_on_cpu():
    z = w * 3
with torch.autograd.graph.disable_saved_tensors_hooks("none"):
    nested = torch.nested.nested_tensor([b, b])
thread.start()
thread.join()
"""


def test_modes_and_what_no_operator_of_the_snippet_did() -> None:
    lines = list(transcript(run(MODES)))
    told = dict(pairwise(lines))
    assert told["line 3: w = torch.ones(2, requires_grad=True)"].startswith("    made ")
    assert told["line 7: y = w * 2"] == "    within   grad mode off, autocast to bfloat16, anomaly mode"
    packed = "hooks that pack what is saved (torch checks no version of it)"
    assert told["line 9: z = w * 3"] == f"    within   inference mode, {packed}"
    disabled = "line 11: nested = torch.nested.nested_tensor([b, b])"
    assert told[disabled] == "    within   hooks on saved tensors disabled"
    assert any(line.startswith("    made     nested: Tensor, float32 nested, ") for line in lines), "no shape is told"
    assert "    within   another thread running (what it did was not followed)" in lines
    assert any("through something that was not recorded" in line for line in lines)


HELD = """import math
lr = 0.1
history = list(range(9))
big = 10**5000
class Net: pass
net = Net()
lr *= 2
"""


def test_what_variables_hold_that_are_no_tensors() -> None:
    lines = list(transcript(run(HELD)))
    assert [line for line in lines if line.startswith(("line ", "    holds"))] == [
        "line 1: import math",
        "line 2: lr = 0.1",
        "    holds    lr = 0.1",
        "line 3: history = list(range(9))",
        "    holds    history = [0, 1, 2, 3, 4, 5, 6, 7, …] (9 in all)",
        "line 4: big = 10**5000",
        "    holds    big: int of about 5001 digits",
        "line 5: class Net: pass",
        "line 5: class Net: pass",
        "line 6: net = Net()",
        "    holds    net: Net",
        "line 7: lr *= 2",
        "    holds    lr = 0.2",
    ]


def test_in_which_module_a_node_was_made() -> None:
    source = (
        "import torch\n"
        "from torch import nn\n"
        "model = nn.Sequential(nn.Sequential(nn.Tanh()))\n"
        "y = model(torch.ones(1, requires_grad=True))\n"
    )
    lines = list(transcript(run(source)))
    (told,) = [line for line in lines if "TanhBackward0" in line and line.startswith("    recorded")]
    assert " TanhBackward0 in model.0.0 -> " in told


COMMANDS = """print("\\x1b[2Jcleared", "\\u202eturned", "a\\ttab")
name = "\u202e \x1b[31m"
raise ValueError("\\x9b1m")
"""


def test_nothing_is_said_to_the_terminal() -> None:
    text = "\n".join(transcript(run(COMMANDS)))
    assert not set(text) & set("\x1b\x9b\u202e\r")
    assert "\\x1b[2Jcleared \\u202eturned a\ttab" in text
    assert "\\x1b[31m" in text and "\\x9b1m" in text


def check_statements(lesson: Lesson, lines: list[str]) -> None:
    """Every headline quotes its line of the snippet."""
    source = lesson.snippet.source.splitlines()
    for line in lines:
        if line.startswith("line "):
            number, _, text = line.removeprefix("line ").partition(": ")
            assert text.startswith(source[int(number) - 1].strip()), line
