"""Whatever is pasted, explaining it raises nothing and takes time linear in its length."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.explain import explain
from app.explain.snippet import PARSED_CHARACTERS, if_python
from app.trace.chunks import Trace
from app.trace.ends import Ended, Finished, OutOfMemory, Raised
from tests.explain.recorded import HEADER

PIECES = (
    ">>> ",
    "... ",
    "In [1]: ",
    "Out[1]: ",
    "   ...: ",
    "!pip install x",
    "%magic",
    "import torch",
    "import a.b as c",
    "from a import *",
    "np.ones(1)",
    "input()",
    "DataLoader(num_workers=2)",
    "torch.hub.load(",
    "x += 1",
    '"""',
    "f'{",
    "\\",
    "(",
    ")",
    ":",
    "\n",
    "\r",
    "\r\n",
    "\n    ",
    "\t",
    "\f",
    "\ufeff",
    "\u2028",
    "\ud800",
    "\U0001f600",
    "\u00e9",
    "'\\d'",
    "match x:\n case {**r}: pass",
)
SOURCES = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join), st.lists(st.sampled_from(PIECES)).map("\n".join))
TYPES = ("SyntaxError", "IndentationError", "NameError", "ModuleNotFoundError", "EOFError", "builtins.NameError", "x.Y")
RAISED = st.builds(Raised, type=st.sampled_from(TYPES), message=st.text(), line=st.none() | st.integers(0, 2**53))
ENDS = st.one_of(st.just(Finished()), RAISED, st.builds(OutOfMemory, limit_bytes=st.just(1), raised=RAISED))

LONG = (256 << 10) - 100
HOSTILE = {
    "parentheses": "(" * LONG,
    "minuses": "-" * LONG + "1",
    "attributes": "a" + ".b" * (LONG // 2),
    "calls": "a" + "()" * (LONG // 2),
    "sums": "1" + "+1" * (LONG // 2),
    "blanks": " " * LONG,
    "blank lines": "\n" * LONG,
    "indented lines": " x\n" * (LONG // 3),
    "stairs": "".join(" " * depth + "if x:\n" for depth in range(600)),
    "prompts": ">>> x\n" * (LONG // 6),
    "numbered prompts": "In [" * (LONG // 4),
    "shell": "!x\n" * (LONG // 3),
    "names": "np;" * (LONG // 3),
    "inputs": "input();" * (LONG // 8),
    "pip": "\t" * LONG + "pip",
    "strings": '"""' * (LONG // 3),
    "plots": "import plt\n" + "plt.a(plt);" * (LONG // 11),
}


@settings(max_examples=300, deadline=None)
@given(SOURCES, ENDS)
def test_any_text(source: str, end: Ended) -> None:
    for finding in explain(Trace(source=source, header=HEADER, ended=end)).findings:
        assert finding.line is None or finding.line >= 0
        assert all(fix.source != source for fix in finding.fixes)


@pytest.mark.parametrize("kind", TYPES[:5])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("characters", [PARSED_CHARACTERS, LONG])
def test_hostile_text(name: str, kind: str, characters: int) -> None:
    source = HOSTILE[name][:characters]
    began = time.process_time()
    explain(Trace(source=source, header=HEADER, ended=Raised(type=kind, message="No module named 'plt'", line=1)))
    # Quadratic would be minutes; the bound is wide because the machine may be busy.
    assert time.process_time() - began < 10, name


def test_what_is_too_long_is_not_parsed() -> None:
    assert if_python("x\n" * (PARSED_CHARACTERS // 2)) is not None
    assert if_python("x\n" * PARSED_CHARACTERS) is None
