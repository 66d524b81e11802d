"""Programs with a backward. On CUDA, autograd runs Nodes, hooks and custom Functions in another thread."""

from typing import Any

from app.trace.chunks import Trace
from app.trace.records import Cells
from tests.gpu import runs
from tests.gpu.case import Case

ONE_DEVICE = ("functions_in_python", "hooks", "raises_within", "twice")
"""Programs that use one device and no random numbers: backward runs the same Nodes on CUDA and on the CPU."""


def cases(device: str) -> list[Case]:
    """Return a case for each program, and one for each comparison with the CPU."""
    made = runs.Runs()

    def compared(program: runs.Program) -> Case:
        def as_on_the_cpu() -> None:
            here, on_cpu = (ran(made.recorded(runs.spelled(program.source, where))) for where in (device, "cpu"))
            assert here["nodes"], "no Node is recorded"
            assert here == on_cpu, f"{here}\non the CPU: {on_cpu}"

        return Case(f"{program.name} as on the CPU", as_on_the_cpu)

    on_one = [compared(program) for program in runs.programs("backward") if program.name in ONE_DEVICE]
    assert len(on_one) == len(ONE_DEVICE)
    return [*runs.cases(made, "backward", device), *on_one]


def ran(trace: Trace) -> dict[str, Any]:
    """Return the Nodes that ran in backward with the operators in each, and all gradients."""
    steps = [step for step in trace.steps if step.kind == "node"]
    inside = {step.id: [other.name for other in trace.steps if other.parent == step.id] for step in steps}
    return {
        "nodes": [
            (trace.nodes[step.node].name, inside[step.id], step.ended is not None) for step in steps if step.node is not None
        ],
        "gradients": [
            gradient.value.values if isinstance(gradient.value, Cells) else gradient.value for gradient in trace.gradients
        ],
    }
