"""The report of `stepgrad check`: for a terminal, as JSON, and as SARIF."""

from app.report.as_json import as_json
from app.report.as_sarif import as_sarif
from app.report.as_text import as_text, lines_of
from app.report.checked import Checked, Words, has_failed

__all__ = ["Checked", "Words", "as_json", "as_sarif", "as_text", "has_failed", "lines_of"]
