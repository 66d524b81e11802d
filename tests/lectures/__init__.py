"""The plans that ship with Stepgrad, and what a lecture may be."""
