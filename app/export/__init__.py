"""Pictures of a step for papers: SVG, PDF, PNG and DOT, placed as the page places them, drawn by Graphviz in a sealed child."""

from app.export.drawing import By, Drawn, Format, Wanted, Which, draw, drawing_engine, picture
from app.export.errors import ExportError, ExportUnavailable, NoSuchStep, PictureTooLarge
