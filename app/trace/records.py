"""The records of a trace: flat tables linked by serial ids, and facts that hold from a tick on.

Terms, one per idea:

- *tick*: the run's only clock, an integer that grows by one with every observation. It is an order, not a duration.
- *fact*: a pair `[tick, value]`. In a list of facts the value holds from its tick until the next entry's tick.
- *step*: an interval of ticks; "the state after a step" is every fact with tick <= `step.ended`.
- *id*: first sight = next number, from 0, per table; `trace.tensors[i].id == i`. Never an address.

Every record type `X` is split in two: `XFacts` holds its id and what may be learnt later, `X` adds what is known at first sight.
On the wire a record is sent once and later facts follow as `XFacts` (see `chunks.py`): a run that is killed leaves a whole trace.
The id stands last there, because fields are written in the order of their declaration, which no stored trace may see change.
Units are torch's: shape, stride and storage_offset in elements; everything else that counts memory is in bytes and says so.
"""

from typing import Annotated, Final, Literal, NewType

import msgspec

FORMAT = 3
"""Version of the format; `FORMAT.md` has its history."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that is never negative, and exact in JavaScript."""

Whole = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
Word = Annotated[str, msgspec.Meta(max_length=4096)]
"""A name, a path, a dtype. The recorder shortens it (`clipping.clip`)."""

Address = Annotated[str, msgspec.Meta(pattern=r"\A0x[0-9a-f]{1,16}\Z")]
MOST_TEXT = 1 << 16
Text = Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]
"""Printed text, the message of an exception, or a reason. The recorder shortens it."""

Source = Annotated[str, msgspec.Meta(max_length=1 << 20, pattern=r"\A[^\0]*\Z")]
Sizes = Annotated[list[Count], msgspec.Meta(max_length=64)]
"""One number per dimension; torch itself stops at 64 dimensions."""

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

What JSON cannot carry has one written-down form: "nan", "inf" and "-inf" are strings; an integer beyond 2**53 is its
decimal string; a complex number is the pair [real, imaginary]. A float is the shortest decimal that reads back as the
same value as a float64 if that is its dtype, else as a float32 (float32 0.1 is 0.1, float16 0.1 is 0.099975586).
"""


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """Base of everything in a trace: immutable, strict, and silent about defaults on the wire. None can hold itself."""


class Unknown(Record, frozen=True, kw_only=True, tag_field="kind", tag="unknown"):
    """The recorder could not see, or torch refused to say. `reason` is one plain sentence."""

    reason: Text


class Span(Record, frozen=True, kw_only=True):
    """A piece of the snippet. Lines count from 1; columns from 0 in Unicode code points; `end_column` is exclusive."""

    line: Count
    column: Count
    end_line: Count
    end_column: Count
    file: FileId | None = None
    """The File it stands in; None for the trace's own source."""


MOST_FILES: Final = 64
MOST_FILE_TEXT: Final = 1 << 20
"""Characters that the texts of all files of a trace have together."""


class File(Record, frozen=True, kw_only=True):
    """A file other than the trace's own source that something in the trace stands in."""

    id: FileId
    path: Word
    """Relative to the folder of its package, or its name alone: never where it lies on the machine. With "/" on every system."""
    text: Text = ""
    """The lines that ran, as many as fit; others are blank. Empty of a file that was not followed."""
    is_followed: bool = False
    """Its statements are steps. Of another file no more is known than the lines of writes."""


class Place(Record, frozen=True, kw_only=True):
    """A line, from 1, of a File or (None) of the trace's own source."""

    line: Count
    file: FileId | None = None


# --- values ---------------------------------------------------------------------------------------------------------


class Cells(Record, frozen=True, kw_only=True, tag_field="kind", tag="cells"):
    """All elements, in storage order (for a Storage) or row-major order (for a Gradient)."""

    dtype: Word
    values: Annotated[list[Value], msgspec.Meta(max_length=1 << 20)]


Levels = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{2}){1,16}\Z")]
"""Two hexadecimal digits per element: 00 to fe from a Summary's min to its max, ff for a value that is not finite."""


Pixels = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{2}){1,96}\Z")]
"""Levels of a row of pixels, channel by channel for each pixel."""


class Image(Record, frozen=True, kw_only=True):
    """The first image of a tensor (N, 1 or 3, H, W): at most 32 x 32 pixels at even distances, the same in both directions."""

    channels: Annotated[int, msgspec.Meta(ge=1, le=3)]
    rows: Annotated[list[Pixels], msgspec.Meta(max_length=32)]


class Summary(Record, frozen=True, kw_only=True, tag_field="kind", tag="summary"):
    """The shape of values too many to keep. min, max and mean leave NaN and inf out, and are None when nothing is left."""

    dtype: Word
    count: Count
    min: Value | None
    max: Value | None
    mean: Value | None
    nan_count: Count
    inf_count: Count
    histogram: Annotated[list[Count], msgspec.Meta(max_length=256)]
    """Counts of finite values in equal-width bins from min to max, of at most 32 x 32 elements at evenly spaced places."""
    picture: Annotated[list[Levels], msgspec.Meta(max_length=16)]
    """A coarse picture: rows of at most 16 elements at evenly spaced places."""
    image: Image | None = None
    """Of a Storage that a tensor reads as images."""


Contents = Cells | Summary | Unknown


class Held(Record, frozen=True, kw_only=True):
    """A value that is no Tensor, of a variable or a bare expression.

    Only what Python itself defines is written out: nothing of the snippet is asked.
    """

    kind: Literal["value", "collection", "array", "object", "function", "class", "module"] = "value"
    type: Word
    """Name of its Python class."""
    text: Word | None = None
    """value, collection: as Python writes it, cut short with "…"; array: shape and dtype; function, class, module: its name.

    None: see `length`.
    """
    length: Count | None = None
    """collection: how many items; a text or bytes cut short: its whole length; an int too long to write: about how many digits."""
    address: Address | None = None
    """array: where the first of its bytes lies; a Storage that lies there, too, is the same memory."""
    span: Count | None = None
    """array: how many bytes there are from its first to its last."""


# --- the run: steps, frames, output -----------------------------------------------------------------------------------

StepKind = Literal["statement", "operator", "node", "call", "exception"]


Substituted = Literal["compile", "workers", "process_group"]
"""compile: torch.compile ran its function eagerly. workers: a DataLoader loaded its batches without worker processes.
process_group: a process group of one rank was created without a socket."""


class StepFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a Step later."""

    ended: Tick | None = None
    """Absent when the run was cut in the middle of this step."""
    other_threads: bool | None = None
    """Other threads of the program ran during this step. Their operators are not recorded, only the changes found after a
    statement."""
    substituted: Substituted | None = None
    """What the sandbox replaced during this step, because a run cannot start it."""
    result: TensorId | Held | None = None
    """statement: what a bare expression of the module gives, as an interactive Python shows it."""
    id: StepId


class Step(StepFacts, frozen=True, kw_only=True):
    """Something that ran: an interval of ticks. Steps nest through `parent`."""

    kind: StepKind
    began: Tick
    parent: StepId | None = None
    frame: FrameId | None = None
    """The Python frame that ran it; None for a Node, which C++ runs."""
    span: Span | None = None
    name: Word | None = None
    """operator: its qualified ATen name; call: the function's; exception: the type's. None for a statement and a Node."""
    node: NodeId | None = None
    """For kind "node": which Node ran."""
    message: Text | None = None
    """For kind "exception": the text torch or Python gave."""
    grad_enabled: bool = True
    inference: bool = False
    autocast: bool = False
    """Whether torch.autocast is on, for the CPU or for CUDA. An operator has this, the dtype and `anomaly` from its step."""
    autocast_dtype: Word | None = None
    """To which dtype autocast casts; None where it is off."""
    anomaly: bool = False
    """Within `torch.autograd.detect_anomaly`, which records where each Node was made."""
    saved_tensors_hooks: Literal["active", "disabled"] | None = None
    """active: a pair of hooks packs saved tensors (`save_on_cpu` and `checkpoint` use one too), and torch does not check their
    versions. disabled: entering such a pair raises."""


class FrameFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a Frame later."""

    ended: Tick | None = None
    id: FrameId


class Frame(FrameFacts, frozen=True, kw_only=True):
    """One call of the snippet's own code. Frame 0 is the module itself."""

    function: Word
    began: Tick
    parent: FrameId | None = None
    line: Count
    """First line of the function, from 1."""
    file: FileId | None = None
    """The File that the function stands in; None for the trace's own source."""
    constructs: Word | None = None
    """Of the `__init__` of a torch.nn.Module: the name of the class of the Module that it was called with."""


NATIVE: Final = "native"
"""The category of text that native code wrote to descriptor 1 or 2: when, and to which of both, is not known."""


class Output(Record, frozen=True, kw_only=True):
    """Text the run put out at `tick`. `category` is the class name of a warning, or NATIVE; `line` is where it was raised."""

    id: OutputId
    tick: Tick
    stream: Literal["stdout", "stderr", "warning"]
    text: Text
    category: Word | None = None
    line: Count | None = None
    file: FileId | None = None
    """The File that `line` counts in; None for the trace's own source."""


# --- memory: names, tensors, storages, version counters, writes ---------------------------------------------------------


class NameFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a Name later."""

    tensor: list[tuple[Tick, TensorId | None]] = []
    """None: the name no longer reaches a tensor."""
    is_buffer: list[tuple[Tick, bool]] = []
    """Whether the path ends at a buffer of a torch.nn.Module. Before the first fact it does not."""
    id: NameId


class Name(NameFacts, frozen=True, kw_only=True):
    """A path from a frame's variable to a tensor: `x`, `model.fc.weight`, `history[2]`. (`x.grad` is the Tensor's `grad`.)"""

    path: Word
    frame: FrameId
    key: TensorId | None = None
    """The Tensor that is a key in the path: `w` in `optimizer.state[w]['exp_avg']`."""


class VariableFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a Variable later."""

    value: list[tuple[Tick, Held | None]] = []
    """None: it holds nothing any more, or a Tensor, which is a Name's to tell."""
    id: VariableId


class Variable(VariableFacts, frozen=True, kw_only=True):
    """A variable of a frame that held something other than a Tensor."""

    name: Word
    frame: FrameId


SHAPELESS = ("nested", "uninitialized", "opaque")
"""Layouts without a shape: of a nested Tensor, of a lazy module's parameter before its first input, and of a Tensor whose shape
cannot be read because its class overrides it, its sizes are symbols, or a size is beyond 2**53."""


class Geometry(Record, frozen=True, kw_only=True):
    """How a Tensor reads its Storage. shape, stride and storage_offset count elements, not bytes.

    For the layouts SHAPELESS `shape` is `[]` and has no meaning.
    """

    dtype: Word
    device: Word
    layout: Word
    shape: Sizes
    stride: Sizes | None
    """None for a layout without strides (sparse)."""
    storage_offset: Count | None
    storage: StorageId | None
    """None when torch shows no storage (sparse, or refused)."""
    is_conj: bool = False
    """The Tensor reads its bytes conjugated (`z.conj()` is a view)."""
    is_neg: bool = False
    """The Tensor reads its bytes negated (`z.conj().imag` is a view)."""


class GradFn(Record, frozen=True, kw_only=True, tag_field="kind", tag="grad_fn"):
    """`tensor.grad_fn`, and which of the Node's outputs the Tensor is."""

    node: NodeId
    output_nr: Count


class TensorFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a Tensor later."""

    geometry: list[tuple[Tick, Geometry]] = []
    version_counter: list[tuple[Tick, VersionCounterId | Unknown | None]] = []
    """None: an inference tensor, which has no counter."""
    requires_grad: list[tuple[Tick, bool]] = []
    is_leaf: list[tuple[Tick, bool | Unknown]] = []
    base: list[tuple[Tick, TensorId | None]] = []
    grad: list[tuple[Tick, TensorId | None]] = []
    grad_fn: list[tuple[Tick, GradFn | Unknown | None]] = []
    tangent: list[tuple[Tick, TensorId | None]] = []
    """In a `forward_ad.dual_level()`: the derivative that it carries. Before the first fact there is none."""
    died: Tick | None = None
    id: TensorId


class Tensor(TensorFacts, frozen=True, kw_only=True):
    """One observed `torch.Tensor` object."""

    born: Tick
    type: Word
    """Name of its Python class at first sight: "Tensor", "Parameter", or a subclass's. A lazy module changes that of its own."""
    made_by: StepId | None = None
    """The step during which it was first seen."""
    address: Address | None = None
    """`id()` of the Python object, which a later one may have again; None in recordings from before 2026-11-23."""


class StorageFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a Storage later."""

    nbytes: list[tuple[Tick, Count]] = []
    moved: list[tuple[Tick, Address]] = []
    """`data_ptr()` again, whenever torch had put the bytes elsewhere: `resize_`, `share_memory_`."""
    contents: list[tuple[Tick, Contents]] = []
    """In storage order from byte 0, read as the dtype named in the value."""
    freed: Tick | None = None
    id: StorageId


class Storage(StorageFacts, frozen=True, kw_only=True):
    """One `UntypedStorage`: the bytes that Tensors look at."""

    born: Tick
    device: Word
    address: Address
    """`data_ptr()` at first sight: reused by torch, never an identity."""


class VersionCounterFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a VersionCounter later."""

    version: list[tuple[Tick, Whole | Unknown]] = []
    id: VersionCounterId


class VersionCounter(VersionCounterFacts, frozen=True, kw_only=True):
    """A version counter. Sharing one and sharing a Storage are two facts: `detach()` shares it, `.data` does not."""


class Write(Record, frozen=True, kw_only=True):
    """Bytes `[begin, end)` of a Storage were written, or at least announced as written by the operator's schema."""

    id: WriteId
    tick: Tick
    step: StepId | None
    storage: StorageId
    begin: Count
    end: Count
    tensor: TensorId | None
    """Through which Tensor; None when it happened behind torch's back."""
    operator: Word | None
    """ATen name; None when it happened behind torch's back."""
    version_counter: VersionCounterId | None
    """The counter it bumped, if any."""
    version: Whole | None
    """The counter's value after the bump. Also None if no Tensor with this counter was left to read it from."""
    changed: bool | None
    """Whether any byte differs from before; None when too large to tell."""
    place: Place | None = None
    """The innermost line of Python that ran the operator, where that is not in the piece of its Step: code that is not followed.
    Torch's and the standard library's own lines are left out."""


# --- autograd: Nodes, saved tensors, gradients --------------------------------------------------------------------------


class Module(Record, frozen=True, kw_only=True):
    """A `torch.nn.Module` that was called within another one, or by the snippet. Called from two places, it is two of these."""

    id: ModuleId
    type: Word
    """Name of its Python class."""
    parent: ModuleId | None = None
    """The Module that called it."""
    name: Word | None = None
    """By which path the parent has it registered ("fc", "layers.0"); without a parent, by which variable the snippet reaches it
    ("model", "model.fc"). None: by none."""


class Edge(Record, frozen=True, kw_only=True):
    """One entry of `next_functions`."""

    node: NodeId
    input_nr: Count


class Metadata(Record, frozen=True, kw_only=True):
    """What a Node expects of one incoming gradient."""

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
"""What a Node saved that is no tensor. A float that is not finite is "nan", "inf" or "-inf"."""


class NodeFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a Node later."""

    freed: Tick | None = None
    id: NodeId


class Node(NodeFacts, frozen=True, kw_only=True):
    """One `torch.autograd.graph.Node`."""

    name: Word
    """`Node.name()` verbatim, e.g. "MvBackward0", "torch::autograd::AccumulateGrad"."""
    born: Tick
    made_by: StepId | None
    sequence_nr: Count | None
    """None for AccumulateGrad, which has the number 2**64 - 1."""
    edges: list[Edge | None]
    """`next_functions` in order; None kept, as torch keeps it."""
    inputs: list[Metadata | None]
    variable: TensorId | None = None
    """AccumulateGrad only: the leaf it accumulates into."""
    module: ModuleId | None = None
    """The innermost Module whose call created it; None outside of all, and for AccumulateGrad."""
    scalars: Annotated[dict[Word, Scalar], msgspec.Meta(max_length=MOST_SCALARS)] = {}
    """Its saved values that are not tensors, by torch's names: "exponent", "dim", "keepdim". Sizes of tensors are left out."""


class SavedTensorFacts(Record, frozen=True, kw_only=True):
    """Its id, and what may be learnt of a SavedTensor later."""

    outdated: list[tuple[Tick, WriteId]] = []
    """At most one entry: the first Write that moved the counter away from `version`. torch will raise when it needs this."""
    overwritten: list[tuple[Tick, WriteId | None]] = []
    """The first Write since which these bytes differ from the saved ones; None if they are equal again. Overwritten and not
    outdated when the Node runs = silently wrong."""
    undecided: Literal["no_bytes", "gone", "unseen"] | None = None
    """Why it is unknown whether the Write in `overwritten` changed these bytes: they cannot be read (a meta tensor), the saved
    bytes are gone (`x.data = y`), or the write was only seen afterwards."""
    released: Tick | None = None
    id: SavedTensorId


class SavedTensor(SavedTensorFacts, frozen=True, kw_only=True):
    """What a Node keeps for backward, seen when the Node was first seen."""

    node: NodeId
    name: Word
    """The slot as torch names it ("self", "result", "mat2"); with its index for a list ("tensors[1]")."""
    tick: Tick
    tensor: TensorId | None
    """A Tensor that looked at the same elements with the same counter at that moment, if one was known."""
    geometry: Geometry
    version_counter: VersionCounterId | None
    version: Whole | None
    available: bool = True
    reason: Text | None = None
    """Why `available` is False: a user hook packed it, or torch refused to show it."""


class Hook(Record, frozen=True, kw_only=True):
    """A hook or `retain_grad()` that the program registered on a Tensor."""

    id: HookId
    tick: Tick
    step: StepId | None
    tensor: TensorId
    kind: Literal["gradient", "accumulated", "retain"]
    """gradient: `register_hook`; accumulated: `register_post_accumulate_grad_hook`; retain: `retain_grad`."""
    function: Word | None = None
    """Name of the function; None for a callable that is not a function, and for `retain_grad`."""


class Gradient(Record, frozen=True, kw_only=True):
    """A value that travelled to input `input_nr` of Node `to` at `tick`, along edge `edge` of Node `node` (None: a root)."""

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
    """What a run may use. Reaching one is an end (`ends.py`), not an error."""

    wall_seconds: Seconds = 8.0
    cpu_seconds: Count = 5
    memory_bytes: Count = 1 << 30
    """On top of what torch itself maps."""
    output_bytes: Count = 64 << 10
    source_bytes: Count = 256 << 10
    tmp_bytes: Count = 16 << 20
    threads: Count = 64
    statements: Count = 20_000
    steps: Count = 100_000
    trace_bytes: Count = 32 << 20
    cells: Count = 256
    """A Storage or Gradient of at most this many elements keeps every value."""


class Request(Record, frozen=True, kw_only=True):
    """What one run is asked to do. `source` is UTF-8 text without NUL."""

    source: Source
    seed: Whole = 0
    limits: Limits = Limits()
    stand_in: bool = False
    """Let the CPU stand in for a missing GPU: `device="cuda"` works, and each tensor has the device that it would have."""
    keep_saved: bool = False
    """Save copies, so that no later write changes what backward reads. The run for corrected gradients has this."""


class Header(Record, frozen=True, kw_only=True):
    """Under which versions and limits the run was recorded."""

    format: Count
    stepgrad: Word
    python: Word
    torch: Word
    device: Word
    seed: Whole
    limits: Limits
    packages: dict[Word, Word] = {}
    """Versions of the packages that the snippet could import besides torch and the standard library, by import name."""
    stand_in: bool = False
    """The CPU stood in for cuda:0: every `device` "cuda:0" in this trace is a label, and every number the CPU's."""
    in_process: bool = False
    """The program recorded itself, by `record()`: nothing around it is sealed, and reaching a limit ended the recording alone."""
    keep_saved: bool = False
    """Copies were saved. Its SavedTensors are those alone that could not be kept as they were."""
