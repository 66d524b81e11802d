"""The sandbox, which isolates each run with bubblewrap, a zygote, and one sealed child per run."""

from app.sandbox.errors import LayerUnavailable, SandboxDied, SandboxError, SandboxUnavailable
from app.sandbox.hardening import harden_server
from app.sandbox.inside.layers import Layer
from app.sandbox.run import Cost, Run
from app.sandbox.sandbox import Sandbox
from app.sandbox.sandbox_settings import SandboxSettings
from app.sandbox.unroot import give_up_root
