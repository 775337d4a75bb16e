"""Takes requests from the control plane and carries them out, each in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from contracts import redis_names
from contracts.dialing import DialRequest, HangUpLeg
from telephony_bridge.attempt import Attempt
from telephony_bridge.carrier import Carrier
from telephony_bridge.reports import Reports
from telephony_bridge.stream_entries import Entry, entries_of

BLOCK_MS = 1000
BATCH = 50
RETRY_SECONDS = 0.5
_log = structlog.get_logger(__name__)


class Dialer:
    """
    Args:
        redis: a client that answers ``str`` and allows for ``BLOCK_MS``.
    """

    def __init__(
        self, redis: Redis, bridge_id: str, carriers: Iterable[Carrier], reports: Reports
    ) -> None:
        self._redis = redis
        self._bridge_id = bridge_id
        self._carriers = {carrier.name: carrier for carrier in carriers}
        self._reports = reports
        self._attempts: dict[UUID, Attempt] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Dial until ``stop`` is set, then hang up what is left.

        The readers look at ``stop`` as well: the Redis client can turn a cancellation that meets a
        connection being made into a timeout, which they take for an outage.
        """
        async with asyncio.TaskGroup() as tasks:
            requests = tasks.create_task(self._read_requests(tasks, stop))
            commands = tasks.create_task(self._read_commands(stop))
            await stop.wait()
            requests.cancel()
            commands.cancel()
            for attempt in self._attempts.values():
                attempt.hang_up()

    async def _read_requests(self, tasks: asyncio.TaskGroup, stop: asyncio.Event) -> None:
        streams: dict[Any, Any] = {redis_names.dial_requests(each): ">" for each in self._carriers}
        while streams and not stop.is_set():
            try:
                for entry in await self._next_requests(streams):
                    await self._take(entry.document, tasks)
            except (RedisError, OSError) as error:
                _log.warning("dial_requests_unavailable", error=str(error))
                await asyncio.sleep(RETRY_SECONDS)

    async def _next_requests(self, streams: dict[Any, Any]) -> list[Entry]:
        try:
            answer = await self._redis.xreadgroup(
                redis_names.DIAL_REQUEST_GROUP,
                self._bridge_id,
                streams,
                count=BATCH,
                block=BLOCK_MS,
                noack=True,
            )
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
            await self._create_groups()
            return []
        return entries_of(answer)

    async def _create_groups(self) -> None:
        """In a fresh or emptied Redis."""
        for name in self._carriers:
            try:
                await self._redis.xgroup_create(
                    redis_names.dial_requests(name),
                    redis_names.DIAL_REQUEST_GROUP,
                    id="0",
                    mkstream=True,
                )
            except ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise

    async def _take(self, document: str, tasks: asyncio.TaskGroup) -> None:
        try:
            request = DialRequest.model_validate_json(document)
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
        tasks.create_task(self._carry_out(attempt))

    async def _carry_out(self, attempt: Attempt) -> None:
        try:
            await attempt.run()
        finally:
            del self._attempts[attempt.request.attempt_id]

    async def _read_commands(self, stop: asyncio.Event) -> None:
        stream = redis_names.bridge_commands(self._bridge_id)
        position = "0"
        while not stop.is_set():
            try:
                answer = await self._redis.xread({stream: position}, count=BATCH, block=BLOCK_MS)
            except (RedisError, OSError) as error:
                _log.warning("bridge_commands_unavailable", error=str(error))
                await asyncio.sleep(RETRY_SECONDS)
                continue
            for entry in entries_of(answer):
                position = entry.entry_id
                self._obey(entry.document)

    def _obey(self, document: str) -> None:
        try:
            command = HangUpLeg.model_validate_json(document)
        except ValidationError:
            _log.exception("bridge_command_unreadable", document=document[:500])
            return
        if (attempt := self._attempts.get(command.attempt_id)) is not None:
            attempt.hang_up()
