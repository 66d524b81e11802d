"""The command line: documents and text from the real sandbox, exit codes, and error messages without a traceback."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.explain import Document
from app.sandbox.gpus import device_nodes
from app.trace.ends import Finished, Raised
from tests import scripts
from tests.commands import stepgrad
from tests.sandbox.processes import PATIENCE

SNIPPET = """import torch
x = torch.ones(3, requires_grad=True)
d = x.data
d.mul_(2)
y = (x * x).sum()
y.backward()
print(x.grad)
"""


@pytest.fixture
def data() -> Iterator[str]:
    """Return a directory for a server's data that users other than root can enter, because the server drops root."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-test-") as folder:
        yield str(Path(folder) / "data")


@pytest.mark.parametrize(("suffix", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("dot", b"digraph")])
def test_the_suffix_of_the_output_says_what_is_written(tmp_path: Path, suffix: str, begins: bytes) -> None:
    (tmp_path / "snippet.py").write_text(SNIPPET)
    written = tmp_path / f"run.{suffix}"
    ended = stepgrad("trace", str(tmp_path / "snippet.py"), "-o", str(written), "--step", "3", "--picture", "memory")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert written.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("-o", "run.gif"),
            "run.gif has an unknown suffix: use .json, .html, .svg, .pdf, .png, .dot, or --text.",
        ),
        (("-o", "run.svg", "--step", "99"), "There is no picture of step 99: The run has fewer steps."),
        (("--open",), "--open needs an output file: set it with -o."),
    ],
)
def test_a_picture_that_cannot_be_is_told_in_a_sentence(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    (tmp_path / "snippet.py").write_text(SNIPPET)
    placed = [str(tmp_path / word) if word.startswith("run.") else word for word in arguments]
    ended = stepgrad("trace", str(tmp_path / "snippet.py"), *placed)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.replace(f"{tmp_path}/", "") == f"stepgrad: {told}\n"
    assert not list(tmp_path.glob("run.*"))


def test_a_document_on_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET)
    ended = stepgrad("trace", str(path))
    assert (ended.returncode, ended.stderr) == (0, "")
    document = msgspec.json.decode(ended.stdout, type=Document)
    assert document.trace.source == SNIPPET
    assert document.trace.ended == Finished()


def test_standard_input_output_file_and_seed(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    ended = stepgrad("trace", "-", "-o", str(path), "--seed", "5", stdin="1 / 0\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
    document = msgspec.json.decode(path.read_bytes(), type=Document)
    assert isinstance(document.trace.ended, Raised)
    assert document.trace.header.seed == 5


def test_one_file_that_replays_offline(tmp_path: Path) -> None:
    snippet, path = tmp_path / "snippet.py", tmp_path / "run.html"
    snippet.write_text(SNIPPET)
    made = []
    for _ in range(2):
        ended = stepgrad("trace", str(snippet), "-o", str(path), "--language", "zh-CN")
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
        made.append(path.read_text())
    assert "<title>snippet.py · Stepgrad</title>" in made[0] and '<html lang="zh-CN"' in made[0]
    held = re.search(r'id="document">(.*?)</script>', made[0])
    assert held is not None
    assert msgspec.json.decode(held[1], type=Document).trace.source == SNIPPET
    (packed, again) = (re.search(r'id="packed">(.*?)</script>', each) for each in made)
    assert packed is not None and again is not None and packed[1] == again[1]


def test_the_cpu_stands_in_for_a_gpu() -> None:
    source = 'import torch\nx = torch.ones(2, device="cuda")\n'
    refused = stepgrad("trace", "-", "--text", stdin=source)
    assert refused.returncode == 1
    assert "error: line 2: This machine has no GPU" in refused.stdout
    stood_in = stepgrad("trace", "-", "--text", "--stand-in", stdin=source)
    assert (stood_in.returncode, stood_in.stderr) == (0, "")
    assert stood_in.stdout.startswith("The CPU replaces device cuda:0: ")
    assert "x is a new tensor of shape (2,) on cuda:0 with its own storage S0." in stood_in.stdout


def test_as_text() -> None:
    command = [sys.executable, "-m", "app", "trace", "-", "--text"]
    ended = subprocess.run(command, input=SNIPPET, capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stderr) == (0, "")
    for expected in (
        r"^line 2: x = torch.ones\(3, requires_grad=True\)$",
        r"^    x is a new tensor of shape \(3,\), a leaf that requires grad, with its own storage S\d+\.$",
        r"^    x, a Tensor: shape \(3,\), stride \(1,\), storage offset 0, float32\. A leaf that requires grad\.$",
        r"^    d is a new tensor of shape \(3,\)( and a view of .*)?: it shares storage S\d+ with x\.$",
        r"^    aten::mul_ wrote into storage S\d+ through d: \[1., 1., 1.\] became \[2., 2., 2.\]\.$",
        r"^    .*went from v0 to v1\.$",
        r"^    Autograd recorded MulBackward0, which saved (self|other) = x at v0 and (self|other) = x at v0 for backward\.",
        r"^    MulBackward0 of line \d received the gradient .* It sent the gradient \[.*\] to the AccumulateGrad of x, twice\.",
        r"^    x\.grad was created: \[4., 4., 4.\] in storage S\d+\.$",
        r"^    printed: tensor\(\[4., 4., 4.\]\)$",
        r"^The snippet ran to its end.$",
    ):
        assert re.search(expected, ended.stdout, re.MULTILINE), f"{expected}\n{ended.stdout}"


@pytest.mark.parametrize(
    ("arguments", "stdin", "sentence"),
    [
        (("trace", "/nowhere.py"), "", "/nowhere.py cannot be read"),
        (("trace", "-"), "", "- is empty."),
        (("trace", "-"), "x = 1\0", "- is not text."),
        (("serve", "--host", "", "--port", "0"), "", "host: "),
        (("serve", "--port", "65536"), "", "port: "),
        (("serve", "--port", "x"), "", "invalid int value"),
        ((), "", "required"),
    ],
)
def test_misuse_is_told_in_one_sentence(arguments: tuple[str, ...], stdin: str, sentence: str) -> None:
    ended = stepgrad(*arguments, stdin=stdin)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert sentence in ended.stderr and "Traceback" not in ended.stderr


def test_a_bad_setting_is_told(data: str) -> None:
    ended = stepgrad("serve", "--port", "0", environment={"STEPGRAD_LIMITS__WALL_SECONDS": "-1", "STEPGRAD_DATA": data})
    assert ended.returncode == 2
    assert "limits__wall_seconds" in ended.stderr and "Traceback" not in ended.stderr


NEAR = "STEPGRAD_HOSTTS is not a setting. Did you mean STEPGRAD_HOSTS?"


@pytest.mark.parametrize("command", [("serve", "--host", "ü..x"), ("health", "--port", "1")])
def test_a_variable_that_is_no_setting_is_told_with_the_nearest_that_is(
    tmp_path: Path, data: str, command: tuple[str, ...]
) -> None:
    code, _, errors = scripts.run_command(tmp_path, *command, STEPGRAD_DATA=data, STEPGRAD_HOSTTS="stepgrad.example")
    warning, refusal = errors.splitlines()
    assert refusal.startswith("stepgrad: ") and code == 1
    if command[0] == "serve":
        told = json.loads(warning)
        assert (told["level"], told["event"], told["told"]) == ("warning", "unknown variable", NEAR)
    else:
        assert warning == f"stepgrad: {NEAR}"


@pytest.mark.parametrize("command", ["serve", "links"])
def test_a_limit_that_is_none_is_refused_by_the_name_of_its_variable(tmp_path: Path, data: str, command: str) -> None:
    ended = scripts.run_command(tmp_path, command, STEPGRAD_DATA=data, STEPGRAD_LIMITS__CPU_SECONS="3")
    sentence = "STEPGRAD_LIMITS__CPU_SECONS is not a setting. Did you mean STEPGRAD_LIMITS__CPU_SECONDS?"
    assert ended == (2, "", f"stepgrad: {sentence}\n")


def test_a_network_that_is_none_is_told_by_the_name_of_its_setting(data: str) -> None:
    ended = stepgrad("serve", "--port", "0", environment={"STEPGRAD_PROXIES": "10.0.0.0/8,10.0.0", "STEPGRAD_DATA": data})
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "stepgrad: proxies: Input is not a valid IPv4 network.\n"


@pytest.mark.skipif(bool(device_nodes()), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_told(tmp_path: Path, data: str) -> None:
    told = "runs snippets on a GPU, but this machine has no /dev/nvidia0."
    ended = scripts.run_command(tmp_path, "serve", "--port", "0", STEPGRAD_GPU_RUNS="1", STEPGRAD_DATA=data)
    assert ended == (1, "", f"stepgrad: STEPGRAD_GPU_RUNS {told}\n")
    ended = scripts.run_command(tmp_path, "worker", "--queue", "gpu", "--port", "0")
    assert ended == (1, "", f"stepgrad: --queue gpu {told}\n")


def test_no_gpu_is_promised_where_runs_go_to_other_machines(data: str) -> None:
    environment = {"STEPGRAD_WORKERS_URL": "http://localhost:8100", "STEPGRAD_GPU_RUNS": "1", "STEPGRAD_DATA": data}
    ended = stepgrad("serve", "--port", "0", environment=environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("stepgrad: STEPGRAD_GPU_RUNS is for the GPUs of this machine")


def test_a_port_in_use_is_told(tmp_path: Path, data: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = scripts.run_command(tmp_path, "serve", "--port", port, STEPGRAD_DATA=data)
    sentence = f"Cannot listen on port {port} of 127.0.0.1 (Address already in use); choose another port with --port."
    assert ended == (1, "", f"stepgrad: {sentence}\n")


def test_a_bundle_of_other_sources_is_not_served(data: str) -> None:
    with tempfile.TemporaryDirectory(prefix="stepgrad-test-") as folder:
        Path(folder).chmod(0o755)  # the server drops root before it reads these files
        for part in ("app", "static", "templates"):
            shutil.copytree(Path(__file__).parents[1] / part, Path(folder) / part)
        with (Path(folder) / "static" / "js" / "pages" / "player.js").open("a") as source:
            source.write("// changed\n")
        command = [sys.executable, "-m", "app", "serve", "--port", "0"]
        environment = {**os.environ, "STEPGRAD_DATA": data}
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "stepgrad: static/bundle does not match static/js and static/css: run `make bundle`.\n"


@pytest.mark.parametrize("url", ["sqlite+aiosqlite:////nowhere/x.sqlite", "postgresql://stepgrad:secret@127.0.0.1:1/stepgrad"])
def test_a_store_that_cannot_be_opened_is_told(tmp_path: Path, data: str, url: str) -> None:
    code, out, errors = scripts.run_command(tmp_path, "serve", "--port", "0", STEPGRAD_DATA=data, STEPGRAD_DATABASE=url)
    assert (code, out) == (1, "")
    assert re.fullmatch(r"stepgrad: The store does not respond: .+\.\n", errors) and "secret" not in errors


def test_a_data_directory_that_cannot_be_made_is_told() -> None:
    ended = stepgrad("serve", "--port", "0", environment={"STEPGRAD_DATA": "/proc/stepgrad"})
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("stepgrad: The data directory /proc/stepgrad cannot be created: ")


IN_A_FOLDER_THAT_IS_GONE = 'cd "$(mktemp -d)" && rmdir "$PWD" && exec "$@"'


@pytest.mark.parametrize(
    ("before", "arguments", "sentence"),
    [
        ('ulimit -n 100 && exec "$@"', (), "The limit of 100 open files is too low: raise the limit"),
        ('exec "$@"', ("--host", "ü..x"), "Cannot listen on port 0 of ü..x (invalid host name); choose another"),
        ('touch "$STEPGRAD_DATA" && exec "$@"', (), "The data directory {data} cannot be created: File exists."),
        (IN_A_FOLDER_THAT_IS_GONE, (), "No such file or directory."),
    ],
)
def test_a_start_that_fails_is_told_in_one_sentence(data: str, before: str, arguments: tuple[str, ...], sentence: str) -> None:
    environment = {**os.environ, "STEPGRAD_DATA": data, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = ["bash", "-c", before, "bash", sys.executable, "-m", "app", "serve", "--port", "0", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"stepgrad: {sentence.format(data=data)}")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("trace", __file__)])
def test_without_bubblewrap_nothing_runs(tmp_path: Path, command: tuple[str, ...], data: str) -> None:
    code, out, errors = scripts.run_command(tmp_path, *command, PATH="/nonexistent", STEPGRAD_DATA=data)
    assert (code, out) == (1, "")
    assert errors.startswith("stepgrad: bubblewrap is not installed")
    assert errors.count("\n") == 1


def test_as_text_in_chinese() -> None:
    ended = stepgrad("trace", "-", "--text", "--language", "zh-CN", stdin=SNIPPET)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "第 2 行：x = torch.ones(3, requires_grad=True)\n    x 是一个新的张量（需要梯度的叶子），形状 (3,)" in ended.stdout
    assert "    输出：tensor([4., 4., 4.])\n" in ended.stdout


def test_the_right_gradient_stands_below_the_findings(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(SNIPPET.replace("d.mul_(2)\ny = (x * x).sum()", "y = (x * x).sum()\nd.mul_(2)"))
    told = stepgrad("trace", "--text", str(file)).stdout
    assert "right-" not in told
    assert "Gradients of the backward on line 6 if the saved values are kept, from a second run with the same seed." in told
    assert "\n    x.grad: backward gave [4., 4., 4.], with the saved values [2., 2., 2.]" in told
