"""Questions about a run: what is asked, and what is right."""
