"""A media worker that only plays events: it claims real plans and says what their fate says."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.commands import Command, EndCall
from contracts.events import CallEnded, CallMetered, EventBody
from contracts.heartbeat import CallMedia
from link.dispatch_queue import DispatchQueue
from tests.chaos.fates import Death, draw_deaths, draw_fate
from tests.chaos.played_call import PlayedCall
from tests.chaos.unreliable_link import UnreliableLink

CALLS_AT_ONCE = 40
SHIPPED_AT_ONCE = 6
LOOK_SECONDS = 0.5
FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS = 1.0, 30.0
"""For what was lost on the way: what only takes long must not be sent over and over."""
RESTART_SECONDS = 4.0


StreamEntries = list[tuple[str, dict[str, str]]]


class PlayingWorker:
    """``played`` holds every call that it has claimed."""

    def __init__(self, redis: Redis, worker_id: str, dice: random.Random) -> None:
        self._redis = redis
        self._worker_id = worker_id
        self._dice = dice
        self._deaths = draw_deaths(dice)
        self._ends: dict[UUID, EndCall] = {}
        self._alive: set[UUID] = set()
        """The calls whose leases are renewed."""
        self.link = UnreliableLink(redis, dice)
        self.played: dict[UUID, PlayedCall] = {}

    async def run(self) -> None:
        """Play until cancelled."""
        with suppress(ResponseError):
            await self._redis.xgroup_create(
                redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, id="0", mkstream=True
            )
        async with asyncio.TaskGroup() as group:
            group.create_task(self._hear())
            group.create_task(self._renew())
            for _ in range(CALLS_AT_ONCE):
                group.create_task(self._serve())

    async def _serve(self) -> None:
        while True:
            await DispatchQueue(self._redis).advance()
            streams = await self._redis.xreadgroup(
                redis_names.DISPATCH_GROUP,
                self._worker_id,
                {redis_names.DISPATCH_STREAM: ">"},
                count=1,
            )
            if not streams:
                await asyncio.sleep(LOOK_SECONDS)
                continue
            [(_, [(entry_id, fields)])] = cast(list[tuple[str, StreamEntries]], streams)
            plan = CallPlan.model_validate_json(fields[redis_names.FIELD])
            is_mine = await self._take_lease(plan)
            await self._redis.xack(
                redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, entry_id
            )
            await self._redis.xdel(redis_names.DISPATCH_STREAM, entry_id)
            if is_mine:
                await self._play(plan)

    async def _take_lease(self, plan: CallPlan) -> bool:
        """A plan may come twice; a call that was begun, here or elsewhere, is not begun again."""
        was_begun = await self._redis.hexists(redis_names.MEDIA, str(plan.call_id))
        if was_begun or plan.call_id in self.played or await self._applied(plan) > 0:
            return False
        return bool(
            await self._redis.set(
                redis_names.call_lease(plan.call_id),
                self._worker_id,
                ex=redis_names.LEASE_TTL_SECONDS,
                nx=True,
            )
        )

    async def _play(self, plan: CallPlan) -> None:
        fate = draw_fate(plan, next(self._deaths), self._dice)
        call = self.played[plan.call_id] = PlayedCall(plan, self._worker_id, fate.death)
        bodies = fate.bodies if fate.death is Death.NEVER else fate.bodies[: fate.dies_after]
        self._alive.add(plan.call_id)
        await self._report_position(plan, None)
        await self._say(call, bodies)
        if fate.death is Death.NEVER:
            await self._ship_until_applied(call)
        self._alive.remove(plan.call_id)
        await self._redis.delete(redis_names.call_lease(plan.call_id))
        if fate.death is Death.RESTARTED:
            await asyncio.sleep(RESTART_SECONDS)
            await self._ship_until_applied(call)

    async def _say(self, call: PlayedCall, bodies: tuple[EventBody, ...]) -> None:
        """Journal and ship bit by bit; an end that was asked for cuts the rest short."""
        connected_ms: int | None = None
        for first in range(0, len(bodies), SHIPPED_AT_ONCE):
            for body in bodies[first : first + SHIPPED_AT_ONCE]:
                call.note(body)
                if isinstance(body, CallMetered):
                    connected_ms = body.connected_ms
            await self._report_position(call.plan, connected_ms)
            await self.link.ship(call.journal[first:])
            await asyncio.sleep(self._dice.random() / 2)
            asked = self._ends.get(call.plan.call_id)
            if asked is not None and not isinstance(call.journal[-1].body, CallEnded):
                call.note(CallEnded(end_reason=asked.end_reason, connected_ms=connected_ms))
                await self.link.ship(call.journal[-1:])
                return

    async def _ship_until_applied(self, call: PlayedCall) -> None:
        """Send again what is behind the cursor, each time that it has stood still for a while."""
        seen, retry_seconds = -1, FIRST_RETRY_SECONDS
        while (applied := await self._applied(call.plan)) < len(call.journal):
            if applied == seen:
                await self.link.ship(call.journal[applied:])
                retry_seconds = min(2 * retry_seconds, LONGEST_RETRY_SECONDS)
            seen = applied
            await asyncio.sleep(retry_seconds)
        call.is_shipped = True

    async def _applied(self, plan: CallPlan) -> int:
        applied = await self._redis.hget(redis_names.APPLIED, str(plan.call_id))
        return int(applied or 0)

    async def _report_position(self, plan: CallPlan, connected_ms: int | None) -> None:
        media = CallMedia(
            call_id=plan.call_id,
            tenant_id=plan.tenant_id,
            worker_id=self._worker_id,
            connected_ms=connected_ms,
            sent_at=datetime.now(UTC),
        )
        await self._redis.hset(redis_names.MEDIA, str(plan.call_id), media.model_dump_json())

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(redis_names.LEASE_TTL_SECONDS / 4)
            for call_id in tuple(self._alive):
                await self._redis.set(
                    redis_names.call_lease(call_id),
                    self._worker_id,
                    ex=redis_names.LEASE_TTL_SECONDS,
                )

    async def _hear(self) -> None:
        """Take commands; only those to end a call mean anything here."""
        stream, last = redis_names.worker_commands(self._worker_id), "0"
        while True:
            await asyncio.sleep(LOOK_SECONDS / 2)
            entries = await self._redis.xrange(stream, min=f"({last}")
            for entry_id, fields in cast(StreamEntries, entries):
                last = entry_id
                command = Command.model_validate_json(fields[redis_names.FIELD])
                if isinstance(command.body, EndCall):
                    self._ends[command.call_id] = command.body
