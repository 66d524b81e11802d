"""The report of `stepgrad check`: for a terminal, as JSON, and as SARIF."""

from app.report.as_json import as_json
from app.report.as_sarif import as_sarif
from app.report.as_text import as_text
from app.report.checked import Checked, has_failed

__all__ = ["Checked", "as_json", "as_sarif", "as_text", "has_failed"]
