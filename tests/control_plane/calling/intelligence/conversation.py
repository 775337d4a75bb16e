"""Calls with a conversation, for tests of their analysis."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from contracts.call_plan import CallPlan
from contracts.events import SlotsCollected, TranscriptSegment
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.intelligence.delivered_payload import delivered_payload
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up, claimed_call
from tests.control_plane.fake_worker import FakeWorker

SCHEMA = {
    "type": "object",
    "properties": {
        "customer_name": {"type": "string"},
        "party_size": {"type": "integer", "minimum": 1},
        "email": {"type": ["string", "null"], "format": "email"},
    },
    "required": ["customer_name", "party_size", "email"],
    "additionalProperties": False,
}
RUBRIC = "1. The agent greets the caller.\n2. The agent asks for the party size."
POST_CALL: dict[str, Any] = {
    "structured_extraction": {"json_schema": SCHEMA},
    "evaluation": {"rubric": RUBRIC},
}
WORDS = (
    ("agent", "Hello, this is the Olive Tree. How can I help?"),
    ("user", "I would like a table for four on Friday, please."),
    ("agent", "With pleasure. What is your name, and is the size of the party four?"),
    ("user", "Ada Lovelace. Thank you, that is great."),
)
SLOTS = {"name": "Ada Lovelace", "party_size": "4"}


def segment(sequence: int, speaker: Any, text: str) -> TranscriptSegment:
    return TranscriptSegment(
        sequence=sequence,
        speaker=speaker,
        text=text,
        started_at_ms=sequence * 1_000,
        ended_at_ms=sequence * 1_000 + 900,
    )


async def say(
    worker: FakeWorker, plan: CallPlan, words: tuple[tuple[str, str], ...] = WORDS, first: int = 0
) -> None:
    await worker.ship(
        plan, *(segment(first + i, speaker, text) for i, (speaker, text) in enumerate(words))
    )


async def ended_call(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    *,
    words: tuple[tuple[str, str], ...] = WORDS,
    slots: dict[str, str] | None = None,
    **fields: Any,
) -> CallPlan:
    """A call of 12 seconds that has ended, and whose jobs have not run yet."""
    plan = await claimed_call(tenant, worker, **({"post_call": POST_CALL} | fields))
    await worker.start(plan)
    await say(worker, plan, words)
    if slots is None:
        slots = SLOTS
    if slots:
        await worker.ship(plan, SlotsCollected(slots=slots))
    await worker.end(plan, 12_000)
    await catch_up(consumer)
    return plan


async def outbox(database: Database, plan: CallPlan, event: str) -> list[OutboxEvent]:
    """The events with this name about the call, in order, with the data that is delivered. Their
    call has no recording."""
    async with database.system_session() as session:
        rows = await session.scalars(
            select(OutboxEvent)
            .where(
                OutboxEvent.tenant_id == plan.tenant_id,
                OutboxEvent.event == event,
                OutboxEvent.data["call_id"].astext == str(plan.call_id),
            )
            .order_by(OutboxEvent.occurred_at)
        )
        events = list(rows)
        settings = ControlPlaneSettings.model_construct()
        for each in events:
            session.expunge(each)
            assert "transcript" not in each.data, "it would have to be erased"
            each.data = await delivered_payload(
                session, settings, each.tenant_id, each.event, each.data, each.origin
            )
        return events
