"""Generate programs that train a module of torch.nn with random sizes. Each class has an entry with its constructor and input."""

import ast
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import torch
from hypothesis import strategies as st

Row = tuple[str, str]
"""Source code that creates the module, and source code for the tuple of its inputs."""
Draw = Callable[[st.DataObject], Row]

FAMILIES = {
    "rnn": torch.nn.modules.rnn,
    "attention": torch.nn.modules.transformer,
    "batchnorm": torch.nn.modules.batchnorm,
    "instancenorm": torch.nn.modules.instancenorm,
    "normalization": torch.nn.modules.normalization,
    "pooling": torch.nn.modules.pooling,
    "embedding": torch.nn.modules.sparse,
    "loss": torch.nn.modules.loss,
    "adaptive": torch.nn.modules.adaptive,
}
BASES = {"RNNBase", "RNNCellBase", "SyncBatchNorm", "NLLLoss2d"}
"""These classes are not tested: base classes, one that needs several processes, and a deprecated one."""


def classes() -> list[str]:
    """Return all classes in the given modules of torch, according to `__all__`."""
    found = [name for family in FAMILIES.values() for name in family.__all__ if hasattr(torch.nn, name)]
    return ["MultiheadAttention", *(name for name in found if name not in BASES and not name.startswith("Lazy"))]


def whole(data: st.DataObject, least: int, most: int) -> int:
    return data.draw(st.integers(least, most))


def leaf(*sizes: int) -> str:
    return f"torch.randn({', '.join(map(str, sizes))}, requires_grad=True)"


def drawn(name: str, data: st.DataObject, optimizer: str) -> Row:
    """Return source code that creates a module of this class with random sizes and options.

    The optimizer can train the module. Raises KeyError for a class without an entry.
    """
    call, inputs = ROWS[name](name, data)
    options = "".join(f", {option}={value}" for option, value in _options(call) if data.draw(st.integers(0, 2)) == 0)
    row = f"{call.removesuffix(')')}{options})".replace("(, ", "("), inputs
    return row if _runs(row, optimizer) else (call, inputs)


OPTIONS: dict[str, object] = {
    "activation": "gelu",
    "beta": 0.5,
    "ceil_mode": True,
    "delta": 0.5,
    "dilation": 2,
    "div_value": 2.0,
    "eps": 0.01,
    "label_smoothing": 0.1,
    "margin": 0.5,
    "momentum": None,
    "nonlinearity": "relu",
    "norm_type": 1.0,
    "p": 1,
    "padding": 1,
    "reduction": "sum",
    "stride": 1,
}
"""Values of constructor parameters that differ from the defaults. Boolean parameters get the opposite of their default."""


def _options(call: str) -> list[tuple[str, str]]:
    """Return the parameters that a call leaves out, each with a value other than its default."""
    found = ast.parse(call, mode="eval").body
    assert isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute)
    if found.func.attr in ("TransformerEncoder", "TransformerDecoder"):
        return []  # the options belong to the layer
    parameters = list(inspect.signature(getattr(torch.nn, found.func.attr)).parameters.values())[len(found.args) :]
    left = [each for each in parameters if each.name not in {keyword.arg for keyword in found.keywords}]
    flags = [(each.name, str(not each.default)) for each in left if isinstance(each.default, bool) and each.name[0] != "_"]
    return flags + [
        (each.name, repr(OPTIONS[each.name])) for each in left if each.name in OPTIONS and each.name not in dict(flags)
    ]


def _runs(row: Row, optimizer: str) -> bool:
    """Whether the module accepts these options, and the loss is finite. NaN would cause a correct warning."""
    variables: dict[str, Any] = {}
    try:
        with warnings.catch_warnings(action="ignore"):
            exec(training(row, optimizer), variables)
    except (RuntimeError, ValueError, TypeError, AssertionError, NotImplementedError):
        return False
    return bool(variables["loss"].isfinite())


def _rnn(name: str, data: st.DataObject) -> Row:
    width, hidden, steps, batch = whole(data, 1, 12), whole(data, 2, 24), whole(data, 1, 6), whole(data, 1, 12)
    first, both, layers = data.draw(st.booleans()), data.draw(st.booleans()), whole(data, 1, 2)
    proj = f", proj_size={hidden - 1}" if name == "LSTM" and data.draw(st.booleans()) else ""
    dropout = ", dropout=0.25" if layers == 2 and data.draw(st.booleans()) else ""
    call = f"torch.nn.{name}({width}, {hidden}, {layers}, batch_first={first}, bidirectional={both}{dropout}{proj})"
    x = leaf(*((batch, steps) if first else (steps, batch)), width)
    if data.draw(st.booleans()):
        lengths = [whole(data, 1, steps) for _ in range(batch)]
        x = f"torch.nn.utils.rnn.pack_padded_sequence({x}, {lengths}, batch_first={first}, enforce_sorted=False)"
    return call, f"({x},)"


def _cell(name: str, data: st.DataObject) -> Row:
    width, hidden, batch = whole(data, 1, 12), whole(data, 2, 40), whole(data, 1, 24)
    state = leaf(batch, hidden)
    state = f"({state}, {leaf(batch, hidden)})" if name == "LSTMCell" else state
    return f"torch.nn.{name}({width}, {hidden})", f"({leaf(batch, width)}, {state})"


def _attention(name: str, data: st.DataObject) -> Row:
    heads, steps, batch = whole(data, 1, 3), whole(data, 1, 6), whole(data, 1, 6)
    width, first, drop = heads * whole(data, 1, 8), data.draw(st.booleans()), data.draw(st.sampled_from([0.0, 0.1]))
    x = leaf(*((batch, steps) if first else (steps, batch)), width)
    layer = f"{width}, {heads}, {2 * width}, {drop}, batch_first={first}"
    rows = {
        "MultiheadAttention": (
            f"torch.nn.MultiheadAttention({width}, {heads}, {drop}, batch_first={first})",
            f"({x}, {x}, {x})",
        ),
        "TransformerEncoderLayer": (f"torch.nn.TransformerEncoderLayer({layer})", f"({x},)"),
        "TransformerDecoderLayer": (f"torch.nn.TransformerDecoderLayer({layer})", f"({x}, {x})"),
        "TransformerEncoder": (f"torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer({layer}), 2)", f"({x},)"),
        "TransformerDecoder": (f"torch.nn.TransformerDecoder(torch.nn.TransformerDecoderLayer({layer}), 2)", f"({x}, {x})"),
        "Transformer": (
            f"torch.nn.Transformer({width}, {heads}, 1, 1, {2 * width}, {drop}, batch_first={first})",
            f"({x}, {x})",
        ),
    }
    return rows[name]


def _dimensions(name: str) -> int:
    return int(next((character for character in name if character in "123"), "1"))


def _norm(name: str, data: st.DataObject) -> Row:
    channels, batch, side, dims = 2 * whole(data, 1, 9), whole(data, 2, 6), whole(data, 2, 4), _dimensions(name)
    affine, tracks = data.draw(st.booleans()), data.draw(st.booleans())
    rest = [side] * dims
    calls = {
        "LayerNorm": f"torch.nn.LayerNorm({rest}, elementwise_affine={affine})",
        "RMSNorm": f"torch.nn.RMSNorm({rest}, elementwise_affine={affine})",
        "GroupNorm": f"torch.nn.GroupNorm(2, {channels}, affine={affine})",
        "LocalResponseNorm": "torch.nn.LocalResponseNorm(2)",
        "CrossMapLRN2d": "torch.nn.CrossMapLRN2d(2)",
    }
    rest = [side, side] if name == "CrossMapLRN2d" else rest
    plain = f"torch.nn.{name}({channels}, affine={affine}, track_running_stats={tracks})"
    return calls.get(name, plain), f"({leaf(batch, channels, *rest)},)"


def _pool(name: str, data: st.DataObject) -> Row:
    channels, batch, side, dims = whole(data, 1, 6), whole(data, 1, 5), 2 * whole(data, 2, 4), _dimensions(name)
    x = leaf(batch, channels, *[side] * dims)
    if name.startswith("MaxUnpool"):
        pool = f"torch.nn.MaxPool{dims}d(2, return_indices=True)"
        return f"torch.nn.{name}(2)", f"{pool}({x})"
    size = 2 if dims == 1 else (2,) * dims
    if name.startswith("Adaptive"):
        return f"torch.nn.{name}({size})", f"({x},)"
    if name.startswith("Fractional"):
        return f"torch.nn.{name}(2, output_size=2)", f"({x},)"
    return f"torch.nn.{name}({'2, ' if name.startswith('LP') else ''}2)", f"({x},)"


def _embedding(name: str, data: st.DataObject) -> Row:
    count, width, batch, steps = whole(data, 2, 60), whole(data, 1, 30), whole(data, 1, 8), whole(data, 1, 8)
    options = data.draw(st.sampled_from(["", ", max_norm=1.0", ", padding_idx=0"]))
    mode = f", mode={data.draw(st.sampled_from(['sum', 'mean', 'max']))!r}" if name == "EmbeddingBag" else ""
    options = "" if "max'" in mode else options
    return f"torch.nn.{name}({count}, {width}{options}{mode})", f"(torch.randint({count}, ({batch}, {steps})),)"


def _adaptive(name: str, data: st.DataObject) -> Row:
    width, batch = whole(data, 4, 40), whole(data, 2, 40)
    call = f"torch.nn.{name}({width}, 20, cutoffs=[5])"
    return call, f"({leaf(batch, width)}, torch.randint(20, ({batch},)))"


def _loss(name: str, data: st.DataObject) -> Row:
    batch, count = whole(data, 2, 40), whole(data, 2, 40)
    x, other, ones = leaf(batch, count), f"torch.rand({batch}, {count})", f"torch.ones({batch})"
    index, sides = f"torch.randint({count}, ({batch},))", f"torch.randint(2, ({batch}, {count}))"
    signs = f"{sides} * 2.0 - 1"
    several = {
        "NLLLoss": f"({x}.log_softmax(1), {index})",
        "CrossEntropyLoss": f"({x}, {index})",
        "BCELoss": f"({x}.sigmoid(), {other})",
        "KLDivLoss": f"({x}.log_softmax(1), {other})",
        "GaussianNLLLoss": f"({x}, {other}, {leaf(batch, count)}.exp())",
        "HingeEmbeddingLoss": f"({x}, {signs})",
        "SoftMarginLoss": f"({x}, {signs})",
        "MultiLabelMarginLoss": f"({x}, {sides} - 1)",
        "MultiLabelSoftMarginLoss": f"({x}, {sides}.float())",
        "MultiMarginLoss": f"({x}, {index})",
        "CosineEmbeddingLoss": f"({x}, {leaf(batch, count)}, {ones})",
        "MarginRankingLoss": f"({leaf(batch)}, {leaf(batch)}, {ones})",
        "TripletMarginLoss": f"({x}, {leaf(batch, count)}, {leaf(batch, count)})",
        "TripletMarginWithDistanceLoss": f"({x}, {leaf(batch, count)}, {leaf(batch, count)})",
        "CTCLoss": f"({leaf(12, batch, count)}.log_softmax(2), torch.randint(1, {count}, ({batch}, 3)), "
        f"torch.full(({batch},), 12), torch.full(({batch},), 3))",
    }
    if name == "LinearCrossEntropyLoss":
        return f"torch.nn.{name}({count}, 5)", f"({x}, torch.randint(5, ({batch},)))"
    return f"torch.nn.{name}()", several.get(name, f"({x}, {other})")


_BY_FAMILY = {
    "attention": _attention,
    "batchnorm": _norm,
    "instancenorm": _norm,
    "normalization": _norm,
    "pooling": _pool,
    "embedding": _embedding,
    "loss": _loss,
    "adaptive": _adaptive,
}
ROWS: dict[str, Callable[[str, st.DataObject], Row]] = {
    **{name: make for family, make in _BY_FAMILY.items() for name in FAMILIES[family].__all__},
    **dict.fromkeys(("RNN", "LSTM", "GRU"), _rnn),
    **dict.fromkeys(("RNNCell", "LSTMCell", "GRUCell"), _cell),
    "MultiheadAttention": _attention,
}

BEGIN = """import torch


def total(out):
    if isinstance(out, torch.Tensor):
        return out.pow(2).mean() if out.requires_grad else 0
    parts = [out.data] if hasattr(out, "batch_sizes") else out
    return sum(total(part) for part in parts)


torch.manual_seed(0)
"""
OPTIMIZERS = (
    "SGD(module.parameters(), 0.01)",
    "SGD(module.parameters(), 0.01, momentum=0.9, foreach=True)",
    "Adam(module.parameters(), foreach=False)",
    "AdamW(module.parameters())",
)


def training(row: Row, optimizer: str, planted: str = "") -> str:
    """Return a program with two iterations of forward, backward and optimizer step.

    `planted` is a statement between the first forward and its backward.
    """
    call, inputs = row
    trains = any(True for _ in made(call).parameters())
    return (
        f"{BEGIN}module = {call}\n"
        + (f"optimizer = torch.optim.{optimizer}\n" if trains else "")
        + f"for step in range(2):\n    given = {inputs}\n    loss = total(module(*given))\n"
        + (f"    if step == 0:\n        {planted}\n" if planted else "")
        + ("    optimizer.zero_grad()\n" if trains else "")
        + "    loss.backward()\n"
        + ("    optimizer.step()\n" if trains else "")
    )


def made(call: str) -> torch.nn.Module:
    """Create the module of an entry."""
    with warnings.catch_warnings(action="ignore"):  # a warning about a setting that affects only the speed
        module = eval(call, {"torch": torch})
    assert isinstance(module, torch.nn.Module)
    return module
