"""Simple tracers that replace the real one in tests of the sandbox.

The parent folder is on the Python path inside the sandbox, so a tracer's name is `entries.<module>`.
"""
