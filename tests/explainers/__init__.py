"""The processes that work on what a run left."""
