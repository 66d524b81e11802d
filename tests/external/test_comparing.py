"""Compare outputs: masked text, differences, and lines that a cut run may lack."""

import pytest

from tests.external.adapting import adapted, recorded
from tests.external.comparing import difference
from tests.external.manifest import Program, programs
from tests.external.table import Row, as_markdown


@pytest.mark.parametrize(
    ("plain", "other"),
    [
        ("<object at 0x7f1122334455>", "<object at 0x7f9988776655>"),
        ("94210987654321", "140735987654321"),
        ("done in 1.5 s", "done in 12 s"),
        ("Epoch 1, 0.31s", "Epoch 1, 2e-3s"),
    ],
)
def test_what_differs_from_run_to_run_is_no_difference(plain: str, other: str) -> None:
    assert difference(plain, other, is_cut=False) is None


@pytest.mark.parametrize(
    ("plain", "other"),
    [("loss 1.5\n", "loss 1.25\n"), ("a\nb\n", "a\n"), ("a\n", "a\nb\n"), ("final w: 0abc", "final w: 0abd")],
)
def test_another_number_or_line_is_a_difference(plain: str, other: str) -> None:
    assert difference(plain, other, is_cut=False) is not None


def test_a_program_masks_its_own_garbage() -> None:
    assert difference("empty 3.5", "empty 0.0", is_cut=False, masks=[r"(?<=empty )[\d.]+"]) is None


@pytest.mark.parametrize("cut", ["", "a\n", "a\nbc", "a\nbcd\n"])
def test_a_cut_run_lacks_the_end(cut: str) -> None:
    assert difference("a\nbcd\ne\n", cut, is_cut=True) is None


@pytest.mark.parametrize("cut", ["b\n", "a\nx", "a\nbcd\ne\nf", "a\nbcd\ne\nf\n"])
def test_a_cut_run_differs_before_its_cut(cut: str) -> None:
    assert difference("a\nbcd\ne\n", cut, is_cut=True) is not None


def test_a_loop_that_trains_is_shortened_and_its_settings_are_others() -> None:
    program = Program(repository="a/b", files=["c.py"], rounds=2, settings={"size": "3"})
    text = adapted(program, ["size = 100\nrounds = []\nfor i in range(9):\n    rounds.append(i)\n    loss.backward()\n"])
    given: dict[str, object] = {"_few": lambda rounds, most: list(rounds)[:most], "loss": _Loss()}
    exec(text, given)
    assert (given["size"], given["rounds"]) == (3, [0, 1])


def test_a_string_of_several_lines_stays_as_it_is_in_the_block() -> None:
    block = recorded('text = """a\n  b\n"""\nif text:\n    other = 1\n').partition("pass\n")[2]
    given: dict[str, object] = {}
    exec(f"if True:\n{block}", given)
    assert given["text"] == "a\n  b\n"


def test_of_a_chapter_the_cells_for_pytorch_are_run() -> None:
    cell = "```{{.python .input  n=1}}\n%%tab {}\n{}\n```\nwords\n"
    chapter = (
        cell.format("all", "a = 1") + cell.format("jax", "a = 2") + cell.format("mxnet, pytorch", "%matplotlib inline\nb = 3")
    )
    given: dict[str, object] = {}
    exec(adapted(Program(repository="a/b", files=["c.md"]), [chapter]), given)
    assert (given["a"], given["b"]) == (1, 3)


def test_a_problem_is_one_line_of_the_table() -> None:
    table = as_markdown([Row(name="a", ends=["finished", "raised Error: first\nsecond"], problems=["record: first\nsecond"])])
    assert table.splitlines()[2] == "| a |  |  |  | finished | raised Error: first | record: first |"


def test_the_manifest_pins_every_repository_and_library() -> None:
    found = programs()
    assert all(len(program.commit) == 40 if program.files else program.libraries for program in found)
    assert len(found) >= 96


class _Loss:
    def backward(self) -> None:
        pass
