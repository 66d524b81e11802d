"""Bodies of requests that are read whole before it is known who reads them: `middleware.BodyLimit` bounds them."""

from starlette.types import Message, Receive


async def whole(receive: Receive) -> bytes | None:
    """A request's body; None where it ends before."""
    pieces: list[bytes] = []
    while (message := await receive())["type"] == "http.request":
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)
    return None


def again(body: bytes, receive: Receive) -> Receive:
    """How a request is read whose body was read already."""
    is_read = False

    async def replayed() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
