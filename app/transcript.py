"""A run as plain text: each statement, and under it what it made, shared, wrote, recorded, saved, bound, sent back and printed."""

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from app.explain import Document, Finding
from app.explain.corrected.gradients import CorrectedGradients, KnownGradients, SameGradients, UnknownGradients
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import END, value_at
from app.trace.records import (
    SHAPELESS,
    Cells,
    Contents,
    Gradient,
    Held,
    ModuleId,
    Node,
    Output,
    SavedTensor,
    Step,
    StepId,
    StorageId,
    Summary,
    Tensor,
    TensorId,
    Tick,
    Unknown,
    Write,
)
from app.words import LANGUAGES, sentence

MOST_VALUES = 8
"""Values printed of one Gradient."""


_COMMANDS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal obeys instead of showing it, and what turns the direction of text; a tab is neither."""


def transcript(document: Document, language: str = LANGUAGES[0], corrected: CorrectedGradients | None = None) -> Iterator[str]:
    """The lines of the text, without their ends: statements in the order in which they ended, the run's end, the findings, and
    what a silently wrong gradient would have been.

    What a snippet printed or wrote may be meant for the terminal that shows it: such characters stand as their escapes.
    """
    for line in _told(document, language, corrected):
        yield _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), line)


def _told(document: Document, language: str, corrected: CorrectedGradients | None) -> Iterator[str]:
    trace = document.trace
    if trace.header.stand_in:
        yield sentence(language, "stood-in")
        yield ""
    yield from _Transcript(trace).lines()
    yield sentence(language, f"end-{trace.ended.__struct_config__.tag}", **document.end_arguments)
    for finding in document.findings:
        yield ""
        yield from _found(finding, language)
    if corrected is not None:
        yield ""
        yield from _corrected(corrected, document.trace, language)


def _found(finding: Finding, language: str) -> Iterator[str]:
    where = f"line {finding.line}: " if finding.line is not None else ""
    yield f"{finding.severity}: {where}{sentence(language, f'finding-{finding.kind}-title', **finding.arguments)}"
    yield from textwrap.indent(sentence(language, f"finding-{finding.kind}", **finding.arguments), "    ").splitlines()
    for fix in finding.fixes:
        yield f"    fix: {sentence(language, f'fix-{fix.title}', **finding.arguments)}"


def _corrected(corrected: CorrectedGradients, trace: Trace, language: str) -> Iterator[str]:
    match corrected:
        case KnownGradients():
            span = trace.steps[corrected.step].span
            yield sentence(language, "right-label", line=0 if span is None else span.line)
            for each in corrected.gradients:
                leaf = each.name or f"Tensor {each.tensor}"
                name = f"{leaf}.grad" if each.is_grad else sentence(language, "right-of", name=leaf)
                values = {"wrong": _values(each.wrong), "right": _values(each.right)}
                yield f"    {sentence(language, 'right-row', name=name, **values)}"
            if any(step.kind == "node" and step.began > (trace.steps[corrected.step].ended or END) for step in trace.steps):
                yield sentence(language, "right-after")
        case SameGradients():
            yield sentence(language, "right-same")
        case UnknownGradients():
            yield sentence(language, f"right-unknown-{corrected.reason}")
        case _:
            assert_never(corrected)


class _Transcript:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.index = Index(trace)
        self.source = trace.source.splitlines()

    def lines(self) -> Iterator[str]:
        """The statements with their events."""
        events = self._events_by_statement()
        for step in self.index.statements:
            yield self._headline(step)
            modes = ", ".join(_modes(step))
            if modes:
                yield f"    within   {modes}"
            until = END if step.ended is None else step.ended
            for _, event in sorted(events.pop(step.id, []), key=lambda pair: pair[0]):
                for line in self._told(event, until):
                    yield f"    {line}"
        for _, event in sorted((pair for rest in events.values() for pair in rest), key=lambda pair: pair[0]):
            for line in self._told(event, END):
                yield f"    {line}"

    def _events_by_statement(self) -> dict[StepId | None, list[tuple[Tick, "_Event"]]]:
        trace = self.trace
        ticked: list[tuple[Tick, StepId | None, _Event]] = []
        ticked += [(tensor.born, tensor.made_by, tensor) for tensor in trace.tensors]
        ticked += [(node.born, node.made_by, node) for node in trace.nodes]
        ticked += [(write.tick, write.step, write) for write in trace.writes]
        ticked += [(gradient.tick, gradient.step, gradient) for gradient in trace.gradients]
        ticked += [(output.tick, None, output) for output in trace.outputs]
        for variable in trace.variables:
            ticked += [
                (tick, None, _Binding(variable.name, held)) for tick, held in variable.value if held and held.kind in _SHOWN
            ]
        found: dict[StepId | None, list[tuple[Tick, _Event]]] = defaultdict(list)
        for tick, step_id, event in ticked:
            if step_id is None:
                step = self.index.step_at(tick)
                step_id = step.id if step is not None else None
            statement = self.index.statement_of(step_id)
            found[statement.id if statement is not None else None].append((tick, event))
        return found

    def _headline(self, step: Step) -> str:
        if step.span is None or step.span.line > len(self.source):
            return "line ?"
        text = self.source[step.span.line - 1].strip()
        more = " …" if step.span.end_line > step.span.line else ""
        cut = "" if step.ended is not None else "   (the run ended here)"
        return f"line {step.span.line}: {text}{more}{cut}"

    def _told(self, event: "_Event", until: Tick) -> Iterator[str]:
        match event:
            case Tensor():
                yield self._made(event, until)
            case Write():
                yield self._wrote(event, until)
            case Node():
                yield self._recorded(event, until)
                for saved in self.index.saved_by.get(event.id, []):
                    yield self._saved(saved, until)
            case Gradient():
                yield self._sent(event)
            case _Binding():
                yield f"holds    {_held(event)}"
            case Output():
                for line in event.text.splitlines():
                    yield f"{'warned' if event.stream == 'warning' else 'printed'}  {line}"
            case _:
                assert_never(event)

    def _made(self, tensor: Tensor, until: Tick) -> str:
        told = [f"made     {self.label(tensor.id, until)}: {tensor.type}"]
        geometry = value_at(tensor.geometry, until)
        if geometry is None:
            return told[0]
        told.append(f"{geometry.dtype} {geometry.layout if geometry.layout in SHAPELESS else geometry.shape}")
        if geometry.device != "cpu":
            told.append(f"on {geometry.device}")
        if geometry.storage is not None:
            told.append(f"on Storage {geometry.storage}{self._shared_with(tensor, geometry.storage, until)}")
        base = value_at(tensor.base, until)
        if base is not None:
            told.append(f"a view of {self.label(base, until)}")
        if value_at(tensor.requires_grad, until):
            told.append("requires grad")
        return ", ".join(told)

    def _shared_with(self, tensor: Tensor, storage: StorageId, until: Tick) -> str:
        others = [
            self.label(other, until)
            for other in self.index.tensors_on[storage]
            if other != tensor.id and self._lives(other, until)
        ]
        return f" with {', '.join(others)}" if others else ""

    def _lives(self, tensor: TensorId, tick: Tick) -> bool:
        record = self.trace.tensors[tensor]
        return record.born <= tick and (record.died is None or record.died > tick)

    def _wrote(self, write: Write, until: Tick) -> str:
        through = self.label(write.tensor, until) if write.tensor is not None else "something that was not recorded"
        by = f" by {write.operator}" if write.operator is not None else ""
        told = f"wrote    bytes {write.begin} to {write.end} of Storage {write.storage} through {through}{by}: "
        if write.version_counter is None:
            return told + "no version counter moved"
        if write.version is None:
            return told + f"version counter {write.version_counter} moved, and was gone before it was read"
        before = value_at(self.trace.version_counters[write.version_counter].version, Tick(write.tick - 1))
        moved = f"from {before} to {write.version}" if isinstance(before, int) else f"to {write.version}"
        return told + f"version counter {write.version_counter} went {moved}"

    def _recorded(self, node: Node, until: Tick) -> str:
        told = f"recorded Node {node.id} {node.name}"
        if node.module is not None:
            told += f" in {self._path(node.module)}"
        if node.variable is not None:
            return f"{told} of {self.label(node.variable, until)}"
        edges = [f"Node {edge.node} {self.trace.nodes[edge.node].name}" for edge in node.edges if edge is not None]
        return f"{told} -> {', '.join(edges)}" if edges else told

    def _path(self, module: ModuleId | None) -> str:
        """`model.layers.0`; a module that nothing has under a name goes by its class."""
        names = []
        while module is not None:
            record = self.trace.modules[module]
            names.append(record.name or record.type)
            module = record.parent
        return ".".join(reversed(names))

    def _saved(self, saved: SavedTensor, until: Tick) -> str:
        what = self.label(saved.tensor, until) if saved.tensor is not None else "a tensor nothing else looks at"
        if not saved.available:
            what = f"unknown ({saved.reason})"
        version = f" at version {saved.version}" if saved.version is not None else ""
        return f"saved    {saved.name} = {what}{version} for Node {saved.node} {self.trace.nodes[saved.node].name}"

    def _sent(self, gradient: Gradient) -> str:
        to = f"Node {gradient.to} {self.trace.nodes[gradient.to].name}" if gradient.to is not None else "nowhere"
        origin = f"Node {gradient.node} {self.trace.nodes[gradient.node].name}" if gradient.node is not None else "the root"
        return f"gradient {gradient.shape} {_values(gradient.value)} from {origin} to {to}"

    def label(self, tensor: TensorId, tick: Tick) -> str:
        """What the snippet calls a Tensor at `tick`; its number where it has no name."""
        for path in self.index.paths_of(tensor, tick)[:1]:
            return path
        for since, owner in self.index.owners.get(tensor, []):
            if since <= tick and value_at(self.trace.tensors[owner].grad, tick) == tensor:
                return f"{self.label(owner, tick)}.grad"
        return f"Tensor {tensor}"


def _modes(step: Step) -> Iterator[str]:
    if step.inference:
        yield "inference mode"
    elif not step.grad_enabled:
        yield "grad mode off"
    if step.autocast:
        yield f"autocast to {step.autocast_dtype}"
    if step.anomaly:
        yield "anomaly mode"
    if step.saved_tensors_hooks == "active":
        yield "hooks that pack what is saved (torch checks no version of it)"
    if step.saved_tensors_hooks == "disabled":
        yield "hooks on saved tensors disabled"
    if step.other_threads:
        yield "another thread running (what it did was not followed)"


@dataclass(frozen=True, slots=True)
class _Binding:
    """From now on, this variable holds this."""

    name: str
    held: Held


_Event = Tensor | Node | Write | Gradient | Output | _Binding
_SHOWN = ("value", "collection", "array", "object")
"""Functions, classes and modules are left out: that they were defined or imported is what the line says."""


def _held(binding: _Binding) -> str:
    name, held = binding.name, binding.held
    if held.text is None:
        return f"{name}: {held.type}" + (f" of about {held.length} digits" if held.length is not None else "")
    if held.kind == "array":
        return f"{name}: {held.type} {held.text}"
    total = f" ({held.length} in all)" if held.length is not None and held.text.count("…") else ""
    return f"{name} = {held.text}{total}"


def _values(contents: Contents) -> str:
    match contents:
        case Cells(values=values):
            shown = [str(value) for value in values[:MOST_VALUES]] + ["…"] * (len(values) > MOST_VALUES)
            return f"[{', '.join(shown)}]"
        case Summary():
            return f"min {contents.min} mean {contents.mean} max {contents.max}"
        case Unknown():
            return f"unknown ({contents.reason})"
        case _:
            assert_never(contents)
