"""The limits of the page's server, each tested, and the queue in which agents think.

docs/viewer.md lists them.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from starlette.requests import ClientDisconnect, Request
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_REQUEST = 20_000  # bytes of a request, unless it has a record
MAX_CONNECTIONS = 100
REQUEST_SECONDS = 20  # in which a request must arrive whole
_M_ARENA_MAX = -8  # of glibc's mallopt
MAX_WAITING = 8  # decisions that wait for an agent; the next one is told that the server is busy


def save_memory() -> None:
    """Let all threads share one pool of memory: glibc's pools of each thread take 100 MB more."""
    with suppress(OSError, AttributeError):  # other systems have no such setting
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


class Refused(Exception):
    """A request that is refused: (status, why)."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Gone(Exception):
    """The client left before its answer."""


class Connection(H11Protocol):
    """A connection that is closed when no whole request head arrives on it in time.

    It belongs to the thread of the server's event loop.
    """

    _last: Any = None

    def connection_made(self, transport: Any) -> None:
        """Begin to watch a new connection."""
        super().connection_made(transport)
        self._watch()

    def _watch(self) -> None:
        self.loop.call_later(REQUEST_SECONDS, self._close_if_idle)

    def _close_if_idle(self) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is self._last:  # no request since the last look
            self.transport.close()
        elif not self.transport.is_closing():
            self._last = self.cycle
            self._watch()


async def body_of(request: Request, most: int) -> bytes:
    """Read a request's body; Refused if it is too long or too slow, Gone if the client leaves."""
    got = bytearray()
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            async for chunk in request.stream():
                got += chunk
                if len(got) > most:
                    raise Refused(413, f"the request has more than {most} bytes")
    except TimeoutError:
        raise Refused(408, f"the request did not arrive in {REQUEST_SECONDS} seconds") from None
    except ClientDisconnect:
        raise Gone from None
    return bytes(got)


class Thinking:
    """A queue of agents' decisions: one at a time, so that everything else is answered meanwhile.

    It belongs to the thread of the server's event loop.
    """

    def __init__(self, what: str) -> None:
        self._pool = ThreadPoolExecutor(1, what)
        self._waiting = 0

    async def run(self, work: Callable[[], Any], request: Request) -> Any:
        """Run ``work`` when it is its turn; Refused if too many wait, Gone if the client leaves."""
        if self._waiting > MAX_WAITING:
            raise Refused(503, "the server is busy: agents are thinking; try again in a moment")
        self._waiting += 1
        future = self._pool.submit(work)
        waiting = asyncio.wrap_future(future)
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=0.5)
                if not waiting.done() and await request.is_disconnected():
                    waiting.cancel()  # unless it has begun
                    raise Gone
            return await waiting
        finally:
            self._waiting -= 1
