"""Programs with several files: findings and sentences name the file and the line, even if a library calls backward."""

from pathlib import Path

import pytest

from tests import scripts

TRAINER = '''
class TrainingFailed(Exception):
    pass

class Trainer:
    """Runs forward and backward as Lightning and the Trainer of transformers do: in code that is installed."""

    def __init__(self, wraps=False, by_closure=False):
        self.wraps, self.by_closure = wraps, by_closure

    def fit(self, model, batches):
        try:
            for batch in batches:
                self.step(model, batch)
        except RuntimeError as error:
            if self.wraps:
                raise TrainingFailed("training") from error
            raise

    def step(self, model, batch):
        def closure():
            model.optimizer.zero_grad()
            loss = model.training_step(batch)
            loss.backward()
            return loss

        if self.by_closure:
            model.optimizer.step(closure)
        else:
            closure()
            model.optimizer.step()
'''

MODEL = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        self.seen = 0

    def training_step(self, x):
        h = torch.exp(self.fc(x))
        self.seen += 1
        if self.seen == 2:
            h{data}[0] = 0.0
        return h.sum()
"""

SCRIPT = """\
import torch
import stepgrad
from trainer import Trainer
{model}
net, trainer = Net(), Trainer({options})
batches = [torch.ones(2, 3)] * 3
try:
    with stepgrad.record() as recording:
        trainer.fit(net, batches)
except Exception:
    pass
recording.save("run.json")
for finding in recording.findings:
    print(finding.severity, finding.kind, finding.line, finding.file, len(finding.fixes))
print(recording.explain())
print(recording.explain("zh-CN"))
print(recording.html()[:15])
"""


def run(folder: Path, text: str) -> str:
    (folder / "train.py").write_text(text)
    library = folder / "env" / "lib" / "python3" / "site-packages"
    library.mkdir(parents=True)
    (library / "trainer.py").write_text(TRAINER)
    code, out, errors = scripts.run(folder / "train.py", [library])
    assert code == 0, errors
    return out


@pytest.mark.parametrize("options", ["", "wraps=True", "by_closure=True"])
def test_a_backward_that_a_library_runs_is_found_with_the_lines_of_another_file(tmp_path: Path, options: str) -> None:
    (tmp_path / "net.py").write_text(MODEL.format(data=""))
    out = run(tmp_path, SCRIPT.format(model="from net import Net", options=options))
    assert out.startswith("error stale_saved_tensor 9 None 0\n")
    assert "ExpBackward0 on line 11 of net.py saved h · Net.training_step (version 0)." in out
    assert "Line 14 of net.py then modified it in place (version 1). The backward on line 9 needs" in out
    assert "line 14 of net.py: h[0] = 0.0" in out
    assert "第 net.py:14 行" in out
    assert str(tmp_path) not in (tmp_path / "run.json").read_text()


@pytest.mark.parametrize("options", ["", "wraps=True", "by_closure=True"])
def test_a_backward_that_a_library_runs_is_found_in_the_own_file(tmp_path: Path, options: str) -> None:
    out = run(tmp_path, SCRIPT.format(model=MODEL.format(data=""), options=options))
    assert out.startswith("error stale_saved_tensor ")
    assert "ExpBackward0 on line 14 saved h · Net.training_step (version 0)" in out
    assert "Line 17 then modified it in place" in out


def test_a_silently_wrong_gradient_of_a_library_run_names_the_write(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MODEL.format(data=".data"))
    out = run(tmp_path, SCRIPT.format(model="from net import Net", options=""))
    assert out.startswith("error silently_wrong_gradient 14 0 0\n")
    assert "error: line 14 of net.py: Wrong gradients without an error" in out


def test_a_write_in_code_that_is_not_followed_names_its_file_and_line(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "layer.py").write_text("def gate(h):\n    h.data[0] = 0.0\n    return h\n")
    script = SCRIPT.format(model=f"import sys; sys.path.insert(0, {str(elsewhere)!r})\nfrom layer import gate", options="")
    script = script.replace("net, trainer = Net(), Trainer()", "x = torch.ones(3, requires_grad=True)")
    script = script.replace("record()", "record(follow=[])").replace(
        "trainer.fit(net, batches)", "gate(x.exp()).sum().backward()"
    )
    out = run(tmp_path, script)
    assert out.startswith("error silently_wrong_gradient 2 0 0\n")
    assert "Line 2 of layer.py changed " in out
    assert "on line 10 saved" in out


def test_a_function_of_another_file_is_not_taken_for_one_of_the_same_line_or_name(tmp_path: Path) -> None:
    """Findings that need the syntax tree are not reported, because the script has another function `scale` on the same line."""
    (tmp_path / "net.py").write_text("\n" * 5 + "def scale(t):\n    return t @ t.new_ones(7)\n")
    lines = ["import torch", "import stepgrad", "import net", "", "", "def scale(t):", "    return t * 2", ""]
    lines += ["try:", "    with stepgrad.record() as recording:", "        x = torch.ones(3)", "        net.scale(x)"]
    lines += [
        "except RuntimeError:",
        "    pass",
        "print([finding.kind for finding in recording.findings])",
        "print(recording.explain())",
    ]
    out = run(tmp_path, "\n".join(lines))
    assert "line 7 of net.py: return t @ t.new_ones(7)" in out
    assert "Line 7 of net.py raised RuntimeError" in out
