"""Encode a picture as PNG, or several pictures as animated PNG, without loss."""

import struct
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Rows of RGBA pixels without transparency."""

SIGNATURE = b"\x89PNG\r\n\x1a\n"
TRUECOLOUR, WITH_OPACITY = 2, 6
KEEP, OVER = 0, 1
"""The dispose and blend operations of a frame: keep the previous frame, and draw over it."""


def still(picture: Pixels) -> bytes:
    return SIGNATURE + _head(picture, TRUECOLOUR) + _chunk(b"IDAT", _packed(picture[..., :3])) + _chunk(b"IEND", b"")


def animated(frames: Sequence[Pixels], milliseconds: Sequence[int]) -> bytes:
    """Encode pictures of the same size as an endless animation.

    After the first frame, each contains only the changed pixels.
    """
    chunks = [_head(frames[0], WITH_OPACITY), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    numbers = iter(range(2 * len(frames)))
    for at, (frame, lasts) in enumerate(zip(frames, milliseconds, strict=True)):
        y, x, part = (0, 0, frame) if at == 0 else _difference(frames[at - 1], frame)
        height, width, _ = part.shape
        control = struct.pack(">IIIIIHHBB", next(numbers), width, height, x, y, lasts, 1000, KEEP, OVER)
        chunks.append(_chunk(b"fcTL", control))
        if at == 0:
            chunks.append(_chunk(b"IDAT", _packed(part)))
        else:
            chunks.append(_chunk(b"fdAT", struct.pack(">I", next(numbers)) + _packed(part)))
    return SIGNATURE + b"".join(chunks) + _chunk(b"IEND", b"")


def chunks_of(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and the content of each chunk of a PNG file."""
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def _head(picture: Pixels, kind: int) -> bytes:
    height, width, _ = picture.shape
    return _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _difference(before: Pixels, after: Pixels) -> tuple[int, int, Pixels]:
    """Return the bounding box of the changed pixels, and its pixels, of which unchanged ones are transparent.

    The box has one pixel if the pictures are equal.
    """
    differs = (before != after).any(axis=-1)
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    top, left = (int(rows[0]), int(columns[0])) if len(rows) else (0, 0)
    bottom, right = (int(rows[-1]), int(columns[-1])) if len(rows) else (0, 0)
    within = np.s_[top : bottom + 1, left : right + 1]
    return top, left, np.where(differs[within][..., None], after[within], np.uint8(0))


def _packed(picture: Pixels) -> bytes:
    """Compress rows of pixels, directly or as differences from the previous row. Return the shorter result."""
    above = np.concatenate([np.zeros_like(picture[:1]), picture[:-1]])
    return min((_filtered(0, picture), _filtered(2, picture - above)), key=len)


def _filtered(kind: int, rows: Pixels) -> bytes:
    lines = rows.reshape(len(rows), -1)
    return zlib.compress(np.pad(lines, ((0, 0), (1, 0)), constant_values=kind).tobytes(), 9)
