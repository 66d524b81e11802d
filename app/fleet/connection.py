"""The connection to Redis: no command is sent twice, no answer is waited for without end, and none is read beyond a bound."""

import asyncio
from ssl import SSLCertVerificationError
from typing import Any, Final

from redis._parsers import _AsyncRESP2Parser
from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from app.sandbox import SandboxUnavailable

ANSWER_SECONDS: Final = 3.0
"""How long a command may take; one that blocks does so for less."""

MOST_ANSWER: Final = 4 << 20
"""Bytes of one answer of Redis: what others put there is read no further."""

PER_PIECE: Final = 64
"""What each piece of an answer counts besides: a forged entry of a stream may have a million fields."""

WRONG_URL: Final = (
    "STEPGRAD_REDIS_URL is no address of a Redis: write redis://user:password@host:6379/0 or unix:///path/of/socket, with "
    "percent signs for what is no letter or digit of the password, and only options that redis-py knows."
)
"""Says nothing of what stands there: a password may be read as a port."""

TROUBLE: Final = (RedisError, OSError, TimeoutError)
"""What a command raises when Redis is away, loads, is full, or says what is not believed."""


class AnswerTooLarge(RedisError):
    """An answer has more bytes than are read. Its connection is closed, so the rest is never in memory."""


class BoundedParser(_AsyncRESP2Parser):
    """Reads an answer as long as it is not too large; a length is judged before its bytes are waited for."""

    _left = MOST_ANSWER

    async def read_response(self, disable_decoding: bool = False) -> Any:
        """One answer. Raises AnswerTooLarge."""
        self._left = MOST_ANSWER
        return await super().read_response(disable_decoding)

    async def _read(self, length: int) -> bytes:
        self._count(length)
        return await super()._read(length)

    async def _readline(self) -> bytes:
        self._count(PER_PIECE)
        try:
            return await super()._readline()
        except ValueError as error:  # asyncio's own bound on a line
            raise AnswerTooLarge("a line of an answer is too long") from error

    def _count(self, length: int) -> None:
        self._left -= length
        if self._left < 0:
            raise AnswerTooLarge(f"an answer has more than {MOST_ANSWER} bytes")


class BoundedRedis(Redis):
    """A client whose commands end in time. A pipeline's are its caller's to bound.

    redis-py's own bound (`socket_timeout`) sends by `asyncio.wait_for`, which on Python 3.11 forgets that it was cancelled when
    what it waits for happens at the same moment: a run that nobody wanted any more went on.
    """

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """What Redis answers. Raises TROUBLE."""
        async with asyncio.timeout(ANSWER_SECONDS):
            return await super().execute_command(*args, **options)  # type: ignore[no-untyped-call]


def open_redis(url: str) -> Redis:
    """A client of the Redis at `url`; nothing is connected before the first command. Close it with `aclose`.
    Raises SandboxUnavailable where the URL is wrong.

    redis-py would send a command again whose answer was lost, three times: a run would be handed over twice.
    """
    try:
        options: dict[str, Any] = {
            **parse_url(url),
            "parser_class": BoundedParser,
            "protocol": 2,
            "retry": Retry(NoBackoff(), 0),
            "socket_connect_timeout": ANSWER_SECONDS,
            "driver_info": None,
        }
        pool = ConnectionPool(**options)
        pool.make_connection()  # type: ignore[no-untyped-call] # else the first command tells an option that is none
    except (TypeError, ValueError):
        raise SandboxUnavailable(WRONG_URL) from None
    return BoundedRedis.from_pool(pool)


def user_of(redis: Redis) -> str:
    """The user that a client is to Redis."""
    return redis.connection_pool.connection_kwargs.get("username") or "default"


def is_locked_out(error: Exception) -> bool:
    """Whether Redis does not know this user, or no more. (redis-py 7.4 has that as the cause of a ConnectionError.)"""
    return isinstance(error.__cause__ or error, AuthenticationError)


def sentence_of(error: Exception) -> str:
    """What is wrong with Redis, in a sentence for operators."""
    if is_locked_out(error):
        return "Redis does not let this user in: its password is another one, or it was revoked."
    if isinstance(error, NoPermissionError):
        return f"Redis forbids this user what it needs: {str(error)[:200]}"
    if isinstance(error.__context__, SSLCertVerificationError):
        return f"Redis shows a certificate that is not believed: {error.__context__.verify_message}."
    return f"Redis does not answer ({type(error).__name__}: {str(error)[:200]})."
