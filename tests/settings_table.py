"""Write the table of settings in docs/operating.md, from app/compose/settings.py: `make settings`."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.compose.settings import RunLimits, Settings

PAGE: Final = Path(__file__).parents[1] / "docs/operating.md"
HEAD: Final = "| variable | default | meaning |\n|---|---|---|\n"
TABLE: Final = re.compile(re.escape(HEAD) + r"(?:\| `STEPGRAD_[^\n]*\n)*")


def settings(model: type[BaseModel] = Settings, prefix: str = "STEPGRAD_") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the environment variable of each setting."""
    for name, field in model.model_fields.items():
        if field.annotation is RunLimits:
            yield from settings(RunLimits, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}", field


def default(field: FieldInfo) -> str:
    """Return the default value as it would appear in an environment variable."""
    value = field.default
    if field.default_factory is not None or value is None:
        return "it depends"
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def table() -> str:
    """Return the table in Markdown."""
    rows = [f"| `{variable}` | {default(field)} | {field.description} |\n" for variable, field in settings()]
    return HEAD + "".join(rows).replace("|  |", "| |")


def main() -> int:
    text = PAGE.read_text("utf-8")
    [found] = TABLE.finditer(text)
    PAGE.write_text(text[: found.start()] + table() + text[found.end() :], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
