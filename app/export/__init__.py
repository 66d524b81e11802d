"""Pictures of a step for papers as SVG, PDF, PNG or DOT, with the page's layout, drawn by Graphviz in a sealed child."""

from app.export.drawing import By, Drawn, Format, Wanted, Which, draw, drawing_engine, picture
from app.export.errors import ExportError, ExportUnavailable, NoSuchStep, PictureTooLarge
