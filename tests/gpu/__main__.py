"""Run all GPU tests within ten minutes, and print the result of each module: `python -m tests.gpu`."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.gpu.machine import Machine, first_device, machine
from tests.gpu.report import Answers, Report, conclusion, judged, refused, status, table, told

ROOT = Path(__file__).parents[2]
SECONDS = 570
"""The time limit in seconds for all modules together. It leaves time for the report if a module hangs."""

PARTS = {
    "recorder: every snippet": "sweep",
    "recorder: values": "values",
    "recorder: streams": "streams",
    "recorder: backward": "backward",
    "recorder: autocast": "autocast",
    "recorder: pinned memory": "pinned",
    "recorder: counters": "counters",
    "sandbox: pool of the GPUs": "pool",
    "stand-in: words": "words",
    "findings: no GPU": "absent",
}
"""The title and the module of each part. The part that takes longest comes first."""
ALONE = ("sandbox: pool of the GPUs",)
"""These parts measure the free memory of the device, so no other part runs at the same time."""
AT_A_TIME = 4


def main(arguments: list[str]) -> int:
    """Run all parts. Return 0 if every part passed."""
    asked = _asked(arguments)
    ends = time.monotonic() + SECONDS
    found = machine(asked.device)
    print(found, flush=True)

    def one(part: str) -> Report:
        report = _report(part, PARTS[part], asked, found, ends)
        if not found.no_device:
            print(f"{part}: {report.outcome.value} after {report.seconds:.0f} s", flush=True)
        return report

    done = [one(part) for part in ALONE]
    with ThreadPoolExecutor(max_workers=min(AT_A_TIME, os.cpu_count() or 1)) as pool:
        done += pool.map(one, [part for part in PARTS if part not in ALONE])
    reports = sorted(done, key=lambda report: list(PARTS).index(report.part))
    print(f"\n{table(reports)}\n{told(reports)}")
    print(conclusion(reports, asked.device, found.no_device))
    return status(reports)


def _asked(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument(
        "--device", choices=["cuda", "cpu"], default="cuda", help="cpu: try the programs and comparisons themselves"
    )
    parser.add_argument(
        "--unsupported-torch", action="store_true", help="run with a torch that is not supported, as an experiment"
    )
    return parser.parse_args(arguments)


def _report(part: str, module: str, asked: argparse.Namespace, found: Machine, ends: float) -> Report:
    """Run a part if it is possible on this machine, and return its report."""
    if found.no_device is not None:
        return refused(part, "no CUDA device answers" if asked.device == "cuda" else found.no_device)
    if found.unsupported and not asked.unsupported_torch:
        return refused(part, f"{found.unsupported}; --unsupported-torch runs it as an experiment")
    began = time.monotonic()
    if began >= ends:
        return refused(part, f"the {SECONDS} seconds of all parts were over")
    answers = run_part(f"tests.gpu.{module}", asked.device, ends - began)
    return judged(part, answers, time.monotonic() - began, found.unsupported)


def run_part(module: str, device: str, seconds: float) -> Answers:
    """Run a part in a separate process with a timeout, and return its results."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-gpu-") as folder:
        file = Path(folder) / "answers"
        command = [sys.executable, "-m", "tests.gpu.part", module, device, str(file)]
        environment = {**os.environ, **first_device()}
        # the session allows killing all processes of the part
        process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        broken = None
        try:
            ended = process.wait(seconds)
            broken = _broken(ended)
        except subprocess.TimeoutExpired:
            broken = f"it ran past its {seconds:.0f} seconds"
        finally:
            _end(process)
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return answers_of([json.loads(line) for line in lines if line.endswith("}")], broken)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _broken(ended: int) -> str | None:
    if ended < 0:
        return f"its process was ended by {signal.Signals(-ended).name}"
    return f"its process ended with status {ended}" if ended else None


def answers_of(said: list[dict[str, object]], broken: str | None) -> Answers:
    """Combine the lines that a part has written."""
    names = next((each["names"] for each in said if "names" in each), ())
    missing = next((str(each["missing"]) for each in said if "missing" in each), None)
    failures = {str(each["tried"]): _text(each["failed"]) for each in said if "tried" in each}
    left_out = {str(each["left_out"]): str(each["why"]) for each in said if "left_out" in each}
    assert isinstance(names, list | tuple)
    return Answers(names=tuple(map(str, names)), failures=failures, left_out=left_out, missing=missing, broken=broken)


def _text(failed: object) -> str | None:
    return None if failed is None else str(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
