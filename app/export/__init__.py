"""Pictures of a step for papers as SVG, PDF, PNG or DOT. A sealed child process draws the page's layout with Graphviz."""

from app.export.drawing import By, Drawn, Format, Wanted, Which, draw, drawing_engine, picture
from app.export.errors import ExportError, ExportUnavailable, NoSuchStep, PictureTooLarge
