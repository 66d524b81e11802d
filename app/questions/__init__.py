"""Questions about what a run does between two moments: their legal answers, their truth, and whether an answer is right."""
