"""Preloads modules and parsed catalogues into the process from which `tests.scripts` forks its scripts."""

import torch._dynamo  # noqa: F401 - an optimizer imports it

import app.commands.serving
import app.report.transcript
import app.standalone
import app.tracer.library  # noqa: F401
from app.words import LANGUAGES, sentence

for language in LANGUAGES:
    sentence(language, "end-finished")  # parses the catalogue, which takes a second
