"""Carries out the control plane's requests to dial and to hang up, each attempt in its own task."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.dialing import DialRequest, HangUpLeg
from contracts.versions import read_json
from link.consumer_group import read_new
from link.persistent_loop import run_persistently
from link.streams import BEFORE_ALL, read_after
from telemetry.metrics import DIAL_ATTEMPTS
from telephony_bridge.attempt import Attempt
from telephony_bridge.carrier import Carrier
from telephony_bridge.reports import Reports

BLOCK_MS = 1000
BATCH = 50
RETRY_SECONDS = 0.5
_log = structlog.get_logger(__name__)


class Dialer:
    """
    Args:
        redis: a client that answers ``str`` and allows for ``BLOCK_MS``.
        hang_up_media: ends the leg of an attempt whose sound runs through this replica, and says
            whether there is one.
    """

    def __init__(
        self,
        redis: Redis,
        bridge_id: str,
        carriers: Iterable[Carrier],
        reports: Reports,
        hang_up_media: Callable[[UUID], bool],
    ) -> None:
        self._redis = redis
        self._bridge_id = bridge_id
        self._carriers = {carrier.name: carrier for carrier in carriers}
        self._reports = reports
        self._hang_up_media = hang_up_media
        self._attempts: dict[UUID, Attempt] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._position = BEFORE_ALL
        """In the stream of commands."""
        DIAL_ATTEMPTS.set_function(lambda: len(self._attempts))

    async def wait_idle(self) -> None:
        """Return once no attempt is under way."""
        await self._idle.wait()

    async def run(self, stop: asyncio.Event, drain: Callable[[], Awaitable[None]]) -> None:
        """Dial until ``stop`` is set, await ``drain``, then hang up every leg that is left."""
        async with asyncio.TaskGroup() as tasks:
            obeying = tasks.create_task(_keep_reading("bridge_commands", self._read_commands))
            take = partial(self._take_requests, tasks)
            taking = (
                tasks.create_task(_keep_reading("dial_requests", take)) if self._carriers else None
            )
            await stop.wait()
            if taking is not None:
                taking.cancel()
            await drain()
            obeying.cancel()
            for attempt in self._attempts.values():
                attempt.hang_up()

    async def _take_requests(self, tasks: asyncio.TaskGroup) -> None:
        for entry in await read_new(
            self._redis,
            [redis_names.dial_requests(name) for name in self._carriers],
            redis_names.DIAL_REQUEST_GROUP,
            self._bridge_id,
            batch=BATCH,
            block_ms=BLOCK_MS,
            noack=True,
        ):
            await self._take(entry.document, tasks)

    async def _take(self, document: str, tasks: asyncio.TaskGroup) -> None:
        try:
            request = read_json(DialRequest, document)
        except ValidationError:
            _log.exception("dial_request_unreadable", document=document[:500])
            return
        if datetime.now(UTC) >= request.dial_before or not await self._reports.claim(request):
            return
        _log.info(
            "dialing",
            call_id=str(request.call_id),
            attempt_id=str(request.attempt_id),
            carrier=request.carrier,
        )
        attempt = Attempt(
            request, self._carriers[request.carrier], partial(self._reports.add, request)
        )
        self._attempts[request.attempt_id] = attempt
        self._idle.clear()
        tasks.create_task(self._carry_out(attempt))

    async def _carry_out(self, attempt: Attempt) -> None:
        try:
            await attempt.run()
        finally:
            del self._attempts[attempt.request.attempt_id]
            if not self._attempts:
                self._idle.set()

    async def _read_commands(self) -> None:
        stream = redis_names.bridge_commands(self._bridge_id)
        for entry in await read_after(
            self._redis, stream, self._position, count=BATCH, block_ms=BLOCK_MS
        ):
            self._position = entry.entry_id
            self._obey(entry.document)

    def _obey(self, document: str) -> None:
        try:
            command = read_json(HangUpLeg, document)
        except ValidationError:
            _log.exception("bridge_command_unreadable", document=document[:500])
            return
        # Who carries the sound knows what is still to be heard. The carrier then tells the attempt.
        if self._hang_up_media(command.attempt_id):
            return
        if (attempt := self._attempts.get(command.attempt_id)) is not None:
            attempt.hang_up()


async def _keep_reading(name: str, read: Callable[[], Awaitable[None]]) -> None:
    await run_persistently(
        name, read, first_pause_seconds=RETRY_SECONDS, longest_pause_seconds=RETRY_SECONDS
    )
