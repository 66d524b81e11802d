"""The messages between server and explainer, over two pipes.

A task (server -> explainer) is one TASK, followed by the inputs of the task. A LENGTH precedes each input. Inputs are
recordings: the canonical bytes of traces. For JUDGE and ASK the last input is a question; RECORD and TRANSCRIBE name their
inputs. Results are frames (`app.sandbox.inside.protocol`). An explainer has decoded bytes of a snippet, so its output is
untrusted: `app.explainers.tasks` limits and decodes each frame.
"""

import struct
from typing import Final

TASK: Final = struct.Struct(">BB")
"""The kind of a task, and its number of inputs."""
LENGTH: Final = struct.Struct(">I")

EXPLAIN: Final = 1
"""EXPLAIN: explain a recording. Result: a PART for each finder."""
PACK: Final = 2
"""PACK: cut a recording into pieces. Result: the pieces as gzipped lines, in any number of SOME."""
COMPARE: Final = 3
"""COMPARE: compute corrected gradients from the recordings of a silently wrong run and of two runs with copies. Result:
CorrectedGradients in SOME."""
JUDGE: Final = 4
"""JUDGE: judge a fix from the recordings of a run, of the fixed run, and of a repetition (or nothing), and a Question. Result:
a Verdict in SOME."""
TRANSCRIBE: Final = 5
"""TRANSCRIBE: write a run as text. Inputs: a recording, its Explanation and a language. Result: the text in SOME."""
ASK: Final = 6
"""ASK: answer a question. Inputs: a recording and an `app.questions.asked.Question` about it. Result: a Posed or null in SOME."""
END: Final = 7
"""END: tell how a recorded run ended. Result: an Ending (`app.questions.run_end`) in SOME."""

RECORD: Final = 8
"""RECORD: make the recording of a run. Inputs: Outline, output and payloads of the run, and hashes of recordings. Result: the
tables in SOME, then RECORDED."""
RECORD_AND_EXPLAIN: Final = 9
"""Inputs and result as for RECORD, then a PART for each finder. The PARTs are omitted if the recording has one of the given
hashes."""

READY: Final = 0
PART: Final = 1
SOME: Final = 2
UNREADABLE: Final = 3
"""The recording is not a valid trace of this version; the payload has the reason."""
DONE: Final = 4
FAILED: Final = 5
"""A bug in the explainer; the payload is the traceback."""
LEAVING: Final = 6
"""A frame before the last frame, which announces that the process will end, because its memory has grown."""
RECORDED: Final = 7
"""The recording is complete; the payload is an Account."""

MOST_FRAME: Final = 8 << 20
"""Maximum bytes of a payload.

A finder has at most a hundred findings, and five of these findings may have a few whole snippets as fixes.
"""
MOST_CHARACTERS: Final = 200_000
"""Maximum characters of the statements in the text of a run, and of the findings in it."""
SOME_BYTES: Final = 256 << 10
"""Maximum bytes of one SOME."""
