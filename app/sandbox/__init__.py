"""Runs a snippet sealed off from everything: bubblewrap, a zygote, one child per run."""

from app.sandbox.errors import SandboxDied, SandboxError, SandboxUnavailable
from app.sandbox.sandbox import Cost, Run, Sandbox, SandboxSettings

__all__ = ["Cost", "Run", "Sandbox", "SandboxDied", "SandboxError", "SandboxSettings", "SandboxUnavailable"]
