"""Generate tables with the signatures of torch's Python functions: `python -m tests.explain.signatures`."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import distributions, nn, optim
from torch.nn import functional, init, utils
from torch.nn.utils import rnn
from torch.optim import lr_scheduler
from torch.utils import data

_BASES = (nn.Module, optim.Optimizer, lr_scheduler.LRScheduler, distributions.Distribution)
_METHODS = ("forward", "step", "zero_grad", "add_param_group", "log_prob", "sample", "rsample")
_OF_MODULES = (
    "load_state_dict register_buffer register_parameter add_module register_forward_hook register_forward_pre_hook "
    "register_full_backward_hook requires_grad_ train eval zero_grad apply parameters named_parameters get_submodule"
).split()
_DATA = (
    "DataLoader TensorDataset Subset ConcatDataset WeightedRandomSampler RandomSampler SubsetRandomSampler BatchSampler".split()
)
_SCALER = ("scale", "step", "update", "unscale_")


def parameters(function: Callable[..., Any], skipped: int = 0) -> str | None:
    """Return the parameters of a function, such as `in_features, out_features, bias=`. Return None if Python cannot determine
    the parameters.
    """
    try:
        found = list(inspect.signature(function).parameters.values())[skipped:]
    except (TypeError, ValueError):
        return None
    written: list[str] = []
    for each in found:
        if each.kind is each.KEYWORD_ONLY and not any(name.startswith("*") for name in written):
            written.append("*")
        mark = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        written.append(f"{mark}{each.name}{'' if mark or each.default is each.empty else '='}")
    return None if any(name.startswith("**") for name in written) else ", ".join(written)


def _classes() -> Iterator[tuple[str, str | None]]:
    for module in (nn, optim, lr_scheduler, distributions):
        for name, kind in vars(module).items():
            is_class = inspect.isclass(kind) and issubclass(kind, _BASES) and kind not in _BASES
            if not is_class or name.startswith(("_", "Lazy")) or name in ("Container", "LRScheduler", "ExponentialFamily"):
                continue
            # recurrent layers pass `*args` to the constructor of their base class
            constructor = nn.RNNBase.__init__ if issubclass(kind, nn.RNNBase) else kind.__init__
            skipped = 2 if issubclass(kind, nn.RNNBase) and kind is not nn.RNNBase else 1
            taken = parameters(constructor, skipped)
            yield name, taken.replace("num_layers=", "num_layers=, nonlinearity=") if kind is nn.RNN and taken else taken
            for method in _METHODS:
                if not any(method in vars(each) for each in kind.__mro__ if each not in (nn.Module, object)):
                    continue
                yield f"{name}.{method}", parameters(getattr(kind, method), 1)
    for method in _OF_MODULES:
        yield f"Module.{method}", parameters(getattr(nn.Module, method), 1)
    for name in _DATA:
        yield name, parameters(getattr(data, name).__init__, 1)
    yield "GradScaler", parameters(torch.amp.GradScaler.__init__, 1)
    for method in _SCALER:
        taken = parameters(getattr(torch.amp.GradScaler, method), 1)
        yield f"GradScaler.{method}", "optimizer, *args" if method == "step" else taken


def _functions() -> Iterator[tuple[str, str | None]]:
    places: list[tuple[str, ModuleType]] = [("functional", functional), ("init", init), ("utils", utils), ("rnn", rnn)]
    for place, module in places:
        for name, function in vars(module).items():
            if inspect.isfunction(function) and not name.startswith("_") and function.__module__.startswith("torch.nn"):
                yield f"{place}.{name}", parameters(function)
    yield "data.random_split", parameters(data.random_split)
    yield "torch.save", parameters(torch.save)
    yield "torch.load", parameters(torch.load)
    for place in ("torch", "amp"):
        yield f"{place}.autocast", parameters(torch.amp.autocast.__init__, 1)
    yield "func.functional_call", parameters(torch.func.functional_call)
    yield "distributions.kl_divergence", parameters(distributions.kl_divergence)


def table() -> dict[str, str]:
    """Return the parameters of classes, methods and functions, by names such as `Class.method`."""
    return {name: taken for name, taken in sorted([*_classes(), *_functions()]) if taken is not None}


def names() -> dict[str, list[str]]:
    """Return the public names of modules and classes."""
    owners = {
        "torch": torch,
        "torch.nn": nn,
        "torch.nn.functional": functional,
        "torch.nn.init": init,
        "torch.nn.utils": utils,
        "torch.nn.utils.rnn": rnn,
        "torch.optim": optim,
        "torch.optim.lr_scheduler": lr_scheduler,
        "torch.utils.data": data,
        "torch.distributions": distributions,
        "torch.linalg": torch.linalg,
        "torch.cuda": torch.cuda,
        "torch.autograd": torch.autograd,
        "Tensor": torch.Tensor,
        "Module": nn.Module,
        "Optimizer": optim.Optimizer,
        "LRScheduler": lr_scheduler.LRScheduler,
        "DataLoader": data.DataLoader,
        "Distribution": distributions.Distribution,
    }
    return {owner: [name for name in dir(what) if not name.startswith("_")] for owner, what in owners.items()}


if __name__ == "__main__":
    FOLDER = Path(__file__).parents[2] / "app/explain/reading"
    FOLDER.joinpath("signatures.txt").write_text("".join(f"{name}({taken})\n" for name, taken in table().items()))
    FOLDER.joinpath("names.txt").write_text("".join(f"{owner}: {' '.join(known)}\n" for owner, known in names().items()))
