"""Tracers for the sandbox's own tests. Inside the jail this folder is on the path, so their names are `entries.<name>`."""
