"""One call from its creation to its bill, over the API, PostgreSQL and Valkey."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import (
    LegJoined,
    LegLeft,
    Logged,
    SlotsCollected,
    ToolCalled,
    TranscriptSegment,
    TurnMeasured,
    UsageReported,
)
from contracts.money import charge_micros, usd
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import CallLogEntry
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import (
    balance_of,
    call_of,
    catch_up,
    claimed_call,
    create_call,
    running_call,
)
from tests.control_plane.fake_worker import FakeWorker


async def talk(worker: FakeWorker, plan: CallPlan) -> None:
    caller = plan.participants[0].participant_id
    await worker.ship(
        plan,
        LegJoined(participant_id=caller),
        TranscriptSegment(
            sequence=0, speaker="agent", text="Hello!", started_at_ms=100, ended_at_ms=900
        ),
        TurnMeasured(sequence=0, tts_first_byte_ms=42, end_to_end_ms=310),
        TranscriptSegment(
            sequence=1, speaker="user", text="Hi there", started_at_ms=1200, ended_at_ms=2000
        ),
        ToolCalled(name="lookup", output="found"),
        SlotsCollected(slots={"name": "Ada"}),
        UsageReported(channel="tts", provider="local", model="hibari-en", characters=6),
        Logged(level="warning", message="The network is slow"),
        LegLeft(participant_id=caller, cause="left"),
    )


async def test_a_call_is_created_connecting_with_access_for_each_participant(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.published_agent()
    created = await create_call(tenant, agent_id)
    assert created["status"] == "connecting"
    assert created["agent"] == {"id": str(agent_id), "name": "Reception"}
    [participant] = created["participants"]
    assert participant["access"]["url"] == f"http://switchboard.test/v1/rtc/{created['id']}"
    assert participant["access"]["token"].count(".") == 2
    assert {k: participant[k] for k in ("transport", "identity", "status", "role")} == {
        "transport": "webrtc",
        "identity": "ada",
        "status": "joining",
        "role": "caller",
    }


async def test_the_first_increment_is_held_from_creation_on(tenant: TenantClient) -> None:
    before = await balance_of(tenant)
    await create_call(tenant, await tenant.published_agent())
    after = await balance_of(tenant)
    assert after["balance_usd"] == before["balance_usd"]
    assert after["held_usd"] > 0
    assert after["available_usd"] == round(before["available_usd"] - after["held_usd"], 6)


async def test_a_whole_call_is_recorded_and_billed_exactly(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    before = await balance_of(tenant)
    plan = await running_call(tenant, worker, consumer)
    assert (await call_of(tenant, plan))["status"] == "in_progress"
    active = (await tenant.get("/v1/calls/active")).json()
    assert [call["id"] for call in active["calls"]] == [str(plan.call_id)]

    await talk(worker, plan)
    await worker.end(plan, connected_ms=30_001)
    await catch_up(consumer)

    call = await call_of(tenant, plan)
    cost = usd(charge_micros(60, plan.rate_micros_per_minute))
    assert (call["status"], call["end_reason"]) == ("completed", "participant_disconnected")
    assert (call["bill_duration"], call["billable_seconds"]) == (30.001, 60)
    assert call["total_cost"] == cost
    assert call["participants"][0]["status"] == "completed"
    assert call["collected_slots"] == {"name": "Ada"}
    assert call["recording"] is None
    assert call["intelligence"]["status"] == "pending"
    assert call["transcript"]["text"] == "agent: Hello!\nuser: Hi there"
    assert call["transcript"]["segments"][1] == {
        "speaker": "user",
        "text": "Hi there",
        "sequence": 1,
        "started_at_ms": 1200,
        "ended_at_ms": 2000,
        "is_final": True,
        "source": "runtime",
    }
    agent_turn = call["transcript"]["raw"][0]
    assert (agent_turn["type"], agent_turn["response"]) == ("agent_response", "Hello!")
    assert agent_turn["metrics"]["end_to_end_ms"] == 310

    balance = await balance_of(tenant)
    assert balance["held_usd"] == 0
    assert balance["balance_usd"] == round(before["balance_usd"] - cost, 6)
    entries = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    assert [entry["transaction_type"] for entry in entries] == ["charge", "grant"]
    assert entries[0]["call_id"] == str(plan.call_id)
    assert entries[0]["amount_usd"] == -cost
    assert entries[0]["amount_seconds"] == -60
    assert round(sum(entry["amount_usd"] for entry in entries), 6) == balance["balance_usd"]

    events = (await tenant.get(f"/v1/calls/{plan.call_id}/events")).json()
    messages = [event["message"] for event in events["events"]]
    assert messages[0] == "Call created"
    assert "Call started" in messages
    assert "Tool lookup was called: found" in messages
    assert "Call ended: participant_disconnected" in messages
    slow = next(e for e in events["events"] if e["message"] == "The network is slow")
    assert (slow["level"], slow["source"], slow["call_id"]) == (
        "warning",
        "runtime",
        str(plan.call_id),
    )
    assert events["total"] == len(messages)
    page = (await tenant.get(f"/v1/calls/{plan.call_id}/events?limit=2&offset=1")).json()
    assert [event["message"] for event in page["events"]] == messages[1:3]

    transcript = (await tenant.get(f"/v1/calls/{plan.call_id}/transcript")).json()
    assert transcript["segments"] == call["transcript"]["segments"]
    assert transcript["transcript"][1]["type"] == "user_input"
    assert transcript["transcript"][1]["started_at_ms"] == 1200


async def test_a_call_that_never_connects_costs_nothing(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await claimed_call(tenant, worker)
    await worker.end(plan, None, EndReason.ROOM_CONNECTION_FAILED)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert (call["status"], call["total_cost"], call["billable_seconds"]) == ("failed", 0, 0)
    balance = await balance_of(tenant)
    assert (balance["balance_usd"], balance["held_usd"]) == (10, 0)


async def test_there_is_no_transcript_before_something_is_said(
    tenant: TenantClient, worker: FakeWorker
) -> None:
    plan = await claimed_call(tenant, worker)
    answer = await tenant.get(f"/v1/calls/{plan.call_id}/transcript")
    assert (answer.status_code, answer.json()["code"]) == (404, "transcript_not_available")


async def test_a_call_that_is_over_without_a_word_has_an_empty_transcript(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.end(plan, connected_ms=1_000)
    await catch_up(consumer)
    answer = await tenant.get(f"/v1/calls/{plan.call_id}/transcript")
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"transcript": [], "text": "", "segments": []}


async def test_every_event_comes_from_a_source_of_the_specification(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await talk(worker, plan)
    await worker.end(plan, connected_ms=30_001)
    await catch_up(consumer)
    events = (await call_of(tenant, plan))["events"]
    assert any(event["message"].startswith("Charged") for event in events)
    assert {event["source"] for event in events} <= {
        "lifecycle",
        "post_call",
        "telephony",
        "runtime",
    }


async def test_a_line_of_an_earlier_release_is_shown_with_a_source_of_the_specification(
    tenant: TenantClient, database: Database
) -> None:
    call_id = UUID((await create_call(tenant, await tenant.published_agent()))["id"])
    async with database.tenant_session(tenant.tenant_id) as session:
        session.add(
            CallLogEntry(
                tenant_id=tenant.tenant_id,
                call_id=call_id,
                level="info",
                source="billing",
                message="Charged",
                created_at=datetime.now(UTC),
            )
        )
    event = (await tenant.get(f"/v1/calls/{call_id}/events")).json()["events"][-1]
    assert event["message"] == "Charged"
    assert event["source"] == "lifecycle"


async def test_text_that_the_database_cannot_hold_is_made_to_fit(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.ship(
        plan,
        TranscriptSegment(
            sequence=0, speaker="user", text="a\x00b", started_at_ms=0, ended_at_ms=1
        ),
    )
    await catch_up(consumer)
    assert (await call_of(tenant, plan))["transcript"]["text"] == "user: ab"
