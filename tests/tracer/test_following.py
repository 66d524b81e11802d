"""Choose which files are recorded, and name the file and line of each statement."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.codec import decode_trace
from app.trace.records import MOST_TEXT, Place
from app.tracer.library import record
from app.tracer.statements import following
from tests import scripts

LAYER = """\
import torch

def gate(h):
    kept = h.clone()
    h.data[0] = 0.0
    return kept
"""
LIBRARY = """\
from layer import gate

def run(h):
    gate(h)
    h.mul_(2)
    return h

def fit(step):
    step().backward()
"""
PROGRAM = """\
import torch
from library import fit, run
from layer import gate
from parts.inner import twice
from app.tracer.library import record

x = torch.ones(3, requires_grad=True)
with record({follow}) as recording:
    y = twice(x.exp())
    gate(y)
    with torch.no_grad():
        run(y)
recording.save("run.json")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Create a folder with a module, a package, and a virtual environment that contains a library."""
    library = tmp_path / "env" / "lib" / "site-packages"
    for folder in (library, tmp_path / "parts"):
        folder.mkdir(parents=True)
    (library / "library.py").write_text(LIBRARY)
    (tmp_path / "layer.py").write_text(LAYER)
    (tmp_path / "parts" / "__init__.py").write_text("")
    (tmp_path / "parts" / "inner.py").write_text("def twice(t):\n    return t * 2\n")
    return tmp_path


def recorded(project: Path, follow: str = "") -> Trace:
    """Run the program as a script, and return its trace."""
    (project / "train.py").write_text(PROGRAM.format(follow=follow))
    code, _, errors = scripts.run(project / "train.py", [project / "env" / "lib" / "site-packages"])
    assert code == 0, errors
    trace = decode_trace((project / "run.json").read_bytes())
    check(trace)
    assert str(project) not in (project / "run.json").read_text()
    return trace


def followed(trace: Trace) -> set[str]:
    return {file.path for file in trace.files if file.is_followed}


def statements_in(trace: Trace, path: str) -> list[int]:
    spans = [step.span for step in trace.steps if step.kind == "statement" and step.span is not None]
    return [span.line for span in spans if span.file is not None and trace.files[span.file].path == path]


def test_a_script_follows_its_own_folder_and_nothing_installed(project: Path) -> None:
    trace = recorded(project)
    assert followed(trace) == {"layer.py", "parts/inner.py"}
    assert statements_in(trace, "layer.py") == [4, 5, 6, 4, 5, 6]  # called once by the script and once by the library
    assert statements_in(trace, "parts/inner.py") == [2]
    assert {file.path: file.text for file in trace.files if file.is_followed}["layer.py"] == LAYER
    frames = [(frame.function, frame.line) for frame in trace.frames if frame.file is not None]
    assert frames == [("twice", 1), ("gate", 3), ("gate", 3)]


def test_steps_of_the_own_source_name_no_file(project: Path) -> None:
    trace = recorded(project)
    spans = [step.span for step in trace.steps if step.kind == "statement" and step.frame == 0]
    assert [span and (span.line, span.file) for span in spans] == [(line, None) for line in (9, 10, 11, 12, 11, 8)]


def test_nothing_but_the_own_file_where_that_is_asked_for(project: Path) -> None:
    trace = recorded(project, "follow=[]")
    assert followed(trace) == set()
    assert {step.span.file for step in trace.steps if step.span is not None} == {None}


@pytest.mark.parametrize(
    "follow", ["follow=['parts']", "follow=['./parts']", "follow=[__import__('parts')]", "follow=['parts.inner']"]
)
def test_modules_that_are_named(project: Path, follow: str) -> None:
    assert len(followed(recorded(project, follow))) == 1


def test_a_write_names_the_line_that_made_it_whoever_is_followed(project: Path) -> None:
    trace = recorded(project, "follow=[]")
    places = [(trace.files[write.place.file or 0].path, write.place.line) for write in trace.writes if write.place is not None]
    assert [place for place in places if place[0] == "layer.py"] == [("layer.py", 5)] * 2
    assert places[-1] == ("library.py", 5)
    assert [file.text for file in trace.files] == ["", ""]  # statements are recorded only for followed files


def test_a_write_in_a_followed_file_is_in_its_step(project: Path) -> None:
    trace = recorded(project)
    inner = [
        write for write in trace.writes if write.step is not None and (span := trace.steps[write.step].span) and span.file == 1
    ]
    assert [trace.steps[write.step or 0].span.line for write in inner] == [5, 5]  # type: ignore[union-attr]
    assert [write.place for write in inner] == [None, None]
    last = trace.writes[-1].place
    assert isinstance(last, Place) and trace.files[last.file or 0].path == "library.py" and last.line == 5


def test_what_is_installed_is_refused_where_it_is_named(project: Path) -> None:
    for named in ("torch", "json", "app", "numpy", torch, project / "env" / "lib" / "site-packages"):
        with pytest.raises(ValueError, match="installed"):
            following.named([named])
    with pytest.raises(ValueError, match="neither an existing module"):
        following.named(["nowhere_at_all"])


def test_a_long_file_is_cut_between_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    lines = ["def short(t):", *("    # " + "." * 96 for _ in range(1000)), "    return t + 1"]
    (tmp_path / "long_module.py").write_text("\n".join(lines))
    module = importlib.import_module("long_module")
    with record(follow=[tmp_path]) as recording:
        module.short(torch.ones(2))
    check(recording.trace)
    text = recording.trace.files[0].text
    assert 0 < MOST_TEXT - len(text) < 100 and text.endswith(".\n")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "mine" / "deep").mkdir(parents=True)
    (tmp_path / "mine" / "__init__.py").write_text("")
    (tmp_path / "mine" / "deep" / "__init__.py").write_text("")
    (tmp_path / "mine" / "other.py").write_text("def other(t):\n    return t.clone()\n")
    text = "import torch\nfrom app.tracer.library import record\nfrom mine.other import other\n\ndef go():\n"
    text += "    with record() as recording:\n        other(torch.ones(2))\n    return recording\n"
    (tmp_path / "mine" / "deep" / "start.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "mine"]:
        del sys.modules[name]


def test_a_module_follows_its_top_level_package(package: Path) -> None:
    recording = importlib.import_module("mine.deep.start").go()
    check(recording.trace)
    assert followed(recording.trace) == {"mine/other.py"}


def test_a_module_that_is_imported_within_the_block(package: Path) -> None:
    with record(follow=[package]) as recording:
        importlib.import_module("mine.other").other(torch.ones(2))
    trace = recording.trace
    check(trace)
    assert {"mine/other.py"} <= followed(trace)
    assert [frame.function for frame in trace.frames if frame.file is not None][-2:] == ["<module>", "other"]


def test_an_exception_names_the_file_it_was_raised_in(package: Path) -> None:
    (package / "mine" / "fails.py").write_text("def fail(t):\n    return t @ t.new_ones(7)\n")
    with pytest.raises(RuntimeError), record(follow=["mine"]) as recording:
        importlib.import_module("mine.fails").fail(torch.ones(2))
    trace = recording.trace
    check(trace)
    assert trace.ended.file is not None and trace.files[trace.ended.file].path == "mine/fails.py"  # type: ignore[union-attr]
    assert trace.ended.line == 2  # type: ignore[union-attr]
