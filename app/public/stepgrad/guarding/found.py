"""The findings of a guard, their messages, and GuardError."""

from dataclasses import dataclass
from typing import Final, Literal

from app.words import LANGUAGES, sentence

Kind = Literal["overwritten", "outdated", "recomputed", "non_finite"]

LESSONS: Final[dict[Kind, str]] = {
    "overwritten": "data-hides-the-write",
    "outdated": "it-depends-on-what-was-saved",
    "recomputed": "data-hides-the-write",
    "non_finite": "where-walks-both-branches",
}
"""The lesson about each kind: a file of app/lessons."""
STEP_LESSON: Final = "step-between-two-backwards"
"""The lesson about an optimizer that writes a saved tensor."""
ADDRESS: Final = "http://127.0.0.1:8000/lessons/"
"""Where `stepgrad serve` shows lessons."""


@dataclass(frozen=True)
class GuardFinding:
    """One fault, without references to tensors, Nodes or frames.

    `kind` is "overwritten" (the bytes of a saved tensor changed and its version counter did not), "outdated" (the counter
    changed, so torch refuses the tensor), "recomputed" (a checkpoint recomputed other values) or "non_finite" (a gradient has
    NaN or infinity).
    """

    kind: Kind
    arguments: dict[str, str | int]
    """The arguments of its message. `saved_line` and `line` are `file:line`, or empty if unknown."""
    said_by_torch: str = ""
    """Torch's own sentence, for "outdated"."""
    born: "dict[str, str | int] | None" = None
    """The operator that returned the first NaN or infinity, found by `guard.step`."""

    @property
    def lesson(self) -> str:
        """The address of a lesson about this kind."""
        return ADDRESS + (STEP_LESSON if self.arguments.get("optimizer") else LESSONS[self.kind])

    def text(self, language: str = LANGUAGES[0]) -> str:
        """The finding in a few sentences, in "en" or "zh-CN". Torch's own sentence stays English."""
        said = [self.said_by_torch] if self.said_by_torch else []
        said.append(sentence(language, f"guard-{self.kind}", **_without_empty(self.arguments)))
        if self.born is not None:
            said.append(sentence(language, "guard-born", **_without_empty(self.born)))
        said.append(sentence(language, "guard-lesson", address=self.lesson))
        return "\n".join(said)

    def __str__(self) -> str:
        return self.text()


def _without_empty(arguments: dict[str, str | int]) -> dict[str, str | int]:
    """Replace empty texts by "empty", because no variant of a Fluent message can be named ""."""
    return {name: "empty" if value == "" else value for name, value in arguments.items()}


class GuardError(RuntimeError):
    """Raised by a guard, in backward or at the end of it. `finding` is the fault."""

    def __init__(self, finding: GuardFinding) -> None:
        super().__init__(finding.text())
        self.finding = finding
