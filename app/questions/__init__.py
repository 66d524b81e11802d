"""Questions about what a run does between two ticks: the legal answers and the correct ones."""
