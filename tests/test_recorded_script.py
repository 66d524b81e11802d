"""`python -m stepgrad script.py` runs a script as Python does, and writes a page with its recording."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts import run

SCRIPT = """
import pickle, sys
import torch
import layer

class Kept:
    pass

def step(w):
    d = layer.twice(w)
    out = d * w
    {write}
    out.backward()

if __name__ == "__main__":
    assert sys.modules["__main__"].step is step
    assert type(pickle.loads(pickle.dumps(Kept()))) is Kept
    w = torch.tensor([2.0], requires_grad=True)
    step(w)
    print(__file__, sys.argv[1:], sys.path[0].rpartition("/")[2], w.grad.tolist())
    {end}
"""
LAYER = "def twice(x):\n    return x * 2\n"
WRONG = "d.data.fill_(1.0)"


def recorded(folder: Path, *, write: str = "pass", end: str = "pass", arguments: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """Run the script with and without the module, and assert that both print the same. Return exit status, stderr and the
    HTML page of the run with the module.
    """
    scripts = folder / "scripts"
    scripts.mkdir()
    (scripts / "layer.py").write_text(LAYER)
    path = scripts / "train.py"
    path.write_text(SCRIPT.format(write=write, end=end))
    plain = subprocess.run([sys.executable, str(path), "--lr", "3"], capture_output=True, text=True, check=False)
    (folder / "start.py").write_text(
        "import sys\nfrom stepgrad.__main__ import main\n" + f"sys.exit(main({[*arguments, str(path), '--lr', '3']}))\n"
    )
    code, out, errors = run(folder / "start.py")
    assert (code, out) == (plain.returncode, plain.stdout)
    assert errors.startswith(plain.stderr), "the traceback is Python's own"
    *_, last = errors.splitlines()
    page = re.fullmatch(r"stepgrad: the replay.*?: (.*)", last)
    assert page is not None, errors
    return code, errors.removeprefix(plain.stderr), Path(page[1]).read_text()


@pytest.mark.parametrize(
    ("end", "code"),
    [("pass", 0), ("sys.exit(3)", 3), ("torch.ones(2, 3) @ torch.ones(2, 3)", 1), ("layer.twice(None)", 1)],
)
def test_it_ends_as_the_script_does(end: str, code: int, tmp_path: Path) -> None:
    ended, said, page = recorded(tmp_path, end=end)
    assert ended == code
    assert "return x * 2" in page, "the files in the folder of the script are followed"
    assert "TypeError" not in said


def test_it_names_the_culprit(tmp_path: Path) -> None:
    output = tmp_path / "out.html"
    _, said, page = recorded(tmp_path, write=WRONG, arguments=("-o", str(output)))
    assert re.match(r".*train\.py:12: error: .* \[silently_wrong_gradient\]\n    Line 12 changed", said)
    assert said.endswith(f": {output}\n")
    assert "silently_wrong_gradient" in page


def test_what_cannot_run_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("x = (\n")
    for name, code, sentence in [
        ("wrong.py", 1, "SyntaxError: '(' was never closed"),
        ("none.py", 2, "cannot be read: No such file"),
    ]:
        start = tmp_path / "start.py"
        start.write_text(f"import sys\nfrom stepgrad.__main__ import main\nsys.exit(main([{str(tmp_path / name)!r}]))\n")
        ended, _, said = run(start)
        assert (ended, sentence in said, "stepgrad/__main__" in said) == (code, True, False), said
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize(
    ("write", "options", "code", "said"),
    [
        ("pass", (), 0, r"stepgrad: <guard: \d+ saved tensors, 0 findings>\n"),
        (WRONG, (), 1, r"(?s)Traceback.*train\.py.*GuardError: `MulBackward0` saved a tensor.*, 1 findings>\n"),
        (WRONG, ("--mode", "collect"), 0, r"(?s)`MulBackward0` saved a tensor.*train\.py:1\d.*Lesson: .*, 1 findings>\n"),
        ("pass", ("--sample", "2"), 2, r"(?s)usage: .*sample is above 0 and at most 1, not 2\.0\n"),
    ],
)
def test_a_script_is_guarded(write: str, options: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "layer.py").write_text(LAYER)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(write=write, end="sys.exit(0)"))
    (tmp_path / "start.py").write_text(
        f"import sys\nfrom stepgrad.__main__ import main\nsys.exit(main({['guard', *options, str(script), '--lr']}))\n"
    )
    ended, _, errors = run(tmp_path / "start.py")
    assert ended == code and re.fullmatch(said, errors), errors
    assert not list(tmp_path.glob("*.html"))
