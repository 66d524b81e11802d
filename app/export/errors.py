"""Errors of drawing. The text is one sentence for visitors."""


class ExportError(Exception):
    """Base of all of them."""


class ExportUnavailable(ExportError):
    """This machine cannot draw pictures. The message names the missing part and a remedy."""


class NoFont(ExportUnavailable):
    """This machine lacks the letters of the picture."""


class NoSuchStep(ExportError):
    """The run has not that many steps."""


class PictureTooLarge(ExportError):
    """It did not come to its end within the limits of a child: time, memory, bytes."""
