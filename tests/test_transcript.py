"""The plain text of a run contains each executed line with its effects, the end of the run and the findings, in both
languages.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from fluent.syntax import FluentParser, ast, visitor

from app.explain import Document, explain
from app.lessons import Lesson, lessons
from app.narration import Teller, message, narrate
from app.narration.folding import MOST_OF_A_KIND
from app.report.transcript import transcript
from app.trace.index import Index
from app.trace.records import Write
from app.words import LANGUAGES, catalogue, sentence
from tests.explain.recorded import record
from tests.explain.test_linear import lines_of as lines_executed
from tests.sampling import some


@cache
def run(source: str) -> Document:
    (trace,) = record([source])
    return explain(trace)


def of_lessons() -> list[Lesson]:
    """Return the selected lessons."""
    return [*some(__file__, {lesson.slug: lesson for lesson in lessons()}).values()]


def lines_of(source: str, language: str = "en") -> list[str]:
    return list(transcript(run(source), language))


def below(lines: list[str], headline: str, language: str = "en") -> list[str]:
    """Return the lines below the first statement with this headline."""
    begin = lines.index(headline) + 1
    rest = (number for number, line in enumerate(lines[begin:], start=begin) if not line.startswith("    "))
    return [line.removeprefix("    ") for line in lines[begin : next(rest)]]


@pytest.mark.patient
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lesson(language: str) -> None:
    prefix = sentence(language, "transcript-line", line=7, text="").partition("7")[0]
    for lesson in of_lessons():
        document = run(lesson.snippet.source)
        lines = list(transcript(document, language))
        check_statements(lesson, lines, language)
        assert len([line for line in lines if line.startswith(prefix)]) >= len(Index(document.trace).statements)
        teller = Teller(language)
        for finding in document.findings:
            title = message(f"finding-{finding.kind}-title", **finding.arguments)
            words = {"severity": finding.severity, "line": finding.line or 0, "title": title}
            assert teller.say(message("transcript-finding", **words)) in lines


def check_statements(lesson: Lesson, lines: list[str], language: str) -> None:
    """Assert that every statement has a headline that quotes its source line."""
    source = lesson.snippet.source.splitlines()
    headlines = [
        sentence(language, "transcript-line", line=number, text=text.strip()) for number, text in enumerate(source, start=1)
    ]
    document = run(lesson.snippet.source)
    for step in document.trace.steps:
        if step.kind == "statement" and step.span is not None:
            assert any(line.startswith(headlines[step.span.line - 1]) for line in lines), headlines[step.span.line - 1]


# --- one catalogue --------------------------------------------------------------------------------------------------------


@pytest.mark.patient
@pytest.mark.sweep
def test_the_sentences_are_those_of_the_page() -> None:
    said = set()
    for lesson in lessons():
        for _, told in narrate(Index(run(lesson.snippet.source).trace)):
            said |= {each.id for one in told for each in one.sentences}
    assert {name for name in said if name.startswith("story-")} >= {
        "story-new", "story-shares", "story-counter-shared", "story-counter-own", "story-wrote", "story-moved", "story-still",
        "story-reads-too-value", "story-recorded", "story-recorded-saved", "story-stale", "story-node", "story-sent",
        "story-accumulate", "story-backward-leaves", "story-grad-new", "story-kept", "story-released", "story-raised",
        "story-renamed", "story-numpy", "story-wrote-numpy", "story-holds-value",
    }  # fmt: skip
    assert all(name.startswith(("story-", "mode-", "text-", "transcript-")) for name in said)


SCARS = re.compile(
    r"SNone|undefined|\bnone\b|v-1|  | [.,:;]|\bline 0\b|第 0 行|[\u4e00-\u9fff] [\u4e00-\u9fff]|\.\.(?!\.)|，，|。。|，。"
)
"""Signs of a missing argument, or of strings that were joined incorrectly."""


@pytest.mark.patient
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_has_a_scar(language: str) -> None:
    teller, said, chosen = Teller(language), 0, of_lessons()
    for lesson in chosen:
        for _, told in narrate(Index(run(lesson.snippet.source).trace)):
            for one in (each for group in told for each in group.sentences if not each.id.startswith(QUOTES)):
                said += 1
                assert not SCARS.search(teller.say(one)), teller.say(one)
    assert said > 10 * len(chosen)


QUOTES = ("transcript-printed", "story-warned", "story-raised", "story-holds-value", "story-holds-array")
"""Messages that quote text of the program."""


class Texts(visitor.Visitor):
    """The words of a translation's messages, without their arguments."""

    def __init__(self) -> None:
        self.words: set[str] = set()

    def visit_TextElement(self, node: ast.TextElement) -> None:
        self.words |= words_of(node.value)


@pytest.mark.patient
def test_chinese_has_no_english_but_names_and_code() -> None:
    """Latin words in a Chinese text come from the recording or from the Chinese translation, never from the code."""
    ours = Texts()
    ours.visit(FluentParser().parse(catalogue("zh-CN")))
    known = ours.words | {"S", "v", "None", "True", "False"}
    for source in [*(lesson.snippet.source for lesson in of_lessons()), MODES, HELD, WRITTEN]:
        document = run(source)
        recorded = {word for text in strings(msgspec.to_builtins(document)) for word in words_of(text)}
        for line in transcript(document, "zh-CN"):
            assert words_of(line) <= recorded | known, (sorted(words_of(line) - recorded - known), line)


def words_of(text: str) -> set[str]:
    return set(re.findall("[A-Za-z]+", text))


def strings(value: Any) -> Iterator[str]:
    """Yield the strings in a document, except names of fields and tags."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("kind", "layout", "severity", "limit"):
                yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield value


# --- the transcript -------------------------------------------------------------------------------------------------------

MODES = """import threading
import torch
w = torch.ones(2, requires_grad=True)
b = torch.ones(2)
gate = threading.Event()
thread = threading.Thread(target=lambda: (gate.wait(), b.add_(1)))
with torch.no_grad(), torch.autocast("cpu"), torch.autograd.set_detect_anomaly(True):
    y = w * 2
with torch.inference_mode(), torch.autograd.graph.save_on_cpu():
    z = w * 3
with torch.autograd.graph.disable_saved_tensors_hooks("none"):
    nested = torch.nested.nested_tensor([b, b])
thread.start()
gate.set()
thread.join()
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_modes_and_what_no_operator_of_the_snippet_did(language: str) -> None:
    lines = lines_of(MODES, language)
    told = dict(pairwise(lines))
    teller = Teller(language)

    def headline(line: int) -> str:
        return teller.say(message("transcript-line", line=line, text=MODES.splitlines()[line - 1].strip()))

    def modes(*ids: str, **arguments: str) -> str:
        return "    " + teller.say_all([message(f"mode-{each}-means", **arguments) for each in ids])

    new = message("story-new", name="w", shape="(2,)", look="leaf", device="cpu", storage="S0")
    assert told[headline(3)] == "    " + teller.say(new)
    assert told[headline(8)] == modes("grad-off", "autocast", "anomaly", dtype="bfloat16")
    assert told[headline(10)] == modes("inference", "hooks")
    assert told[headline(12)] == modes("no-hooks")
    nested = [
        message("text-tensor", names="nested", type="Tensor"),
        message("text-shapeless", layout="nested", dtype="float32", device="cpu"),
    ]
    assert any(line.startswith("    " + teller.say_all(nested)) for line in lines), "no shape is told"
    assert modes("threads") in lines
    assert "    " + teller.say(message("story-wrote-thread", storage="S1")) in lines


def test_a_counter_is_not_called_still_while_another_thread_may_be_in_the_middle_of_a_write() -> None:
    document = run(MODES)
    [counter] = {write.version_counter for write in document.trace.writes} - {None}
    before = [msgspec.structs.replace(each, version=each.version[:1]) for each in document.trace.version_counters]
    assert len(document.trace.version_counters[counter or 0].version) == 2
    trace = msgspec.structs.replace(
        document.trace, version_counters=before, writes=[unseen(each) for each in document.trace.writes]
    )
    told = list(transcript(msgspec.structs.replace(document, trace=trace), "en"))
    assert any("changed while another thread ran" in line for line in told)
    assert not any("did not detect" in line for line in told)


def unseen(write: Write) -> Write:
    return msgspec.structs.replace(write, version_counter=None)


HELD = """import math
lr = 0.1
history = list(range(9))
big = 10**5000
class Net: pass
net = Net()
lr *= 2
"""


def test_each_statement_of_a_line_has_a_headline_and_sentences_of_its_own() -> None:
    blocks = "with torch.no_grad(): x += 1; y -= 1\nif x is y: pass\nelse: z = x\n"
    lines = lines_of(f"import torch\nx = torch.ones(2); y = x * 2  # twice\n{blocks}")
    pieces = [line.partition(": ")[2] for line in lines if line.startswith("line ")]
    assert pieces[1:6] == ["x = torch.ones(2)", "y = x * 2", "with torch.no_grad()", "x += 1", "y -= 1"]
    assert pieces[6:] == ["with torch.no_grad()", "if x is y", "else: z = x"]
    told = " ".join(below(lines, "line 3: x += 1"))
    assert "through x" in told and "through y" not in told


def test_what_variables_hold_that_are_no_tensors() -> None:
    assert lines_of(HELD) == [
        "line 1: import math",
        "line 2: lr = 0.1",
        "    lr is now 0.1.",
        "line 3: history = list(range(9))",
        "    history now holds a list with 9 items.",
        "        [0, 1, 2, 3, 4, 5, 6, 7, …]",
        "line 4: big = 10**5000",
        "    big is now an integer of about 5001 digits.",
        "line 5: class Net",
        *(["line 5: pass"] if sys.version_info >= (3, 13) else []),  # where `pass` compiles to an instruction
        "line 5: class Net",
        "line 6: net = Net()",
        "    net now holds an object of the class Net.",
        "line 7: lr *= 2",
        "    lr is now 0.2.",
        "The snippet ran to its end.",
    ]


def test_in_which_module_a_node_was_made() -> None:
    source = (
        "import torch\n"
        "from torch import nn\n"
        "model = nn.Sequential(nn.Sequential(nn.Tanh()))\n"
        "y = model(torch.ones(1, requires_grad=True))\n"
    )
    (told,) = [line for line in lines_of(source) if "recorded TanhBackward0" in line]
    assert told.startswith(
        "    Autograd recorded TanhBackward0 in the module model.0.0, which saved result = y at v0 for backward. "
        "Its next_functions: "
    )


WRITTEN = """import torch
x = torch.tensor([2.0, 3.0], requires_grad=True)
h = x * 1
part = h[:1]
data = h.data
y = h * h
data[1] = 7
part.mul_(1)
other = h
y.sum().backward()
"""


def test_what_is_written_read_and_sent_back() -> None:
    lines = lines_of(WRITTEN)
    assert below(lines, "line 5: data = h.data")[-1] == (
        "But data has its own version counter: a write to it does not increment the counter of h."
    )
    assert below(lines, "line 7: data[1] = 7")[2:] == [
        "aten::copy_ wrote into storage S1 through a tensor without a name: [2., 3.] became [2., 7.].",
        "h and data also use S1, so their values changed too.",
        "The version counter of data went from v0 to v1.",
        "The version counter of h and part is still at v0: the write went through data, which has its own counter.",
        *(
            f"What MulBackward0 of line 6 saved as {slot} = h is now stale: its bytes changed but its version counter did not, "
            "so torch will not detect it."
            for slot in ("other", "self")
        ),
    ]
    assert below(lines, "line 8: part.mul_(1)")[:2] == [
        "Storage S1 was written with the values it already had.",
        "h and part share one version counter: it went from v0 to v1.",
    ]
    assert below(lines, "line 9: other = h") == ["other is another name for h: the same tensor, not a copy."]
    assert any(line.endswith("It sent no gradient: backward stopped here with an exception.") for line in lines)
    assert not any("Backward is complete" in line for line in lines)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("x, y = torch.ones(2).split(1)\nx.add_(5)\n", "y uses other elements of S0, so its values did not change."),
        ("x = torch.ones(2)\ny = x\n", "y is another name for x: the same tensor, not a copy."),
        ("x = torch.zeros(2)\nx.mul_(2)\n", "Storage S0 was written with the values it already had."),
        (
            "x = torch.ones(1, requires_grad=True)\ny = x * x\ny.backward(retain_graph=True)\n",
            "Its saved tensors are kept for another backward.",
        ),
        ("x = torch.ones(1, requires_grad=True)\n(x * 2).backward()\nx.grad = None\n", "x.grad was set to None."),
        ("try:\n    torch.ones(2).view(3)\nexcept RuntimeError:\n    pass\n", "Line 3 raised RuntimeError: "),
        ("import warnings\nwarnings.warn('be\\nware')\n", "It issued a UserWarning: be"),
        ("print('`a` b')\n", "printed: `a` b"),
    ],
)
def test_one_sentence(source: str, sentence: str) -> None:
    assert sentence in "\n".join(lines_of("import torch\n" + source))


def test_what_is_not_sure_is_not_told() -> None:
    twice = "\n".join(lines_of("import torch\nx = torch.ones(2)\nx.add_(1).mul_(3)\n"))
    assert "through x.\n" in twice and "became" not in twice, "two writes: neither made all of the difference"
    put_back = "\n".join(lines_of("import torch\nx = torch.ones(2)\ny = x[:1]\nx.add_(1).sub_(1)\n"))
    assert "other elements" not in put_back, "nothing differs, so it does not tell who looks where"


PLACED = """
import torch
x, q = torch.ones(2), torch.zeros(2)
v = q[:1]
q.data = x
v.set_(x)
w = torch.ones(1)
w.requires_grad_()
big = torch.zeros(100_000)
def fill(t, n):
    a = t.numpy()
    a[0] = n
    kept = torch.zeros(1)
    kept.add_(n)
fill(q, 5)
x.numpy()[0] = 7
y = torch.ones(1, requires_grad=True)
(part,) = torch.autograd.grad(y * 3, y)
(y * 2).backward()
big.add_(torch.ones(3))
"""


def test_other_memory_is_told_and_what_is_local_has_its_function() -> None:
    lines = lines_of(PLACED)
    assert below(lines, "line 5: q.data = x") == ["q now uses storage S0 instead of S1; v still uses S1."]
    placed = below(lines, "line 6: v.set_(x)")
    assert "v now uses storage S0 instead of S1." in placed and not any("written" in line for line in placed)
    assert below(lines, "line 8: w.requires_grad_()")[0].startswith("w now requires grad: ")
    assert below(lines, "line 11: a = t.numpy()")[0] == "Line 15 called fill."
    assert "n · fill is now 5." in below(lines, "line 11: a = t.numpy()")
    assert "The bytes of storage S0 changed outside torch; the NumPy array a · fill shares them." in below(
        lines, "line 12: a[0] = n"
    )
    assert "The version counter of kept · fill went from v0 to v1." in below(lines, "line 14: kept.add_(n)")
    assert "The bytes of storage S0 changed outside torch." in below(lines, "line 16: x.numpy()[0] = 7"), "`a` is no more"


def test_a_gradient_that_was_asked_for_elsewhere_never_arrives() -> None:
    told = below(lines_of(PLACED), "line 19: (y * 2).backward()")
    assert "The AccumulateGrad of y received the gradient [2.]." in told


def test_a_write_that_raised_is_not_told_as_written() -> None:
    told = below(lines_of(PLACED), "line 20: big.add_(torch.ones(3))")
    assert told[-1].startswith("Line 20 raised RuntimeError: ") and not any(
        "wrote" in line or "counter" in line for line in told
    )


COMMANDS = """print("\\x1b[2Jcleared", "\\u202eturned", "a\\ttab")
name = "\u202e \x1b[31m"
raise ValueError("\\x9b1m")
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_said_to_the_terminal(language: str) -> None:
    text = "\n".join(lines_of(COMMANDS, language))
    assert not set(text) & set("\x00\x1b\x9b\u202e\r")
    assert "\\x1b[2Jcleared \\u202eturned a\ttab" in text
    assert "\\x1b[31m" in text and "\\x9b1m" in text


RAISING = """
import torch
class Box:
    @property
    def size(self):
        raise AttributeError("none")
def inner(n):
    raise ValueError("no")
def outer(n):
    with torch.no_grad():
        return inner(n)
has_size = hasattr(Box(), "size")
try:
    outer(1)
except ValueError:
    pass
outer(2)
"""


def test_an_exception_is_told_at_every_call_that_it_came_out_of_with_the_way_there() -> None:
    lines = lines_of(RAISING)
    broken_off = "inner raised ValueError on line 8, which ended this statement."
    for call in ("line 14: outer(1)", "line 17: outer(2)"):
        number = call.split(":")[0]
        way = f"The calls that led there: {number} called outer and line 11 called inner."
        assert below(lines, call) == [broken_off, way]
    assert lines.count(f"    {broken_off}") == 4
    assert below(lines, 'line 12: has_size = hasattr(Box(), "size")') == ["has_size is now False."]


CALLS = """import torch
x = torch.ones(1)
def f(n):
    print("called", n)
    if n == 20: raise ValueError("20")
    return x + n
def each(count):
    for n in range(count):
        try: f(n)
        except ValueError: pass
[f(n) for n in range(12)]; [f(n) for n in range(8)]
list(map(f, range(20)))
each(9)
print("\\n".join(map(str, range(60))))
try:
    list(map(f, range(30)))
except ValueError:
    pass
"""


def test_many_calls_by_one_statement_are_counted() -> None:
    lines = lines_of(CALLS)
    counted = [line.strip() for line in lines if line.endswith("left out.")]
    assert counted == [
        "4 more calls of f by line 11 are left out.",
        "12 more calls of f by line 12 are left out.",
        "12 more calls of f by line 16 are left out.",
    ]
    printed = [line.strip() for line in lines if "printed: called" in line]
    assert len(printed) == 8 + 8 + 8 + 9 + 9  # nine lines for each statement with a call that raised an exception
    assert "printed: called 20" in printed
    assert sum(line.startswith("    printed: ") for line in lines) == len(printed) + 60


@pytest.mark.parametrize(
    ("language", "head", "more"), [("en", "line 4: ", "are left out."), ("zh-CN", "第 4 行：", "类似的内容从略。")]
)
def test_many_lines_of_one_kind_are_counted(language: str, head: str, more: str) -> None:
    source = (
        "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\nxs = [torch.ones(n) for n in range(100)]\n"
    )
    lines = below(lines_of(source, language), f"{head}xs = [torch.ones(n) for n in range(100)]", language)
    assert sum(line.startswith("xs[") and "0)" not in line for line in lines) <= 3 * MOST_OF_A_KIND
    assert [line for line in lines if more in line and "60" in line]


def test_gradcheck_is_told_in_a_page_or_two() -> None:
    source = (
        "import torch\ndef f(x):\n    return torch.tanh(x @ x.mT).sum(-1)\n"
        "x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)\ntorch.autograd.gradcheck(f, (x,))\n"
    )
    assert 100 < len(lines_of(source)) < 350


def test_the_views_of_one_storage_are_not_looked_at_in_pairs() -> None:
    """Like `bend` in tests/explain/test_linear.py, this measures how much more the work grows from 2n to 3n views than from n
    to 2n.
    """
    documents = [run(f"import torch\nx = torch.ones(4)\nfor i in range({count}):\n    x[0]\n") for count in (100, 200, 300)]
    list(transcript(documents[0]))  # reads the catalogue, once per process
    one, two, three = (lines_executed(lambda each=each: list(transcript(each))) for each in documents)  # type: ignore[misc]
    assert (three - 2 * two + one) / 100**2 < 0.1
