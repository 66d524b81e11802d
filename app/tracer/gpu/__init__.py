"""The CPU in place of a missing GPU."""
