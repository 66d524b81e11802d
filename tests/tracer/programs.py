"""Generate random snippets with tensors, views, writes, blocks, deletions and backward passes.

Each snippet is derived from a list of small integers, so that hypothesis can shrink it. Tensor shapes are tracked to avoid
invalid operations, so few statements raise.
"""

from collections.abc import Callable
from itertools import islice
from math import prod

from hypothesis import strategies as st

Shape = tuple[int, ...]
Number = tuple[int, int, int, int]
"""The kind of a statement, and three numbers that select its details."""

NAMES = "abcdefgh"
HEAD = "import gc, weakref\nimport numpy as np\nimport torch\n"


class Program:
    """The snippet so far, and the shape of the tensor in each variable."""

    def __init__(self) -> None:
        self.shapes: dict[str, Shape] = {}
        self.extra: set[str] = set()
        """Other variables that exist: `array`, `kept`, `ref`, `optimizer`."""

    def pick(self, choice: int, shape: Shape | None = None) -> str | None:
        """Return a variable that holds a tensor (of this shape, if given); None if there is none."""
        fitting = [name for name, known in self.shapes.items() if shape in (None, known)]
        return fitting[choice % len(fitting)] if fitting else None

    def like(self, choice: int, shape: Shape) -> str:
        """Return an expression for a tensor of this shape: a variable, or a new tensor."""
        found = self.pick(choice, shape) if choice % 4 else None
        return found or f"torch.full({shape}, 1.5)"

    def bind(self, choice: int, shape: Shape) -> str:
        """Return the variable for an assignment, new or existing."""
        name = NAMES[choice % len(NAMES)] if choice % 3 == 0 else NAMES[len(self.shapes) % len(NAMES)]
        self.shapes.pop(name, None)
        self.shapes[name] = shape
        return name


Make = Callable[[Program, int, int, int], str | None]
SHAPES: list[Shape] = [(2, 3), (3,), (3, 2), (2, 2), (), (1, 3), (4,)]


def make(p: Program, a: int, b: int, c: int) -> str:
    shape = SHAPES[a % len(SHAPES)]
    flag = "requires_grad=True" if c % 3 else "requires_grad=False"
    maker = [
        f"torch.arange({prod(shape)}.0).reshape({shape})" + (".requires_grad_()" if c % 3 else ""),
        f"torch.full({shape}, {b % 5 + 0.5}, {flag})",
        f"torch.randn({shape}, {flag})",
        f"torch.ones({shape}, dtype=torch.float64, {flag})",
        f"torch.nn.Parameter(torch.ones({shape}))",
        f"torch.from_numpy(np.ones({shape}, dtype=np.float32))" if shape else "torch.tensor(2.0)",
    ][b % 6]
    return f"{p.bind(c, shape)} = {maker}"


def view(p: Program, a: int, b: int, c: int) -> str | None:
    v = p.pick(a)
    if v is None:
        return None
    s = p.shapes[v]
    found: list[tuple[str, Shape]] = [
        (".detach()", s),
        (".data", s),
        (".unsqueeze(0)", (1, *s)),
        (".view(-1)", (prod(s),)),
        (".reshape(-1)", (prod(s),)),
        ("[...]", s),
        (".view_as(" + v + ")", s),
        (".expand(" + ", ".join(map(str, (2, *s))) + ")", (2, *s)),
        (".squeeze()", tuple(n for n in s if n != 1)),
        (f".as_strided({s}, {tuple(prod(s[i + 1 :]) for i in range(len(s)))})", s),
        (".contiguous()", s),
    ]
    if s and s[0]:
        found += [
            ("[0]", s[1:]),
            ("[-1]", s[1:]),
            ("[1:]", (max(0, s[0] - 1), *s[1:])),
            ("[::2]", ((s[0] + 1) // 2, *s[1:])),
            (".narrow(0, 0, 1)", (1, *s[1:])),
            (".unbind()[0]", s[1:]),
            (".chunk(2)[0]", ((s[0] + 1) // 2, *s[1:])),
            (".split(1)[-1]", (1, *s[1:])),
            (f".unfold(0, {s[0]}, 1)", (1, *s[1:], s[0])),
        ]
    if len(s) == 2:
        found += [
            (".t()", s[::-1]),
            ("[:, 0]", s[:1]),
            (".diagonal()", (min(s),)),
            (".mT", s[::-1]),
            ("[:, 1:]", (s[0], s[1] - 1)),
        ]
    text, shape = found[b % len(found)]
    return f"{p.bind(c, shape)} = {v}{text}"


def pair(p: Program, a: int, b: int, c: int) -> str | None:
    """Return a statement that creates two views with one operator. Torch forbids some in-place writes to such views."""
    v = p.pick(a)
    if v is None or not p.shapes[v] or p.shapes[v][0] < 2:
        return None
    s = p.shapes[v]
    n = s[0]
    text, one, two = [
        (f"{v}.chunk(2)", ((n + 1) // 2, *s[1:]), (n - (n + 1) // 2, *s[1:])),
        (f"{v}.unbind()[:2]", s[1:], s[1:]),
        (f"{v}.split([1, {n - 1}])", (1, *s[1:]), (n - 1, *s[1:])),
        (f"{v}[:2]", s[1:], s[1:]),
    ][b % 4]
    first = p.bind(1, one)
    second = p.bind(c, two)
    if first == second:
        return None
    return f"{first}, {second} = {text}"


def compute(p: Program, a: int, b: int, c: int) -> str | None:
    v = p.pick(a)
    if v is None:
        return None
    s = p.shapes[v]
    w = p.like(c, s)
    found: list[tuple[str, Shape]] = [
        (f"{v}.clone()", s),
        (f"{v} * {w}", s),
        (f"{v}.exp()", s),
        (f"{v} * 2", s),
        (f"{v} + {w}", s),
        (f"{v}.sum()", ()),
        (f"{v}.pow(2)", s),
        (f"{v}.sigmoid()", s),
        (f"{v}.relu()", s),
        (f"{v}.mean()", ()),
        (f"torch.where({v} > 1, {v}, {w})", s),
        (f"torch.stack([{v}, {w}])", (2, *s)),
        (f"{v} / ({w} * {w} + 1)", s),
        (f"{v}.double()", s),
        (f"torch.zeros_like({v})", s),
        (f"{v}.tanh() - {v}", s),
        (f"torch.maximum({v}, {w})", s),
    ]
    if s and s[0]:
        found += [
            (f"torch.cat([{v}, {w}])", (2 * s[0], *s[1:])),
            (f"{v}[[0, 0]]", (2, *s[1:])),
            (f"{v}.log_softmax(0)", s),
            (f"{v}.index_select(0, torch.tensor([0]))", (1, *s[1:])),
            (f"{v}.cumsum(0)", s),
            (f"{v}.sort(0).values", s),
            (f"torch.nn.functional.dropout({v})", s),
        ]
    if len(s) == 2:
        found += [(f"{v} @ {v}.t()", (s[0], s[0])), (f"torch.nn.functional.linear({v}, {v})", (s[0], s[0]))]
    text, shape = found[b % len(found)]
    return f"{p.bind(c, shape)} = {text}"


def write(p: Program, a: int, b: int, c: int) -> str | None:
    v = p.pick(a)
    if v is None:
        return None
    s = p.shapes[v]
    w = p.like(c, s)
    found = [
        f"{v}.add_(1)",
        f"{v}.mul_({w})",
        f"{v}.zero_()",
        f"{v}.copy_({w})",
        f"{v} += {w}",
        f"{v} *= 3",
        f"{v}[{v} > 1] = 0.25" if s else f"{v}.fill_(0.25)",
        f"{v}[...] = {w}",
        f"{v}.exp_()",
        f"{v}.relu_()",
        f"{v}.clamp_(min=0.75)",
        f"{v}.fill_(4.5)",
        f"{v}.masked_fill_({v} < 1, 7.0)",
        f"{v}.sub_({w}, alpha=0.5)",
        f"{v}.data.add_(1)",
        f"{v}.data.view(-1)[:1] = 9.0",
        f"{v}.detach().mul_(2)",
        f"{v}.view(-1).add_(1)",
        f"{v}.view(-1)[0:1].mul_(5)",
        f"torch._foreach_add_([{v}, {w}], 1)",
        f"torch._foreach_mul_([{v}], [{w}])",
        f"{v}.normal_()",
        f"torch.exp({v}, out={w if w.isidentifier() else v})",
        f"torch.mul({v}, 2, out={v})",
        f"torch.add({v}, {w}, out={w if w.isidentifier() else v})",
        f"torch.autograd.graph.increment_version({v})",
        f"{v}.untyped_storage().fill_(0)",
        f"{v}.squeeze_()" if 1 not in s else f"{v}.neg_()",
        f"{v}.addcmul_({w}, {w}, value=0.1)",
        f"{v}.lerp_({w}, 0.25)",
        f"{v}.sin_()",
    ]
    if s and s[0]:
        found += [
            f"{v}[0] = 5.0",
            f"{v}[0] += 1",
            f"{v}[1:] = 2.5",
            f"{v}[[0]] = 3.5",
            f"{v}[0].mul_(2)",
            f"{v}.index_add_(0, torch.tensor([0]), {v}[:1].detach())",
            f"{v}.index_fill_(0, torch.tensor([0]), 1.25)",
            f"for row in {v}: row.mul_(2)",
            f"[row.add_(1) for row in {v}.detach().unbind()]",
            f"{v}[::2] -= 0.5",
        ]
    if len(s) == 2:
        found += [
            f"{v}[:, 0] = 8.0",
            f"{v}.t().add_(1)",
            f"{v}.fill_diagonal_(6.0)",
            f"{v}[:, 1:].mul_(2)",
            f"{v}.data[:, 0] += 1",
        ]
        if s[0] == s[1]:
            found.append(f"{v}.t_()")
    return found[b % len(found)]


def replace(p: Program, a: int, b: int, c: int) -> str | None:
    """Return a statement that changes a tensor without an operator, for example by assigning to `.data` or `.grad`."""
    v = p.pick(a)
    if v is None:
        return None
    s = p.shapes[v]
    w = p.like(c, s)
    found = [
        f"{v}.data = {w}.detach().clone()",
        f"{v}.data = {w}.data",
        f"{v}.set_({w}.detach())",
        f"{v}.requires_grad_()",
        f"{v}.detach_()",
        f"{v}.grad = None",
        f"{v}.grad = torch.ones_like({v})",
        # Read `grad_fn` first. Otherwise these calls would use an outdated Node of a view whose base was written.
        f"{v}.grad_fn; {v}.retain_grad()",
        f"{v}.grad_fn; {v}.register_hook(lambda grad: grad * 2)",
        f"{v}.requires_grad_(False)",
        f"if {v}.grad is not None: {v}.grad.zero_()",
        f"if {v}.grad is not None: {v}.data -= 0.5 * {v}.grad",
        f"{v}.unsqueeze_(0).squeeze_(0)",
    ]
    return found[b % len(found)]


def numpy(p: Program, a: int, b: int, c: int) -> str | None:
    v = p.pick(a)
    if v is None:
        return None
    found = [f"array = {v}.detach().numpy()", f"{v}.detach().numpy()[...] = 2", f"np.asarray({v}.detach()).fill(3)"]
    if "array" in p.extra:
        found += ["array += 1", "array[...] = 7", "del array"]
    chosen = found[b % len(found)]
    if chosen.startswith("array ="):
        p.extra.add("array")
    if chosen == "del array":
        p.extra.discard("array")
    return chosen


def backward(p: Program, a: int, b: int, c: int) -> str | None:
    v, w = p.pick(a), p.pick(c)
    if v is None or w is None:
        return None
    keep = "True" if c % 2 else "False"
    found = [
        f"{v}.sum().backward()",
        f"{v}.sum().backward(retain_graph=True)",
        f"({v} * {v}).mean().backward(retain_graph={keep})",
        f"{v}.backward(torch.ones_like({v}), retain_graph={keep})",
        f"grad, = torch.autograd.grad({v}.sum(), {w}, retain_graph=True, allow_unused=True)",
        f"grad, = torch.autograd.grad({v}.pow(3).sum(), {w}, create_graph=True, allow_unused=True)",
        f"grad, = torch.autograd.grad([{v}], [{w}], [torch.ones_like({v})], retain_graph={keep}, allow_unused=True)",
        f"torch.autograd.backward([{v}.sum(), ({w} * 2).sum()])",
    ]
    return found[b % len(found)]


def rest(p: Program, a: int, b: int, c: int) -> str | None:
    v = p.pick(a)
    if v is None:
        return None
    s = p.shapes[v]
    found = [
        f"print({v}.tolist(), {v}.requires_grad, {v}.dtype)",
        f"print({v}._version)",
        f"print({v})",
        f"ref = weakref.ref({v})",
        f"kept = [{v}, {v}]",
        f"kept = {{'one': {v}}}",
        "gc.collect()",
        f"optimizer = torch.optim.SGD([{v}], lr=0.5, momentum=0.5)",
        f"optimizer = torch.optim.AdamW([{v}], lr=0.5)",
        f"print({v}.is_leaf, {v}.grad)",
    ]
    if "ref" in p.extra:
        found += ["print(ref() is None)"] * 3
    if "kept" in p.extra:
        found += ["del kept"] * 2
    if "optimizer" in p.extra:
        found += ["optimizer.step()", "optimizer.zero_grad()", "optimizer.step()"]
    chosen = found[b % len(found)]
    if chosen == "del kept":
        p.extra.discard("kept")
    if " = " in chosen:
        p.extra.add(chosen.split(" = ", maxsplit=1)[0])
    del s
    return chosen


def forget(p: Program, a: int, b: int, c: int) -> str | None:
    v = p.pick(a)
    if v is None or len(p.shapes) < 2:
        return None
    s = p.shapes[v]
    if b % 3 == 0:
        return f"{p.bind(c, s)} = {v}"
    del p.shapes[v]
    return f"del {v}" if b % 3 == 1 else f"{v} = None"


SIMPLE: list[Make] = [make, make, view, view, view, pair, compute, compute, compute, rest, rest, forget]
RISKY = len(SIMPLE)
"""The index of the first kind of statement that may raise."""
SIMPLE += [write, write, write, replace, numpy, backward, backward]
BLOCKS = [
    "with torch.no_grad():",
    "with torch.inference_mode():",
    "with torch.enable_grad():",
    "for turn in range(2):",
    "try:",
    "def function():",
    "def function(local):",
    "with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):",
    "if True:",
    "with torch.autograd.set_detect_anomaly(False):",
]


def source(numbers: list[Number]) -> str:
    """Return the snippet for a list of numbers."""
    program = Program()
    lines: list[str] = []
    supply = iter(numbers)
    for kind, a, b, c in supply:
        if kind < len(SIMPLE):
            statement = SIMPLE[kind](program, a, b, c) or make(program, a, b, c)
            lines += caught([statement]) if kind >= RISKY and (a + c) % 3 else [statement]
        else:
            lines += block(program, BLOCKS[a % len(BLOCKS)], list(islice(supply, 1 + b % 3)))
    return HEAD + "\n".join(lines) + "\n"


def block(program: Program, head: str, numbers: list[Number]) -> list[str]:
    """Return a compound statement.

    Afterwards, only variables that exist on every path through it count as existing.
    """
    before = dict(program.shapes)
    body = [SIMPLE[kind % len(SIMPLE)](program, a, b, c) or make(program, a, b, c) for kind, a, b, c in numbers] or ["pass"]
    if head == "try:":
        program.shapes = {name: shape for name, shape in before.items() if program.shapes.get(name) == shape}
        return caught(body)
    lines = [head, *("    " + line for line in body)]
    if head == "def function():":
        return [head, "    global array, grad, kept, optimizer, ref, " + ", ".join(NAMES), *lines[1:], "function()"]
    if head == "def function(local):":
        return local_function(program, before, numbers)
    return lines


def local_function(program: Program, before: dict[str, Shape], numbers: list[Number]) -> list[str]:
    """Return a function definition and a call.

    All variables of the function are local. The function takes one tensor as an argument, and returns a tensor for the same
    variable.
    """
    program.shapes = before
    given = program.pick(len(numbers))
    if given is None:
        return ["pass"]
    inside = Program()
    inside.shapes = {"local": program.shapes[given]}
    body = [SIMPLE[kind % len(SIMPLE)](inside, a, b, c) or make(inside, a, b, c) for kind, a, b, c in numbers] or ["pass"]
    result = inside.pick(len(numbers)) or "None"
    if result != "None":
        program.shapes[given] = inside.shapes[result]
    body = ["    " + line for line in [*body, f"return {result}"]]
    return ["def function(local):", *body, f"{given} = function({given})"]


def caught(body: list[str]) -> list[str]:
    """Wrap statements in `try` and `except`, and print the exception."""
    inner = ["    " + line for line in body]
    return ["try:", *inner, "except Exception as error:", "    print(type(error).__name__, error)"]


def programs(most: int = 24) -> st.SearchStrategy[str]:
    small = st.integers(0, 63)
    number = st.tuples(st.integers(0, len(SIMPLE) + 2), small, small, small)
    return st.lists(number, min_size=most // 3, max_size=most).map(source)


def printed_state(text: str) -> str:
    """Append lines to a snippet that print the final state of all its tensors."""
    lines = [
        "for _name, _value in sorted(globals().copy().items()):",
        "    if isinstance(_value, torch.Tensor):",
        "        print(_name, _value.shape, _value.is_inference() or _value._version, _value.requires_grad, _value.tolist())",
    ]
    return text + "\n".join(lines) + "\n"
