"""Find the metrics that the alert rules in docs/alerts.yaml use, by the kind of server that exports them."""

import re
from pathlib import Path

RULES = Path(__file__).parents[1] / "docs/alerts.yaml"
OF_WEBS_OF_FLEETS = {"stepgrad_workers", "stepgrad_fleet_trouble"}
OF_WORKERS = {"stepgrad_worker_runs_total"}
OF_MACHINES = {"stepgrad_zygotes_total"}
"""Metrics that workers export, and servers without workers."""


def named() -> set[str]:
    """Return the names of Stepgrad's metrics in the rules."""
    expressions = re.findall(r"^ {8}expr: (.*?)\n {8}\w+:", RULES.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {name.removesuffix("_bucket") for expression in expressions for name in re.findall(r"\bstepgrad_\w+", expression)}


def named_for_fleets() -> set[str]:
    """Return the metrics that a web process with workers must export."""
    return named() - OF_WORKERS - OF_MACHINES


def named_for_workers() -> set[str]:
    """Return the metrics that a worker must export."""
    return named() & (OF_WORKERS | OF_MACHINES)


def named_for_one_machine() -> set[str]:
    """Return the metrics that a server without workers must export."""
    return named() - OF_WORKERS - OF_WEBS_OF_FLEETS


def told(metrics: str) -> set[str]:
    """Return the names of the metrics in the text of `/metrics`."""
    return set(re.findall(r"^# TYPE (\S+) ", metrics, flags=re.MULTILINE))
