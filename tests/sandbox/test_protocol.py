"""Split a stream of bytes into length-prefixed frames."""

import pytest

from app.sandbox.inside.protocol import READY, TRACE, FrameError, FrameReader, frame


@pytest.mark.parametrize("size", [1, 2, 3, 8, 9, 10, 1000])
def test_frames_in_pieces_of_any_size(size: int) -> None:
    frames = [(READY, b""), (TRACE, b"{}"), (TRACE, bytes(300)), (9, b"x")]
    stream = b"".join(frame(kind, payload) for kind, payload in frames) + b"SBX1"
    reader = FrameReader()
    pieces = (stream[start : start + size] for start in range(0, len(stream), size))
    assert [found for piece in pieces for found in reader.feed(piece)] == frames
    assert reader.pending == 4
    with pytest.raises(FrameError):
        list(reader.feed(b"not a header"))
