"""The metrics in the rules of docs/alerts.yaml, by the kind of server that exports them."""

import re
from pathlib import Path

RULES = Path(__file__).parents[1] / "docs/alerts.yaml"
OF_WEBS_OF_FLEETS = {"stepgrad_workers", "stepgrad_fleet_trouble"}
OF_WORKERS = {"stepgrad_worker_runs_total"}
OF_MACHINES = {"stepgrad_zygotes_total"}
"""A worker, and a server without workers."""


def named() -> set[str]:
    """Every metric of ours in an expression of the rules."""
    expressions = re.findall(r"^ {8}expr: (.*?)\n {8}\w+:", RULES.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {name.removesuffix("_bucket") for expression in expressions for name in re.findall(r"\bstepgrad_\w+", expression)}


def named_for_fleets() -> set[str]:
    """Metrics of a web with workers."""
    return named() - OF_WORKERS - OF_MACHINES


def named_for_workers() -> set[str]:
    """Metrics of workers only."""
    return named() & (OF_WORKERS | OF_MACHINES)


def named_for_one_machine() -> set[str]:
    """Metrics of a server without workers."""
    return named() - OF_WORKERS - OF_WEBS_OF_FLEETS


def told(metrics: str) -> set[str]:
    """The names that stand in an answer of `/metrics`."""
    return set(re.findall(r"^# TYPE (\S+) ", metrics, flags=re.MULTILINE))
