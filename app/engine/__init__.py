"""Where runs happen: admission, and this machine's sandbox."""

from app.engine.admission import Admission, Refused
from app.engine.local import Engine, LocalEngine

__all__ = ["Admission", "Engine", "LocalEngine", "Refused"]
