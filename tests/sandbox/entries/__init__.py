"""Tracers for the sandbox's own tests. Inside the jail the parent folder is on the path, so a tracer is named
`entries.<name>`."""
