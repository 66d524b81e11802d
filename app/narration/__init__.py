"""Describes what the statements of a run did, as messages of the catalogue. The page's story shows these messages."""

from app.narration.message import Argument, Message, message
from app.narration.speaking import Teller
from app.narration.statement import Told, narrate

__all__ = ["Argument", "Message", "Teller", "Told", "message", "narrate"]
