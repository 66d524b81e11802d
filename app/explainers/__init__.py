"""Processes of their own for what comes after a run: explaining it, cutting it into pieces, comparing it with others."""

from app.explainers.explanation import Explanation, Unreadable, explainer
from app.explainers.pool import Explainers, processes
from app.explainers.process import ExplainerDied
from app.explainers.tasks import NotExplained

__all__ = ["ExplainerDied", "Explainers", "Explanation", "NotExplained", "Unreadable", "explainer", "processes"]
