"""The records of a trace: flat tables linked by serial ids, and facts that are valid from a tick on.

Terms:

- *tick*: the only clock of a run, an integer that increases by one with every observation. Ticks give an order, not a duration.
- *fact*: a pair `[tick, value]`. In a list of facts, a value is valid from its tick until the tick of the next entry.
- *step*: an interval of ticks. The state after a step consists of all facts with tick <= `step.ended`.
- *id*: the number of a record in its table, from 0, in the order of first sight: `trace.tensors[i].id == i`. Never an address.

Most record types `X` have two classes: `XFacts` has the id and the fields that may be learnt later, `X` adds the fields that are
known at first sight. A record is sent once, and later facts follow as `XFacts` (see `chunks.py`). Therefore a killed run leaves
a valid trace. `id` is the last field of `XFacts`, because fields are encoded in the order of their declaration, and that order
must stay the same for stored traces. Units are torch's: shape, stride and storage_offset count elements. Other sizes of memory
are in bytes, as their names show.
"""

from typing import Annotated, Final, Literal, NewType

import msgspec

FORMAT = 3
"""Version of the format; `FORMAT.md` has its history."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A non-negative integer that JavaScript represents exactly."""

Whole = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
Word = Annotated[str, msgspec.Meta(max_length=4096)]
"""A short text, such as a name, path or dtype. The recorder shortens longer text (`clipping.clip`)."""

Address = Annotated[str, msgspec.Meta(pattern=r"\A0x[0-9a-f]{1,16}\Z")]
MOST_TEXT = 1 << 16
Text = Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]
"""A long text: what the snippet printed, the message of an exception, or a reason. The recorder shortens longer text."""

Source = Annotated[str, msgspec.Meta(max_length=1 << 20, pattern=r"\A[^\0]*\Z")]
Sizes = Annotated[list[Count], msgspec.Meta(max_length=64)]
"""One number per dimension. Torch itself allows at most 64 dimensions."""

Tick = NewType("Tick", Count)
FileId = NewType("FileId", Count)
StepId = NewType("StepId", Count)
FrameId = NewType("FrameId", Count)
NameId = NewType("NameId", Count)
VariableId = NewType("VariableId", Count)
TensorId = NewType("TensorId", Count)
StorageId = NewType("StorageId", Count)
VersionCounterId = NewType("VersionCounterId", Count)
WriteId = NewType("WriteId", Count)
NodeId = NewType("NodeId", Count)
ModuleId = NewType("ModuleId", Count)
SavedTensorId = NewType("SavedTensorId", Count)
GradientId = NewType("GradientId", Count)
OutputId = NewType("OutputId", Count)
HookId = NewType("HookId", Count)

Value = bool | int | float | str | tuple[float | str, float | str]
"""One element of a tensor.

NaN and the infinities are the strings "nan", "inf" and "-inf". An integer beyond 2**53 is a string of its decimal digits. A
complex number is the pair [real, imaginary]. A float is the shortest decimal that reads back as the same value: as a float64 if
the dtype is float64, otherwise as a float32 (float32 0.1 is 0.1, float16 0.1 is 0.099975586).
"""


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The base class of all records, which are immutable. Decoding refuses unknown fields, and encoding omits defaults. Records
    have no cycles; therefore `gc` is off."""


class Unknown(Record, frozen=True, kw_only=True, tag_field="kind", tag="unknown"):
    """A value that the recorder could not read, or whose reading made torch raise an error. `reason` is one sentence."""

    reason: Text


class Span(Record, frozen=True, kw_only=True):
    """A range of source text. Lines count from 1, columns from 0 in Unicode code points. `end_column` is exclusive."""

    line: Count
    column: Count
    end_line: Count
    end_column: Count
    file: FileId | None = None
    """The File that contains the text; None for the trace's own source."""


MOST_FILES: Final = 64
MOST_FILE_TEXT: Final = 1 << 20
"""Maximum characters of the texts of all files of a trace together."""


class File(Record, frozen=True, kw_only=True):
    """A source file other than the trace's own source, to which a record of the trace refers."""

    id: FileId
    path: Word
    """A path relative to a package or a followed folder, or only a name. Never absolute. Separated by "/" on every system."""
    text: Text = ""
    """The lines that ran, up to a limit of length; other lines are blank. The text is empty if the file is not followed."""
    is_followed: bool = False
    """Whether the recorder follows the file, so that its statements are steps. Of other files, only the lines from which
    operators wrote memory are recorded."""


class Place(Record, frozen=True, kw_only=True):
    """A line of a File, counted from 1. `file` is None for the trace's own source."""

    line: Count
    file: FileId | None = None


# --- values ---------------------------------------------------------------------------------------------------------


class Cells(Record, frozen=True, kw_only=True, tag_field="kind", tag="cells"):
    """All elements: of a Storage in storage order, of a Gradient in row-major order."""

    dtype: Word
    values: Annotated[list[Value], msgspec.Meta(max_length=1 << 20)]


Levels = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{2}){1,16}\Z")]
"""Two hexadecimal digits per element: 00 to fe for the Summary's min to its max, ff for a value that is not finite."""


Pixels = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{2}){1,96}\Z")]
"""The levels of a row of pixels: for each pixel, one level per channel."""


class Image(Record, frozen=True, kw_only=True):
    """The first image of a tensor (N, 1 or 3, H, W): at most 32 x 32 pixels, with the same spacing in both directions."""

    channels: Annotated[int, msgspec.Meta(ge=1, le=3)]
    rows: Annotated[list[Pixels], msgspec.Meta(max_length=32)]


class Summary(Record, frozen=True, kw_only=True, tag_field="kind", tag="summary"):
    """Describes values of which there are too many to keep each of them. min, max and mean describe the finite values; None if
    there are none."""

    dtype: Word
    count: Count
    min: Value | None
    max: Value | None
    mean: Value | None
    nan_count: Count
    inf_count: Count
    histogram: Annotated[list[Count], msgspec.Meta(max_length=256)]
    """Numbers of finite values in bins of equal width from min to max, for a sample of at most 32 x 32 evenly spaced elements."""
    picture: Annotated[list[Levels], msgspec.Meta(max_length=16)]
    """A coarse picture: rows of at most 16 evenly spaced elements."""
    image: Image | None = None
    """The first image, if a tensor reads the Storage as images; else None."""


Contents = Cells | Summary | Unknown


class Held(Record, frozen=True, kw_only=True):
    """The value of a variable or of an expression statement that is not a Tensor.

    Only values of built-in classes are written out. Recording a value runs no code of the snippet.
    """

    kind: Literal["value", "collection", "array", "object", "function", "class", "module"] = "value"
    type: Word
    """Name of its Python class."""
    text: Word | None = None
    """value, collection: its `repr`, shortened with "…"; array: shape and dtype; function, class, module: its name.

    None for an object, a long int (see `length`), and a value that `record()` was told not to keep.
    """
    length: Count | None = None
    """collection: number of items; shortened str or bytes: full length; int too long to write: approximate number of digits."""
    address: Address | None = None
    """array: the address of its first byte. A Storage whose bytes overlap the array's bytes shares memory with it."""
    span: Count | None = None
    """array: the number of bytes from its first to its last byte."""


# --- the run: steps, frames, output -----------------------------------------------------------------------------------

StepKind = Literal["statement", "operator", "node", "call", "exception"]


Substituted = Literal["compile", "workers", "process_group"]
"""compile: torch.compile ran its function eagerly. workers: a DataLoader loaded its batches without worker processes.
process_group: a process group of one rank was created without a socket."""


class StepFacts(Record, frozen=True, kw_only=True):
    """The id of a Step, and the fields that may be learnt later."""

    ended: Tick | None = None
    """None if the run ended during this step."""
    other_threads: bool | None = None
    """Whether other threads of the program ran during this step. Their operators are not recorded, only the changes that were
    found when a statement ended."""
    substituted: Substituted | None = None
    """The feature that the sandbox replaced during this step, because a run has no compiler, no further processes and no
    sockets."""
    result: TensorId | Held | None = None
    """statement: the value of an expression statement of the module, which an interactive Python would print."""
    id: StepId


class Step(StepFacts, frozen=True, kw_only=True):
    """An executed statement, operator, Node or call, or an exception: an interval of ticks. Steps nest through `parent`."""

    kind: StepKind
    began: Tick
    parent: StepId | None = None
    frame: FrameId | None = None
    """The Frame that ran the step; None for a Node, because C++ runs Nodes."""
    span: Span | None = None
    name: Word | None = None
    """operator: its qualified ATen name; call: the name of the function; exception: the name of its type. Otherwise None."""
    node: NodeId | None = None
    """kind "node": the Node that ran."""
    message: Text | None = None
    """kind "exception": the message; None if creating the message would run code of the snippet."""
    grad_enabled: bool = True
    inference: bool = False
    autocast: bool = False
    """Whether torch.autocast is active, for the CPU or for CUDA. For an operator, `autocast`, `autocast_dtype` and `anomaly`
    are copied from its parent step."""
    autocast_dtype: Word | None = None
    """The dtype to which autocast casts; None if it is off."""
    anomaly: bool = False
    """Whether `torch.autograd.detect_anomaly` is active, which records where each Node was created."""
    saved_tensors_hooks: Literal["active", "disabled"] | None = None
    """active: a pair of hooks packs saved tensors (`save_on_cpu` and `checkpoint` use one too), and torch does not check their
    versions. disabled: registering such hooks raises."""


class FrameFacts(Record, frozen=True, kw_only=True):
    """The id of a Frame, and the fields that may be learnt later."""

    ended: Tick | None = None
    id: FrameId


class Frame(FrameFacts, frozen=True, kw_only=True):
    """One call of a function of the snippet, or the execution of a class body or module. Frame 0 is the module."""

    function: Word
    began: Tick
    parent: FrameId | None = None
    line: Count
    """The first line of the function, counted from 1."""
    file: FileId | None = None
    """The File that contains the function; None for the trace's own source."""
    constructs: Word | None = None
    """For the `__init__` of a torch.nn.Module or of a base class: the name of the class of the Module under construction."""


NATIVE: Final = "native"
"""The category of text that native code wrote to descriptor 1 or 2. The recorder knows neither the time of the write nor the
descriptor."""


class Output(Record, frozen=True, kw_only=True):
    """Text that was printed at `tick`, or a warning. `category` is the class name of a warning, or NATIVE; `line` is the line
    for which the warning was issued."""

    id: OutputId
    tick: Tick
    stream: Literal["stdout", "stderr", "warning"]
    text: Text
    category: Word | None = None
    line: Count | None = None
    file: FileId | None = None
    """The File of `line`; None for the trace's own source."""


# --- memory: names, tensors, storages, version counters, writes ---------------------------------------------------------


class NameFacts(Record, frozen=True, kw_only=True):
    """The id of a Name, and the fields that may be learnt later."""

    tensor: list[tuple[Tick, TensorId | None]] = []
    """The tensor to which the path leads; a value of None means that the path no longer leads to a tensor."""
    is_buffer: list[tuple[Tick, bool]] = []
    """Whether the path leads to a buffer of a torch.nn.Module. False before the first fact."""
    id: NameId


class Name(NameFacts, frozen=True, kw_only=True):
    """A path from a frame's variable to a tensor: `x`, `model.fc.weight`, `history[2]`. (`x.grad` has no Name, because it is
    the Tensor's `grad`.)"""

    path: Word
    frame: FrameId
    key: TensorId | None = None
    """The Tensor that the path contains as the key of a dict: `w` in `optimizer.state[w]['exp_avg']`."""


class VariableFacts(Record, frozen=True, kw_only=True):
    """The id of a Variable, and the fields that may be learnt later."""

    value: list[tuple[Tick, Held | None]] = []
    """A value of None means that the variable was deleted, or that it holds a Tensor, which a Name describes."""
    id: VariableId


class Variable(VariableFacts, frozen=True, kw_only=True):
    """A variable of a frame that held a value other than a Tensor."""

    name: Word
    frame: FrameId


SHAPELESS = ("nested", "uninitialized", "opaque")
"""Layouts without a shape: of a nested Tensor, of a lazy module's parameter before its first input, and of a Tensor whose shape
cannot be read because its class overrides it, its sizes are symbols, or a size is beyond 2**53."""


class Geometry(Record, frozen=True, kw_only=True):
    """How a Tensor reads its Storage. shape, stride and storage_offset count elements, not bytes.

    For the layouts in SHAPELESS, `shape` is `[]` and has no meaning.
    """

    dtype: Word
    device: Word
    layout: Word
    shape: Sizes
    stride: Sizes | None
    """The stride, in elements; None for a layout without strides (sparse)."""
    storage_offset: Count | None
    storage: StorageId | None
    """The Storage that the Tensor reads; None if torch shows no storage (sparse, or an error)."""
    is_conj: bool = False
    """Whether the Tensor conjugates the elements that it reads (`z.conj()` is a view)."""
    is_neg: bool = False
    """Whether the Tensor negates the elements that it reads (`z.conj().imag` is a view)."""


class GradFn(Record, frozen=True, kw_only=True, tag_field="kind", tag="grad_fn"):
    """`tensor.grad_fn`, and the index of the Node's output that is this Tensor."""

    node: NodeId
    output_nr: Count


class TensorFacts(Record, frozen=True, kw_only=True):
    """The id of a Tensor, and the fields that may be learnt later."""

    geometry: list[tuple[Tick, Geometry]] = []
    version_counter: list[tuple[Tick, VersionCounterId | Unknown | None]] = []
    """The VersionCounter of the Tensor; None for an inference tensor, which has none."""
    requires_grad: list[tuple[Tick, bool]] = []
    is_leaf: list[tuple[Tick, bool | Unknown]] = []
    base: list[tuple[Tick, TensorId | None]] = []
    grad: list[tuple[Tick, TensorId | None]] = []
    grad_fn: list[tuple[Tick, GradFn | Unknown | None]] = []
    tangent: list[tuple[Tick, TensorId | None]] = []
    """The Tensor that holds its tangent within a `forward_ad.dual_level()`. None before the first fact."""
    died: Tick | None = None
    id: TensorId


class Tensor(TensorFacts, frozen=True, kw_only=True):
    """One observed `torch.Tensor` object."""

    born: Tick
    type: Word
    """The name of the tensor's Python class when the recorder first saw it. A lazy module later changes the class of its
    parameters."""
    made_by: StepId | None = None
    """The step during which the recorder first saw the Tensor."""
    address: Address | None = None
    """`id()` of the Python object, which Python may reuse for a later object. None in recordings from before 2026-11-23."""


class StorageFacts(Record, frozen=True, kw_only=True):
    """The id of a Storage, and the fields that may be learnt later."""

    nbytes: list[tuple[Tick, Count]] = []
    moved: list[tuple[Tick, Address]] = []
    """A new `data_ptr()` for each time that torch moved the bytes to another address (`resize_`, `share_memory_`)."""
    contents: list[tuple[Tick, Contents]] = []
    """The elements in storage order from byte 0. Their dtype is in the Contents."""
    freed: Tick | None = None
    id: StorageId


class Storage(StorageFacts, frozen=True, kw_only=True):
    """One `UntypedStorage`: the bytes that Tensors read."""

    born: Tick
    device: Word
    address: Address
    """`data_ptr()` when the recorder first saw the Storage. An address does not identify a Storage, because torch reuses
    addresses."""


class VersionCounterFacts(Record, frozen=True, kw_only=True):
    """The id of a VersionCounter, and the fields that may be learnt later."""

    version: list[tuple[Tick, Whole | Unknown]] = []
    id: VersionCounterId


class VersionCounter(VersionCounterFacts, frozen=True, kw_only=True):
    """A version counter. `detach()` shares the counter and the Storage; `.data` shares only the Storage."""


class Write(Record, frozen=True, kw_only=True):
    """Bytes `[begin, end)` of a Storage were written, or an operator ran whose schema declares that it writes them."""

    id: WriteId
    tick: Tick
    step: StepId | None
    storage: StorageId
    begin: Count
    end: Count
    tensor: TensorId | None
    """The Tensor that was written, or moved to other bytes (`x.data = y`); None if other code than torch wrote the bytes."""
    operator: Word | None
    """The ATen name of the operator; None if no operator wrote the bytes."""
    version_counter: VersionCounterId | None
    """The counter that the write incremented, if any."""
    version: Whole | None
    """The counter's value after the write; None without a counter, or if no Tensor with this counter was alive to read the
    value from."""
    changed: bool | None
    """Whether any byte has a new value; None if that is unknown, for example because the Storage is too large to compare."""
    place: Place | None = None
    """The innermost line of Python code that ran the operator, if that line is in a file that is not followed. Lines of torch and
    of the standard library are skipped."""


# --- autograd: Nodes, saved tensors, gradients --------------------------------------------------------------------------


class Module(Record, frozen=True, kw_only=True):
    """A `torch.nn.Module` that the snippet or another Module called. A module that is called within two different modules has two
    records, one for each parent."""

    id: ModuleId
    type: Word
    """Name of its Python class."""
    parent: ModuleId | None = None
    """The Module that called this Module; None if the snippet called it."""
    name: Word | None = None
    """With a parent, the path under which the parent has registered this Module ("fc", "layers.0"). Without a parent, the path
    from a variable of the snippet ("model", "model.fc"). None if there is no such path."""


class Edge(Record, frozen=True, kw_only=True):
    """One entry of `next_functions`."""

    node: NodeId
    input_nr: Count


class Metadata(Record, frozen=True, kw_only=True):
    """The shape and dtype that a Node expects of one incoming gradient."""

    shape: Sizes
    dtype: Word


MOST_SCALARS: Final = 8
MOST_SCALAR_TEXT: Final = 32
MOST_SCALAR_SIZES: Final = 8
Scalar = (
    bool
    | Whole
    | float
    | Annotated[str, msgspec.Meta(max_length=MOST_SCALAR_TEXT)]
    | Annotated[list[Whole], msgspec.Meta(max_length=MOST_SCALAR_SIZES)]
)
"""A saved value of a Node that is not a tensor. A float that is not finite is "nan", "inf" or "-inf"."""


class NodeFacts(Record, frozen=True, kw_only=True):
    """The id of a Node, and the fields that may be learnt later."""

    freed: Tick | None = None
    id: NodeId


class Node(NodeFacts, frozen=True, kw_only=True):
    """One `torch.autograd.graph.Node`."""

    name: Word
    """`Node.name()` verbatim, e.g. "MvBackward0", "torch::autograd::AccumulateGrad"."""
    born: Tick
    made_by: StepId | None
    sequence_nr: Count | None
    """Torch's sequence number; None for AccumulateGrad, which has the number 2**64 - 1."""
    edges: list[Edge | None]
    """The entries of `next_functions`, in order; None for an entry without a Node."""
    inputs: list[Metadata | None]
    variable: TensorId | None = None
    """The leaf into which an AccumulateGrad accumulates; None for other Nodes. Otherwise None."""
    module: ModuleId | None = None
    """The innermost Module whose call created the Node; None if there is none, and for AccumulateGrad."""
    scalars: Annotated[dict[Word, Scalar], msgspec.Meta(max_length=MOST_SCALARS)] = {}
    """The Node's saved values that are not tensors, by torch's names: "exponent", "dim", "keepdim". Sizes of tensors are left
    out."""


class SavedTensorFacts(Record, frozen=True, kw_only=True):
    """The id of a SavedTensor, and the fields that may be learnt later."""

    outdated: list[tuple[Tick, WriteId]] = []
    """At most one entry: the first Write after which the counter differed from `version`. Torch raises an error when a backward
    needs this saved tensor."""
    overwritten: list[tuple[Tick, WriteId | None]] = []
    """The first Write after which the bytes differed from the saved bytes; None when they are equal again. If a saved tensor is
    overwritten and not outdated when its Node runs, the gradient is silently wrong."""
    undecided: Literal["no_bytes", "gone", "unseen"] | None = None
    """Why it is unknown whether the Write in `overwritten` changed the bytes. no_bytes: the bytes cannot be read (a meta
    tensor); gone: the saved bytes no longer exist (`x.data = y`); unseen: the write was noticed only afterwards."""
    released: Tick | None = None
    id: SavedTensorId


class SavedTensor(SavedTensorFacts, frozen=True, kw_only=True):
    """A tensor that a Node keeps for backward, as it was when the Node was first seen."""

    node: NodeId
    name: Word
    """Torch's name of the saved tensor ("self", "result", "mat2"), with the index if it is in a list ("tensors[1]")."""
    tick: Tick
    tensor: TensorId | None
    """A Tensor that read the same elements with the same counter at that tick; None if no such Tensor was known."""
    geometry: Geometry
    version_counter: VersionCounterId | None
    version: Whole | None
    available: bool = True
    reason: Text | None = None
    """Why `available` is False: a hook of the snippet packed it, or its Function stores it outside the saved tensors."""


class Hook(Record, frozen=True, kw_only=True):
    """A hook or `retain_grad()` that the program registered on a Tensor."""

    id: HookId
    tick: Tick
    step: StepId | None
    tensor: TensorId
    kind: Literal["gradient", "accumulated", "retain"]
    """gradient: `register_hook`; accumulated: `register_post_accumulate_grad_hook`; retain: `retain_grad`."""
    function: Word | None = None
    """The name of the hook function; None for a callable that is not a function, and for `retain_grad`."""


class Gradient(Record, frozen=True, kw_only=True):
    """A gradient that Node `node` sent along its edge number `edge` to input `input_nr` of Node `to`. `node` is None for a gradient
    with which backward started at a root."""

    id: GradientId
    tick: Tick
    step: StepId | None
    node: NodeId | None
    edge: Count | None
    to: NodeId | None
    input_nr: Count
    shape: Sizes
    value: Contents


Seconds = Annotated[float, msgspec.Meta(gt=0, le=600)]


class Limits(Record, frozen=True, kw_only=True):
    """The resources that a run may use. Reaching a limit is an end of the run (`ends.py`), not an error."""

    wall_seconds: Seconds = 8.0
    cpu_seconds: Count = 5
    memory_bytes: Count = 1 << 30
    """The memory of the snippet, in addition to the memory that torch itself maps."""
    output_bytes: Count = 64 << 10
    source_bytes: Count = 256 << 10
    tmp_bytes: Count = 16 << 20
    threads: Count = 64
    statements: Count = 20_000
    steps: Count = 100_000
    trace_bytes: Count = 32 << 20
    cells: Count = 256
    """A Storage or Gradient with at most this many elements is recorded with all its values."""


class Request(Record, frozen=True, kw_only=True):
    """A request to run a snippet. `source` is text without NUL."""

    source: Source
    seed: Whole = 0
    limits: Limits = Limits()
    stand_in: bool = False
    """Let the CPU stand in for a missing GPU: `device="cuda"` works, and each tensor reports the device that it would have on a
    machine with a GPU."""
    keep_saved: bool = False
    """Let backward use copies of saved tensors, so that later writes do not change them. This is set for the runs that compute
    corrected gradients."""


class Header(Record, frozen=True, kw_only=True):
    """The versions, limits and modes with which the run was recorded."""

    format: Count
    stepgrad: Word
    python: Word
    torch: Word
    device: Word
    seed: Whole
    limits: Limits
    packages: dict[Word, Word] = {}
    """Versions of packages that the snippet could import in addition to torch and the standard library, by import name."""
    stand_in: bool = False
    """Whether the CPU stood in for a GPU. Then every `device` "cuda:0" in the trace is a label, and all values were computed on
    the CPU."""
    in_process: bool = False
    """Whether the program recorded itself with `record()`, without a sandbox. Then a limit ended the recording, not the
    program."""
    keep_saved: bool = False
    """Whether backward used copies of saved tensors. Then the trace has SavedTensors only for tensors that could not be copied."""
