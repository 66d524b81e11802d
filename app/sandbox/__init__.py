"""Runs a snippet sealed off from everything: bubblewrap, a zygote, one child per run."""

from app.sandbox.attempt import Cost, Run
from app.sandbox.errors import SandboxDied, SandboxError, SandboxUnavailable
from app.sandbox.sandbox import Sandbox
from app.sandbox.settings import SandboxSettings

__all__ = ["Cost", "Run", "Sandbox", "SandboxDied", "SandboxError", "SandboxSettings", "SandboxUnavailable"]
