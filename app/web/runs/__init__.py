"""The steps of a run from the snippet to the document, and the recordings that answer requests."""
