"""The design's budgets as ratios, measured side by side in one run on one machine."""
