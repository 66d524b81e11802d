"""Import modules and parse translations before `tests.scripts` forks."""

import torch._dynamo  # noqa: F401 - an optimizer imports it

import app.commands.serving
import app.report.transcript
import app.standalone
import app.tracer.library  # noqa: F401
from app.words import LANGUAGES, sentence

for language in LANGUAGES:
    sentence(language, "end-finished")  # parses the translations, which takes a second
