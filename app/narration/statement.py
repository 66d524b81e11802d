"""Describes a statement: first tensors, writes and Nodes in order, then backward with its results, then exceptions."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.narration import backward, changes, exceptions, graph, hooks, program, results, tensors
from app.narration.facts import Facts, facts_by_statement
from app.narration.message import Message
from app.narration.pointers import Pointers
from app.narration.writes import writes
from app.trace.index import Index
from app.trace.records import Step


@dataclass(frozen=True, slots=True)
class Told:
    """One item of a description: related sentences, and text quoted from the recording below them."""

    sentences: list[Message]
    quoted: str | None = None


def narrate(index: Index) -> Iterator[tuple[Step | None, list[Told]]]:
    """Yield each statement with its description, in the order in which the statements end.

    The last pair is None with the items outside any statement, if there are any.
    """
    found = facts_by_statement(index)
    ways, pointers = exceptions.ways_out(index), Pointers(index)
    begun = program.calls_begun(index)
    for step in index.statements:
        call = [Told([begun[step.id]])] if step.id in begun else []
        yield step, [*call, *_told(index, found[step.id], ways, pointers)]
    rest = list(_told(index, found[None], ways, pointers))
    if rest:
        yield None, rest


def _told(index: Index, facts: Facts, ways: exceptions.Ways, pointers: Pointers) -> Iterator[Told]:
    grads = list(backward.grads(index, facts))
    in_grads = {storage for _, storage in grads if storage is not None}
    modes = [] if facts.step is None else program.modes(index, facts.step)
    if modes:
        yield Told(modes)
    yield from _each(tensors.there_before(index, facts))
    yield from _once(tensors.new_tensors(index, facts, in_grads, results.unnamed_result(facts)))
    yield from _each(tensors.made_without_grad(index, facts))
    yield from _each(tensors.renamed(index, facts))
    yield from _each(tensors.new_arrays(index, facts))
    yield from _each(writes(index, facts, in_grads))
    yield from _each(changes.resized(index, facts))
    yield from _each(changes.placed_elsewhere(index, facts))
    yield from _each(changes.requiring(index, facts))
    yield from _each(changes.carrying(index, facts))
    yield from map(Told, graph.recorded(index, facts))
    yield from _each(hooks.put_on(index, facts))
    yield from (Told(line) for line in backward.nodes_that_ran(index, facts))
    yield from _each(backward.over(index, facts))
    yield from _each(sentence for sentence, _ in grads)
    yield from _each(graph.stale(index, facts))
    yield from (Told([sentence], quoted) for sentence, quoted in program.bound(index, facts))
    yield from _each(results.result(index, facts))
    yield from _each(program.put_out(facts, pointers))
    yield from _each(exceptions.raised(index, facts, ways))


def _each(sentences: Iterator[Message]) -> Iterator[Told]:
    return (Told([sentence]) for sentence in sentences)


def _once(lines: Iterator[list[Message]]) -> Iterator[Told]:
    """Drop each line that has the same text as an earlier line."""
    return map(Told, {repr(line): line for line in lines}.values())
