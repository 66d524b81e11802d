"""Call every ATen operator that writes to its arguments, with and without the adapter: `python -m tests.tracer.operators`.

Prints a JSON object that maps each operator to the versions of its tensors after both calls. Operators that reject the
arguments are left out. The calls run in forks, because invalid arguments crash some operators.
"""

import json
import os
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from app.tracer import adapter

# Words in the names of operators for other devices or layouts, and of operators that write no elements.
SKIPPED = (
    "cudnn cuda miopen mps quantize qint sparse coalesce nested mkldnn xnnpack ipu hpu symm nnpack _linalg_det resize_as "
    "record_stream _copy_from swap from_file _test fbgemm _wrapped _weight_int thnn _cslt reserve_space lstm rnn gru fake"
).split()


def writing() -> Iterator[tuple[str, Any]]:
    """Yield the ATen overloads with a schema that has an argument that the operator writes."""
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        if not name.startswith("aten::") or any(part in name for part in SKIPPED):
            continue
        base, _, overload = name.removeprefix("aten::").partition(".")
        try:
            func = getattr(getattr(torch.ops.aten, base), overload or "default")
        except (AttributeError, RuntimeError):
            continue
        if any(a.alias_info is not None and a.alias_info.is_write for a in func._schema.arguments):
            yield name, func


def arguments(func: Any, variant: int) -> tuple[list[Any], dict[str, Any]] | None:
    """Return arguments for an operator; None if it has a parameter of another type.

    Variant 0 passes square float matrices, variant 1 integer vectors, and variant 2 square float matrices also for optional
    tensors.
    """
    made: dict[str, Any] = {"int": 0, "number": 1, "float": 0.5, "bool": False, "str": "mean", "List[int]": [0], "Scalar": 1}
    kind = torch.int64 if variant == 1 else torch.float32
    shape = (3,) if variant == 1 else (3, 3)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for argument in func._schema.arguments:
        wanted = str(argument.type)
        value: Any
        if argument.has_default_value() and not (variant == 2 and wanted == "Tensor"):
            continue
        if wanted.startswith("Optional"):
            value = None
        elif wanted == "Tensor":
            value = (
                torch.zeros(shape, dtype=torch.int64)
                if argument.name in ("index", "indices")
                else torch.ones(shape, dtype=kind)
            )
        elif wanted == "List[Tensor]":
            value = [torch.ones(shape, dtype=kind), torch.ones(shape, dtype=kind)]
            if argument.name == "state_steps":
                value = [torch.ones(()), torch.ones(())]
        elif wanted in made:
            value = made[wanted]
        elif wanted.startswith("List[number]"):
            value = [1, 1]
        else:
            return None
        if argument.kwarg_only:
            named[argument.name] = value
        else:
            positional.append(value)
    return positional, named


def versions(func: Any, variant: int) -> list[int] | None:
    """Call an operator, and return the versions of its tensors afterwards; None if the operator rejects the arguments."""
    made = arguments(func, variant)
    if made is None:
        return None
    positional, named = made
    try:
        func(*positional, **named)
    except (RuntimeError, NotImplementedError, TypeError, IndexError, ValueError):
        return None
    return [tensor._version for value in [*positional, *named.values()] for tensor in adapter.tensors_in(value)]


def both_ways(name: str, func: Any) -> dict[str, Any]:
    for variant in range(3):
        plain = versions(func, variant)
        if plain is not None:
            with adapter.seen_operators(adapter.run_operator):
                return {name: [plain, versions(func, variant)]}
    return {}


def main() -> None:
    """Call all operators in a fork. If an operator crashes the fork, a new fork continues with the next operator."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    operators = list(writing())
    said: dict[str, Any] = {}
    done = 0
    while done < len(operators):
        reader, writer = os.pipe()
        if not os.fork():
            with os.fdopen(writer, "w", buffering=1) as pipe:
                for name, func in operators[done:]:
                    pipe.write(json.dumps(both_ways(name, func)) + "\n")
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            answers = [json.loads(line) for line in pipe]
        os.wait()
        done += len(answers) + 1
        for answer in answers:
            said |= answer
    print(json.dumps(said))


if __name__ == "__main__":
    main()
