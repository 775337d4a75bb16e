"""The other end of the link: dispatches, commands, and reads what arrives."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_offer import CallOffer
from contracts.call_plan import CallPlan
from contracts.commands import Command, CommandBody, CommandReply, OfferLeg
from contracts.events import CallEvent
from contracts.heartbeat import WorkerHeartbeat
from control_plane.platform.link.dispatch import dispatch
from link.stream_entry import listed_entries
from tests.runtime.fakes import CALLER


class ControlPlane:
    def __init__(self, redis: Redis) -> None:
        self.redis = redis

    async def dispatch(
        self,
        plan: CallPlan,
        offered_at: datetime | None = None,
        funded_until_ms: int | None = None,
    ) -> None:
        await self.dispatch_document(plan, plan.model_dump_json(), offered_at, funded_until_ms)

    async def dispatch_document(
        self,
        plan: CallPlan,
        document: str,
        offered_at: datetime | None = None,
        funded_until_ms: int | None = None,
    ) -> None:
        """Offer ``document`` as the plan of the call that ``plan`` names."""
        offer = CallOffer.made(
            plan.call_id, plan.tenant_id, offered_at or datetime.now(UTC), funded_until_ms
        )
        await dispatch(self.redis, offer, document)

    async def command(self, worker_id: str, call_id: UUID, body: CommandBody) -> None:
        command = Command(
            command_id=uuid4(), call_id=call_id, issued_at=datetime.now(UTC), body=body
        )
        await self.redis.xadd(
            redis_names.worker_commands(worker_id), {redis_names.FIELD: command.model_dump_json()}
        )

    async def offer(self, worker_id: str, call_id: UUID) -> CommandReply:
        request_id = uuid4()
        offer = OfferLeg(participant_id=CALLER, identity="caller", sdp="offer", reply_to=request_id)
        await self.command(worker_id, call_id, offer)
        _, document = await self.redis.brpop([redis_names.reply(request_id)], timeout=5)
        return CommandReply.model_validate_json(document)

    async def events(self, call_id: UUID) -> list[CallEvent]:
        entries = listed_entries(await self.redis.xrange(redis_names.EVENT_STREAM))
        events = [CallEvent.model_validate_json(each.document) for each in entries]
        return [each for each in events if each.call_id == call_id]

    async def has(self, call_id: UUID, event_type: str) -> bool:
        return any(each.body.type == event_type for each in await self.events(call_id))

    async def pending(self) -> int:
        summary = await self.redis.xpending(redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP)
        return int(summary["pending"])

    async def heartbeat(self, worker_id: str) -> WorkerHeartbeat | None:
        document = await self.redis.get(redis_names.worker_heartbeat(worker_id))
        return WorkerHeartbeat.model_validate_json(document) if document else None

    async def is_in(self, worker_id: str, state: str) -> bool:
        heartbeat = await self.heartbeat(worker_id)
        return heartbeat is not None and heartbeat.state == state
