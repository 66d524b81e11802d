"""The budgets of the design, as ratios of measurements taken alternately on one machine."""
