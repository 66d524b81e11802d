"""Steps in other files: the page and the plain text name the file, and contain the same sentences."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import torch

from app.explain import explain
from app.report.transcript import transcript
from app.tracer.library import record
from tests.narration.test_told import SPOKEN

NET = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        h = x.exp()
        h[0] = 0.0
        return h.sum()

def refuse(x):
    class Seen:
        pass
    return x.view(7)
"""
HIDDEN = "def gate(h):\n    h.data[0] = 0.0\n    return h\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in (("followed/net_of_test.py", NET), ("hidden/layer_of_test.py", HIDDEN)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
        monkeypatch.syspath_prepend((tmp_path / name).parent)
    yield tmp_path
    for name in ("net_of_test", "layer_of_test"):
        sys.modules.pop(name, None)


def test_the_page_says_what_the_text_says(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    net, layer = importlib.import_module("net_of_test"), importlib.import_module("layer_of_test")
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError), record(follow=[folder / "followed"]) as recording:
        e = x.exp()
        layer.gate(e).sum().backward()
        try:
            net.Net()(x).backward()
        except RuntimeError:
            pass
        net.refuse(x)
    document = explain(recording.trace)
    documents = tmp_path_factory.mktemp("documents")
    (documents / "run.json").write_bytes(msgspec.json.encode(document))
    run = subprocess.run(["node", str(SPOKEN), str(documents)], capture_output=True, text=True, check=True, timeout=120)
    page = [line["said"] for line in map(json.loads, run.stdout.splitlines())]
    for language, place in (("en", 0), ("zh-CN", 1)):
        text = "\n".join(transcript(document, language))
        said = {line[place].replace("\u2060", "").replace("`", "") for line in page}
        named = {line for line in said if "net_of_test.py" in line or "layer_of_test.py" in line}
        assert len(named) >= 8
        told = text.replace(" ", "")
        known = [line for line in named if line.replace(" ", "") in told]
        # the page may have several sentences about a Node where the text has one
        assert len(known) >= len(named) // 2, (named, text)
    english = "\n".join(transcript(document, "en"))
    assert "line 6 of net_of_test.py: h[0] = 0.0" in english
    assert "Line 12 of net_of_test.py raised RuntimeError" in english
    assert "Line 2 of layer_of_test.py changed " in english
    assert "refuse.<locals>.Seen" not in english  # a class body is not a function call
    assert "Line 2 of layer_of_test.py wrote it." in english
    spoken = "\n".join(line[0] for line in page)
    assert "`refuse` raised `RuntimeError` on line 12 of net_of_test.py" in spoken
    assert "Line 2 of layer_of_test.py changed " in spoken and "Line 2 of layer_of_test.py wrote it." in spoken
    assert "Seen" not in "".join(line[0] for line in page if "called" in line[0])
