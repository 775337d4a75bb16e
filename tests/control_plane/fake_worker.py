"""A media worker without media: speaks the link as the runtime does, says what a test tells it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from uuid import UUID

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from contracts import redis_names
from contracts.call_offer import CallOffer
from contracts.call_plan import CallPlan
from contracts.commands import (
    Command,
    CommandBody,
    CommandRefused,
    CommandReply,
    ExtendFunds,
    LegAnswered,
    OfferLeg,
)
from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallEvent, CallMetered, CallStarted, EventBody, RoomOpened
from contracts.heartbeat import CallMedia
from link.dispatch_queue import DispatchQueue

WORKER_ID = "worker-of-the-tests"


class FakeWorker:
    def __init__(self, redis: Redis, worker_id: str = WORKER_ID) -> None:
        self.redis = redis
        self.worker_id = worker_id
        self.journal: dict[UUID, list[CallEvent]] = {}
        self.offers: dict[UUID, CallOffer] = {}
        """Of the claimed calls."""

    async def claim(self) -> CallPlan | None:
        """Take the next plan and its lease, and open the room; ``None`` if there is none."""
        with suppress(ResponseError):
            await self.redis.xgroup_create(
                redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, id="0", mkstream=True
            )
        await DispatchQueue(self.redis).advance()
        streams = await self.redis.xreadgroup(
            redis_names.DISPATCH_GROUP,
            self.worker_id,
            {redis_names.DISPATCH_STREAM: ">"},
            count=1,
        )
        if not streams:
            return None
        [[_, [[entry_id, fields]]]] = streams
        plan = CallPlan.model_validate_json(fields[redis_names.FIELD])
        self.offers[plan.call_id] = CallOffer.model_validate_json(fields[redis_names.HEADER_FIELD])
        await self.renew_lease(plan.call_id)
        await self.ship(plan, RoomOpened())
        await self.redis.xack(redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, entry_id)
        await self.redis.xdel(redis_names.DISPATCH_STREAM, entry_id)
        return plan

    async def renew_lease(self, call_id: UUID) -> None:
        await self.redis.set(
            redis_names.call_lease(call_id), self.worker_id, ex=redis_names.LEASE_TTL_SECONDS
        )

    async def drop_lease(self, call_id: UUID) -> None:
        """What the lease's expiry does when the worker has died."""
        await self.redis.delete(redis_names.call_lease(call_id))

    async def report_position(self, plan: CallPlan, connected_ms: int | None) -> None:
        media = CallMedia(
            call_id=plan.call_id,
            tenant_id=plan.tenant_id,
            worker_id=self.worker_id,
            connected_ms=connected_ms,
            sent_at=datetime.now(UTC),
        )
        await self.redis.hset(redis_names.MEDIA, str(plan.call_id), media.model_dump_json())

    def note(self, plan: CallPlan, body: EventBody) -> CallEvent:
        """Journal an event without shipping it."""
        journal = self.journal.setdefault(plan.call_id, [])
        event = CallEvent(
            call_id=plan.call_id,
            tenant_id=plan.tenant_id,
            seq=len(journal) + 1,
            occurred_at=datetime.now(UTC),
            worker_id=self.worker_id,
            body=body,
        )
        journal.append(event)
        return event

    async def ship_event(self, event: CallEvent) -> str:
        return await self.ship_document(event.model_dump_json())

    async def ship_document(self, document: str) -> str:
        entry_id = await self.redis.xadd(redis_names.EVENT_STREAM, {redis_names.FIELD: document})
        return str(entry_id)

    async def ship(self, plan: CallPlan, *bodies: EventBody) -> None:
        for body in bodies:
            await self.ship_event(self.note(plan, body))

    async def ship_journal(self, plan: CallPlan, after_seq: int = 0) -> None:
        for event in self.journal[plan.call_id][after_seq:]:
            await self.ship_event(event)

    async def start(self, plan: CallPlan) -> None:
        await self.ship(plan, CallStarted(participant_id=plan.participants[0].participant_id))

    async def meter(self, plan: CallPlan, connected_ms: int) -> None:
        await self.ship(plan, CallMetered(connected_ms=connected_ms))

    async def end(
        self,
        plan: CallPlan,
        connected_ms: int | None,
        reason: EndReason = EndReason.PARTICIPANT_DISCONNECTED,
    ) -> None:
        await self.ship(plan, CallEnded(end_reason=reason, connected_ms=connected_ms))
        await self.drop_lease(plan.call_id)

    async def commands(self) -> list[Command]:
        """Every command sent to this worker so far, except those about paid time."""
        sent = await self._all_commands()
        return [command for command in sent if not isinstance(command.body, ExtendFunds)]

    async def told_of_funds(self) -> list[ExtendFunds]:
        """What this worker was told about paid time so far."""
        return [c.body for c in await self._all_commands() if isinstance(c.body, ExtendFunds)]

    async def _all_commands(self) -> list[Command]:
        entries = await self.redis.xrange(redis_names.worker_commands(self.worker_id))
        return [Command.model_validate_json(fields[redis_names.FIELD]) for _, fields in entries]

    async def next_command(self) -> Command:
        """The first command that is not about paid time, waiting for it."""
        stream, last = redis_names.worker_commands(self.worker_id), "0"
        while True:
            [[_, [[last, fields]]]] = await self.redis.xread({stream: last}, count=1, block=5_000)
            command = Command.model_validate_json(fields[redis_names.FIELD])
            if not isinstance(command.body, ExtendFunds):
                return command

    async def reply(self, request: CommandBody, body: LegAnswered | CommandRefused) -> None:
        assert isinstance(request, OfferLeg)
        reply = CommandReply(request_id=request.reply_to, body=body)
        await self.redis.lpush(redis_names.reply(request.reply_to), reply.model_dump_json())

    async def applied_seq(self, call_id: UUID) -> int | None:
        applied = await self.redis.hget(redis_names.APPLIED, str(call_id))
        return None if applied is None else int(applied)


@asynccontextmanager
async def fake_worker(redis_url: str, worker_id: str = WORKER_ID) -> AsyncIterator[FakeWorker]:
    redis: Redis = Redis.from_url(redis_url, decode_responses=True)
    try:
        yield FakeWorker(redis, worker_id)
    finally:
        await redis.aclose()
