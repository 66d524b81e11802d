"""Write docs/stories.md, the explanations of twenty programs in both languages: `python -m tests.stories`."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from app.explain import explain
from app.lessons import lessons
from app.report.transcript import story
from app.words import LANGUAGES
from tests.corpus.heads import read
from tests.explain.recorded import record
from tests.recordings import FOLDER

PAGE = Path(__file__).parents[1] / "docs/stories.md"
PROGRAMS = Path(__file__).parent / "corpus/programs"

LESSONS = (
    "a-gradient-to-begin-with",
    "views-follow-their-base",
    "detach-writes-the-original",
    "data-hides-the-write",
    "from-numpy-and-a-new-name",
    "a-kept-graph-adds-again",
    "gradients-nobody-cleared",
    "state-carried-with-its-graph",
)
OF_THE_CORPUS = (
    "scale-vector-updated-by-hand",
    "relu-that-eats-its-skip",
    "losses-of-the-sites-summed-by-numpy",
    "function-that-scales-its-input",
    "column-against-row",
    "heat-map-hook-on-a-relu",
    "gradients-off-and-never-on",
    "rounded-forward-straight-back",
    "checkpoint-over-a-frozen-embedding",
    "inner-step-without-its-graph",
    "features-kept-by-a-hook",
    "observations-of-one-buffer",
)

HEAD = """# Twenty stories

The stories of twenty programs, in English and in Chinese: for each statement, the sentences that the page shows, as
`stepgrad trace --text` prints them, without the findings. `make stories` writes this page.
"""


def sources() -> Iterator[tuple[str, str, str]]:
    """Yield the name, the path and the source of each program."""
    course = {lesson.slug: lesson for lesson in lessons()}
    for name in LESSONS:
        yield name, f"app/lessons/{name}.toml", course[name].snippet.source
    for name in OF_THE_CORPUS:
        yield name, f"tests/corpus/programs/{name}.py", read(PROGRAMS / f"{name}.py").source


def page() -> str:
    """Return the content of docs/stories.md."""
    parts = [HEAD]
    for number, (name, place, source) in enumerate(sources(), start=1):
        [trace] = record([source])
        document = explain(trace)
        parts.append(f"## {number}. {name.replace('-', ' ').capitalize()}\n\nFrom `{place}`.\n")
        parts.append(f"```python\n{source.strip()}\n```\n")
        parts += ["\n".join(["```text", *story(document, language), "```", ""]) for language in LANGUAGES]
    return "\n".join(parts)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        PAGE.write_text(page(), encoding="utf-8")
