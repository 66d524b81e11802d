"""Questions about what a run does between two moments: their legal answers and their truth."""
