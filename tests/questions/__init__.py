"""Questions about a run and their answers."""
