"""Ratios of the design's budgets, measured side by side in one run."""
