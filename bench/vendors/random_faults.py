"""Vendors that misbehave at random: what each fault was, and when."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from typing import Literal

from aiohttp import web
from aiohttp.typedefs import Handler

Kind = Literal[
    "refused", "401", "429", "500", "garbage", "hang first", "hang mid", "disconnect mid"
]
KINDS: tuple[Kind, ...] = (
    "refused", "401", "429", "500", "garbage", "hang first", "hang mid", "disconnect mid",
)  # fmt: skip
REQUEST_SHARE = 0.03
"""Of requests that have a fault."""
CONNECTION_SHARE = 0.25
"""Of WebSockets: they are few, and each serves a call for a minute and more."""
LONGEST_REQUEST_SECONDS = 0.5
LONGEST_CONNECTION_SECONDS = 40.0
"""After which at most a fault in the middle comes."""
_LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Fault:
    provider: str
    kind: Kind
    at: float
    """Seconds since 1970."""


class RandomFaults:
    """A middleware; the first part of each path is the provider's name."""

    def __init__(self, seed: int, factor: float = 1.0) -> None:
        """
        Args:
            factor: how much more often than usual they misbehave.
        """
        self._chance = random.Random(seed)
        self._factor = factor
        self.faults: list[Fault] = []

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        is_connection = "upgrade" in request.headers.get("Connection", "").lower()
        share = CONNECTION_SHARE if is_connection else REQUEST_SHARE
        if self._chance.random() >= self._factor * share:
            return await handler(request)
        kind = self._chance.choice(KINDS)
        if not kind.endswith("mid"):
            self._note(request, kind)
            return await _at_once(request, kind)
        longest = LONGEST_CONNECTION_SECONDS if is_connection else LONGEST_REQUEST_SECONDS
        serving = asyncio.ensure_future(handler(request))
        done, _ = await asyncio.wait({serving}, timeout=self._chance.uniform(0.0, longest))
        if done:
            return serving.result()
        self._note(request, kind)
        serving.cancel()
        await asyncio.wait({serving})
        if kind == "disconnect mid":
            _disconnect(request)
        return await _silent(request)

    def _note(self, request: web.Request, kind: Kind) -> None:
        provider = request.path.strip("/").partition("/")[0]
        self.faults.append(Fault(provider, kind, time.time()))


async def _at_once(request: web.Request, kind: Kind) -> web.StreamResponse:
    match kind:
        case "refused":
            _disconnect(request)
            return await _silent(request)
        case "garbage":
            return web.Response(body=bytes(range(256)))
        case "hang first":
            return await _silent(request)
        case _:
            return web.json_response(
                {"error": {"message": f"told to answer {kind}"}}, status=int(kind)
            )


def _disconnect(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


async def _silent(request: web.Request) -> web.StreamResponse:
    """Nothing more, until the client leaves."""
    while request.transport is not None and not request.transport.is_closing():  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_SECONDS)
    return web.Response()
