"""Questions about a run between two ticks, with the legal and the correct answers."""
