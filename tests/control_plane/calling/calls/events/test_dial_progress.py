"""What carriers report of a phone moves its participant and its call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.dial_outcome import DialOutcome
from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallStarted, LegJoined, RoomOpened
from control_plane.calling.calls import repository
from control_plane.calling.calls.events import dial_progress
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, catch_up, create_call
from tests.control_plane.fake_worker import FakeWorker

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NUMBERS = ("+14155550100", "+14155550101")


@dataclass(frozen=True)
class PhoneCall:
    """A queued call of two phones, and one of its rows at a time."""

    tenant: TenantClient
    database: Database
    id: UUID
    legs: tuple[UUID, ...]

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[tuple[AsyncSession, Call]]:
        async with self.database.system_session() as session:
            call = await repository.locked_call(session, self.tenant.tenant_id, self.id)
            assert call is not None
            yield session, call

    async def shown(self) -> dict[str, Any]:
        shown: dict[str, Any] = (await self.tenant.get(f"/v1/calls/{self.id}")).json()
        return shown

    async def legs_shown(self) -> list[str]:
        return [leg["status"] for leg in (await self.shown())["participants"]]

    async def told(self) -> list[tuple[str, dict[str, Any]]]:
        """The call's events in the outbox, oldest first."""
        async with self.database.system_session() as session:
            events = await session.scalars(
                select(OutboxEvent)
                .where(
                    OutboxEvent.tenant_id == self.tenant.tenant_id, OutboxEvent.origin == "gateway"
                )
                .order_by(OutboxEvent.occurred_at, OutboxEvent.id)
            )
            return [(event.event, event.data) for event in events]


@pytest.fixture
async def phone_call(tenant: TenantClient, database: Database) -> PhoneCall:
    created = await create_call(tenant, await tenant.published_agent())
    call_id, first = UUID(created["id"]), UUID(created["participants"][0]["id"])
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE calls SET status = 'queued' WHERE id = :id"), {"id": call_id}
        )
        await session.execute(
            text(
                "UPDATE call_participants SET status = 'queued', transport = 'pstn', identity = :to"
                " WHERE id = :id"
            ),
            {"id": first, "to": NUMBERS[0]},
        )
        second = await session.scalar(
            text(
                "INSERT INTO call_participants"
                " (id, tenant_id, call_id, position, role, transport, identity, status)"
                " SELECT gen_random_uuid(), tenant_id, call_id, 1, 'participant', transport, :to,"
                " status FROM call_participants WHERE id = :id RETURNING id"
            ),
            {"id": first, "to": NUMBERS[1]},
        )
    return PhoneCall(tenant, database, call_id, (first, UUID(str(second))))


async def test_a_phone_that_rings_and_is_answered(phone_call: PhoneCall) -> None:
    leg = phone_call.legs[0]
    async with phone_call.locked() as (session, call):
        assert await dial_progress.leg_dialing(session, call, leg, NOW)
    assert (await phone_call.shown())["status"] == "queued"
    assert await phone_call.legs_shown() == ["dialing", "queued"]
    async with phone_call.locked() as (session, call):
        assert call.dialed_at == NOW
        assert await dial_progress.leg_ringing(session, call, leg, NOW)
    assert (await phone_call.shown())["status"] == "ringing"
    async with phone_call.locked() as (session, call):
        assert await dial_progress.leg_answered(session, call, leg, NOW)
        assert call.answered_at == NOW
    assert (await phone_call.shown())["status"] == "ringing"
    assert await phone_call.legs_shown() == ["joining", "queued"]


async def test_a_call_whose_phone_will_be_dialed_again_is_queued_again(
    phone_call: PhoneCall,
) -> None:
    leg, retry_at = phone_call.legs[0], NOW + timedelta(minutes=5)
    async with phone_call.locked() as (session, call):
        await dial_progress.leg_dialing(session, call, leg, NOW)
        await dial_progress.leg_ringing(session, call, leg, NOW)
        await dial_progress.leg_ended(
            session, call, leg, "acme", DialOutcome.NO_ANSWER, NOW, retry_at
        )
    shown = await phone_call.shown()
    assert (shown["status"], shown["end_reason"]) == ("queued", None)
    assert await phone_call.legs_shown() == ["queued", "queued"]
    async with phone_call.locked() as (_, call):
        assert (call.dialed_at, call.due_at) == (None, retry_at)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (DialOutcome.NO_ANSWER, "no_answer"),
        (DialOutcome.BUSY, "busy"),
        (DialOutcome.REJECTED, "busy"),
        (DialOutcome.UNREACHABLE, "failed"),
        (DialOutcome.FAILED, "failed"),
    ],
)
async def test_the_call_ends_with_its_last_phone_and_costs_nothing(
    phone_call: PhoneCall, outcome: DialOutcome, status: str
) -> None:
    for leg in phone_call.legs:
        assert (await phone_call.shown())["status"] == "queued"
        async with phone_call.locked() as (session, call):
            await dial_progress.leg_dialing(session, call, leg, NOW)
            await dial_progress.leg_ended(session, call, leg, "acme", outcome, NOW, None)
    shown = await phone_call.shown()
    assert (shown["status"], shown["end_reason"]) == (status, f"acme_{outcome.value}")
    assert shown["total_cost"] == 0
    assert (await balance_of(phone_call.tenant))["held_usd"] == 0
    assert await phone_call.told() == [
        (
            "call.failed",
            {
                "call_id": str(phone_call.id),
                "session_id": shown["room_name"],
                "agent_id": shown["agent_id"],
                "status": "failed",
                "reason": f"acme_{outcome.value}",
            },
        )
    ]


async def test_nothing_is_wanted_of_a_phone_once_the_call_is_over(phone_call: PhoneCall) -> None:
    leg = phone_call.legs[0]
    async with phone_call.locked() as (session, call):
        assert await dial_progress.cancel_queued(session, call, NOW)
    shown = await phone_call.shown()
    assert (shown["status"], shown["end_reason"]) == ("canceled", "canceled")
    async with phone_call.locked() as (session, call):
        assert not await dial_progress.cancel_queued(session, call, NOW)
        assert not await dial_progress.leg_dialing(session, call, leg, NOW)
        assert not await dial_progress.leg_ringing(session, call, leg, NOW)
        assert not await dial_progress.leg_answered(session, call, leg, NOW)
        await dial_progress.leg_ended(session, call, leg, "acme", DialOutcome.BUSY, NOW, None)
    assert await phone_call.shown() == shown
    assert await phone_call.told() == []


async def test_a_call_that_is_being_dialed_is_not_taken_out_of_the_queue(
    phone_call: PhoneCall,
) -> None:
    async with phone_call.locked() as (session, call):
        await dial_progress.leg_dialing(session, call, phone_call.legs[0], NOW)
        assert not await dial_progress.cancel_queued(session, call, NOW)
    assert (await phone_call.shown())["status"] == "queued"


async def test_the_start_is_told_once_for_the_call_and_once_for_each_phone(
    phone_call: PhoneCall, worker: FakeWorker, consumer: EventConsumer
) -> None:
    first, second = phone_call.legs
    async with phone_call.locked() as (session, call):
        await dial_progress.leg_answered(session, call, first, NOW)
        plan = call.frozen_plan()
    await worker.ship(
        plan,
        RoomOpened(),
        CallStarted(participant_id=first),
        LegJoined(participant_id=first),
        LegJoined(participant_id=second),
        LegJoined(participant_id=second),
    )
    await catch_up(consumer)
    shown = await phone_call.shown()
    assert shown["status"] == "in_progress"
    common = {
        "call_id": str(phone_call.id),
        "session_id": shown["room_name"],
        "agent_id": shown["agent_id"],
        "channel": "phone",
    }
    told = await phone_call.told()
    assert {event for event, _ in told} == {"call.started"}
    started_at = {data.pop("started_at") for _, data in told}
    assert all(datetime.fromisoformat(at).tzinfo for at in started_at)
    assert sorted((data for _, data in told), key=lambda data: data.get("participant_id", "")) == [
        common | {"to_number": NUMBERS[0]},
        *sorted(
            (
                common | {"to_number": number, "participant_id": str(leg)}
                for number, leg in zip(NUMBERS, phone_call.legs, strict=True)
            ),
            key=lambda data: data["participant_id"],
        ),
    ]


async def test_a_phone_that_is_not_reached_does_not_end_a_conversation(
    phone_call: PhoneCall, worker: FakeWorker, consumer: EventConsumer
) -> None:
    first, second = phone_call.legs
    async with phone_call.locked() as (session, call):
        await dial_progress.leg_answered(session, call, first, NOW)
        plan = call.frozen_plan()
    await worker.ship(plan, RoomOpened(), CallStarted(participant_id=first))
    await catch_up(consumer)
    async with phone_call.locked() as (session, call):
        await dial_progress.leg_dialing(session, call, second, NOW)
        await dial_progress.leg_ended(session, call, second, "acme", DialOutcome.BUSY, NOW, None)
    assert (await phone_call.shown())["status"] == "in_progress"
    assert await phone_call.legs_shown() == ["connected", "completed"]
    await worker.ship(
        plan, CallEnded(end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=1_000)
    )
    await catch_up(consumer)
    assert (await phone_call.shown())["status"] == "completed"
