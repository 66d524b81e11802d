"""Alert rules for Prometheus: promtool accepts them, and each alert fires when it should and at no other time."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.alerts import RULES, named, named_for_fleets, named_for_one_machine, named_for_workers

CASES = Path(__file__).parent / "alerts.yaml"


@pytest.mark.parametrize("command", [("check", "rules", RULES), ("test", "rules", CASES)], ids=lambda words: words[0])
def test_promtool_takes_the_rules(command: tuple[str | Path, ...]) -> None:
    if shutil.which("promtool") is None:
        pytest.fail("This test runs promtool: it is in Debian's package prometheus, from which `make test` takes it.")
    ended = subprocess.run(["promtool", *map(str, command)], capture_output=True, text=True)
    assert ended.returncode == 0 and "SUCCESS" in ended.stdout, ended.stdout + ended.stderr


def test_every_rule_fires_in_some_case() -> None:
    rules = re.findall(r"^ +- alert: (\w+)$", RULES.read_text("utf-8"), flags=re.MULTILINE)
    fired = set(re.findall(r'alertname="(\w+)"', CASES.read_text("utf-8")))
    assert len(rules) == len(set(rules)) > 10
    assert fired == set(rules)


def test_the_names_of_the_rules_are_found() -> None:
    """tests/fleet/test_web.py and tests/web/test_runs.py verify that servers export these metrics."""
    assert {"stepgrad_fleet_trouble", "stepgrad_event_loop_late_seconds"} <= named_for_fleets()
    assert {"stepgrad_worker_runs_total", "stepgrad_zygotes_total"} == named_for_workers()
    assert "stepgrad_zygotes_total" in named_for_one_machine()
    assert named_for_fleets() | named_for_one_machine() | named_for_workers() == named()
