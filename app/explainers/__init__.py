"""Processes of their own for what comes after a run: explaining it, cutting it into pieces, comparing it with others."""

from app.explainers.explanation import Explanation, Unreadable, explainer
from app.explainers.pool import Explainers
from app.explainers.tasks import NotExplained

__all__ = ["Explainers", "Explanation", "NotExplained", "Unreadable", "explainer"]
