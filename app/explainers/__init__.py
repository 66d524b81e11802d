"""Separate processes that explain, cut and compare recordings after a run."""

from app.explainers.explanation import Explanation, Unreadable, explainer
from app.explainers.pool import Explainers, processes
from app.explainers.process import ExplainerDied
from app.explainers.tasks import NotExplained, Recorded
