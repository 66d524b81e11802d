"""The trace of a program with several threads says that they exist, and contains their changes when they are found."""

from tests.tracer.conftest import Record

HEAD = "import threading, torch\n"


def test_a_write_of_another_thread_has_no_operator_and_its_steps_say_so(record: Record) -> None:
    trace = record(
        HEAD + "x = torch.ones(2)\ndef work():\n    x.add_(1)\ndef start():\n    t = threading.Thread(target=work)\n"
        "    t.start()\n    t.join()\nstart()\ny = x * 2\n"
    ).trace
    marked = [(step.kind, step.span.line) for step in trace.steps if step.other_threads and step.span is not None]
    assert ("statement", 9) in marked, "the statement that called the function"
    assert ("statement", 10) not in marked
    assert {line for kind, line in marked if kind == "statement"} & {7, 8}
    writes = [write for write in trace.writes if write.changed]
    assert [write.operator for write in writes] == [None]


def test_a_thread_that_goes_on_marks_every_statement_until_it_ends(record: Record) -> None:
    trace = record(
        HEAD + "event = threading.Event()\nt = threading.Thread(target=event.wait)\nt.start()\na = 1\nb = 2\nevent.set()\n"
        "t.join()\nc = torch.ones(1)\n"
    ).trace
    statements = {step.span.line: step.other_threads for step in trace.steps if step.kind == "statement" and step.span}
    assert statements == {1: None, 2: None, 3: None, 4: True, 5: True, 6: True, 7: True, 8: True, 9: None}


def test_a_program_without_threads_has_no_marks(record: Record) -> None:
    trace = record("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n").trace
    assert not any(step.other_threads for step in trace.steps)
