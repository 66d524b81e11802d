"""The messages between server and explainer, over two pipes.

A task (server -> explainer) is one TASK, then each of its inputs after its LENGTH. Inputs are recordings: the canonical bytes
of traces. For JUDGE and ASK the last input is a question; RECORD and TRANSCRIBE name their inputs. Results are frames
(`app.sandbox.inside.protocol`). An explainer has decoded bytes of a snippet, so its output is untrusted:
`app.explainers.tasks` limits and decodes each frame.
"""

import struct
from typing import Final

TASK: Final = struct.Struct(">BB")
"""Its kind, and how many inputs it has."""
LENGTH: Final = struct.Struct(">I")

EXPLAIN: Final = 1
"""Of one recording: a PART for each finder."""
PACK: Final = 2
"""Of one recording: its pieces as lines, packed by gzip, in any number of SOME."""
COMPARE: Final = 3
"""Of a wrong run and two with copies: CorrectedGradients in SOME."""
JUDGE: Final = 4
"""Of a run, the run of a fix, the first once more (or nothing), and a Question: a Verdict in SOME."""
TRANSCRIBE: Final = 5
"""Of one recording, its Explanation and a language: the run as text, in SOME."""
ASK: Final = 6
"""Of a recording and a question about it (`app.questions.asked.Question`): a Posed or null in SOME."""
END: Final = 7
"""Of one recording: an Ending (`app.questions.run_end`) in SOME."""

RECORD: Final = 8
"""Of a run, its Outline, output, payloads and hashes: the tables of its recording in SOME, then RECORDED."""
RECORD_AND_EXPLAIN: Final = 9
"""The same, and then a PART for each finder, unless the recording has one of the hashes."""

READY: Final = 0
PART: Final = 1
SOME: Final = 2
UNREADABLE: Final = 3
"""The recording is not a valid trace of this version; the payload has the reason."""
DONE: Final = 4
FAILED: Final = 5
"""A bug of ours; the payload is the traceback."""
LEAVING: Final = 6
"""Sent before the last frame: the process ends after it, because its memory has grown."""
RECORDED: Final = 7
"""The recording is complete; the payload is an Account of it."""

MOST_FRAME: Final = 8 << 20
"""Bytes of a payload. A finder has at most a hundred findings, and a few whole snippets as fixes for five of them."""
MOST_CHARACTERS: Final = 200_000
"""Of the text of a run: so many of its statements, and as many of its findings."""
SOME_BYTES: Final = 256 << 10
"""Bytes in one SOME."""
