"""Pure functions from a trace to findings, and the words for them."""
