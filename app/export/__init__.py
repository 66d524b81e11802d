"""Pictures of a step for papers: SVG, PDF, PNG and DOT, placed as the page places them, drawn by Graphviz in a sealed child."""

from app.export.drawing import By, Drawn, Format, Wanted, Which, draw, drawing_engine, picture
from app.export.errors import ExportError, ExportUnavailable, NoSuchStep, PictureTooLarge

__all__ = [
    "By",
    "Drawn",
    "ExportError",
    "ExportUnavailable",
    "Format",
    "NoSuchStep",
    "PictureTooLarge",
    "Wanted",
    "Which",
    "draw",
    "drawing_engine",
    "picture",
]
