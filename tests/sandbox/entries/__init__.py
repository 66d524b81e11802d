"""Tracers of the sandbox's own tests; inside the jail this folder is on the path, so they are `entries.<name>`."""
