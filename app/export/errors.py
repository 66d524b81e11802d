"""Errors of drawing. The text of an error is one sentence for visitors."""


class ExportError(Exception):
    """The base class."""


class ExportUnavailable(ExportError):
    """This machine cannot draw pictures. The message names the missing part and a remedy."""


class NoFont(ExportUnavailable):
    """This machine has no font for the characters of the picture."""


class NoSuchStep(ExportError):
    """The requested step is beyond the last step of the run."""


class PictureTooLarge(ExportError):
    """The picture exceeds a limit of the child: time, memory or bytes."""
