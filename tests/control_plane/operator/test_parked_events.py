"""The operator settles events that could not be applied."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DataError

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import CallEnded, EventBody, TranscriptSegment, UsageReported
from control_plane.calling.calls.events import worker_events
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, call_of, catch_up, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.operator.conftest import OperatorClient, audit_log_of

DISCARD = {"reason": "It was a test", "discarded_by": "mia@voice.example"}


def said(sequence: int) -> TranscriptSegment:
    return TranscriptSegment(
        sequence=sequence, speaker="user", text=f"word {sequence}", started_at_ms=0, ended_at_ms=1
    )


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """This release fails at what is said and at the end of a call, until ``undo``."""
    apply = worker_events._apply

    async def fail(session: Any, group: Any, call: Any, event: Any) -> Any:
        if isinstance(event.body, TranscriptSegment | CallEnded | UsageReported):
            raise DataError("statement", {}, Exception("a fault of this release"))
        return await apply(session, group, call, event)

    monkeypatch.setattr(worker_events, "_apply", fail)
    return monkeypatch


async def waiting(operator: OperatorClient) -> list[dict[str, Any]]:
    page = await operator.ok("GET", "/parked-events")
    parked: list[dict[str, Any]] = page["parked_events"]
    assert page["waiting"] == len(parked)
    return parked


async def parked(
    operator: OperatorClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    plan: CallPlan,
    *bodies: EventBody,
) -> list[dict[str, Any]]:
    """Events that were parked one after the other, the first first."""
    await worker.ship(plan, *bodies)
    await catch_up(consumer)
    return (await waiting(operator))[::-1]


async def test_a_parked_event_is_applied_after_all_by_a_release_that_can(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    broken: pytest.MonkeyPatch,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    [first, second] = await parked(operator, worker, consumer, plan, said(0), said(1))
    assert (first["call_id"], first["tenant_id"]) == (str(plan.call_id), str(plan.tenant_id))
    assert first["reason"].startswith("not applicable")
    retry = f"/parked-events/{first['id']}/retry"
    assert await operator.refused("POST", retry) == (409, "parked_event_not_applicable")
    assert len(await waiting(operator)) == 2, "it stays parked"

    broken.undo()
    applied = await operator.ok("POST", retry)
    assert (applied["resolution"], applied["resolved_at"] is None) == ("applied", False)
    assert (await operator.ok("POST", retry))["resolved_at"] == applied["resolved_at"]
    call = await call_of(tenant, plan)
    assert [segment["text"] for segment in call["transcript"]["segments"]] == ["word 0"]
    assert [each["id"] for each in await waiting(operator)] == [second["id"]]
    [settled] = (await operator.ok("GET", "/parked-events?resolved=true"))["parked_events"]
    assert settled["id"] == first["id"]
    [entry] = [e for e in await audit_log_of(tenant) if e["action"].startswith("event.")]
    assert (entry["action"], entry["target_id"]) == ("event.applied_late", str(plan.call_id))


async def test_a_parked_end_of_a_call_settles_it(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    broken: pytest.MonkeyPatch,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    end = CallEnded(end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=9_000)
    [event] = await parked(operator, worker, consumer, plan, end)
    broken.undo()
    await operator.ok("POST", f"/parked-events/{event['id']}/retry")
    call = await call_of(tenant, plan)
    assert (call["status"], call["bill_duration"]) == ("completed", 9)
    assert (await balance_of(tenant))["held_usd"] == 0


async def test_a_parked_event_does_not_undo_what_came_later(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    broken: pytest.MonkeyPatch,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    usage = {"channel": "llm", "provider": "p", "model": "m"}
    early = UsageReported.model_validate(usage | {"input_tokens": 10})
    late = UsageReported.model_validate(usage | {"input_tokens": 25})
    [event] = await parked(operator, worker, consumer, plan, early)
    broken.undo()
    await worker.ship(plan, late)
    await catch_up(consumer)
    retry = f"/parked-events/{event['id']}/retry"
    assert await operator.refused("POST", retry) == (409, "parked_event_not_applicable")


async def test_parked_usage_counts_in_the_actual_cost_of_a_call_that_is_over(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    broken: pytest.MonkeyPatch,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    usage = UsageReported(channel="llm", provider="p", model="without-a-price", input_tokens=10)
    [event] = await parked(operator, worker, consumer, plan, usage)
    broken.undo()
    await worker.end(plan, 9_000)
    await catch_up(consumer)
    assert (await call_of(tenant, plan))["provider_cost_actual"] == 0
    await operator.ok("POST", f"/parked-events/{event['id']}/retry")
    assert (await call_of(tenant, plan))["provider_cost_actual"] is None


async def test_what_is_said_in_a_parked_event_of_an_erased_call_is_not_analysed(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    broken: pytest.MonkeyPatch,
    database: Database,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    [event] = await parked(operator, worker, consumer, plan, said(0))
    broken.undo()
    await worker.end(plan, 9_000)
    await catch_up(consumer)
    async with database.system_session() as session:
        await session.execute(text("UPDATE calls SET erased_at = now()"))
        # The analysis at the end of the call is done.
        await session.execute(text("UPDATE call_analyses SET job_id = NULL"))
    analyses = "SELECT count(*) FROM procrastinate_jobs WHERE args ->> 'call_id' = :call_id"
    async with database.system_session() as session:
        before = await session.scalar(text(analyses), {"call_id": str(plan.call_id)})
    await operator.ok("POST", f"/parked-events/{event['id']}/retry")
    async with database.system_session() as session:
        after = await session.scalar(text(analyses), {"call_id": str(plan.call_id)})
    assert after == before
    assert not (await call_of(tenant, plan))["transcript"]["segments"]


async def test_a_report_of_too_much_time_cannot_be_applied_but_discarded(
    operator: OperatorClient, tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.end(plan, 10**12)
    await catch_up(consumer)
    [report] = await waiting(operator)
    assert report["stream_entry_id"] == f"connected-time:{plan.call_id}"
    before = await balance_of(tenant)
    path = f"/parked-events/{report['id']}"
    refused = await operator.request("POST", f"{path}/retry")
    assert "post a debit" in refused.json()["detail"]
    discarded = await operator.ok("POST", f"{path}/discard", DISCARD)
    assert discarded["resolution"] == "discarded"
    assert (discarded["resolution_reason"], discarded["discarded_by"]) == tuple(DISCARD.values())
    assert await balance_of(tenant) == before
    assert await waiting(operator) == []
    assert await operator.refused("POST", f"{path}/retry") == (409, "parked_event_resolved")
    [entry] = [e for e in await audit_log_of(tenant) if e["action"] == "event.discarded"]
    assert entry["changes"]["reason"] == DISCARD["reason"]


async def test_what_is_no_event_is_shown_whole_and_discarded(
    operator: OperatorClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    await worker.ship_document("garbage")
    await catch_up(consumer)
    [listed] = await waiting(operator)
    assert (listed["call_id"], listed["seq"]) == (None, None)
    assert "document" not in listed
    path = f"/parked-events/{listed['id']}"
    assert (await operator.ok("GET", path))["document"] == "garbage"
    assert await operator.refused("POST", f"{path}/retry") == (409, "parked_event_not_applicable")
    for wrong in ({}, {"reason": " ", "discarded_by": "mia"}, {"reason": "x"}):
        assert (await operator.request("POST", f"{path}/discard", wrong)).status_code == 400
    await operator.ok("POST", f"{path}/discard", DISCARD)
    again = await operator.ok("POST", f"{path}/discard", DISCARD | {"reason": "Another"})
    assert again["resolution_reason"] == DISCARD["reason"]


async def test_an_event_of_a_call_that_does_not_exist_is_not_applied(
    operator: OperatorClient, tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    event = worker.note(plan, said(0)).model_copy(update={"call_id": uuid4()})
    await worker.ship_event(event)
    await catch_up(consumer)
    [orphan] = await waiting(operator)
    refused = await operator.request("POST", f"/parked-events/{orphan['id']}/retry")
    assert "no such call" in refused.json()["detail"]


async def test_pages_go_from_the_newest_to_the_oldest(
    operator: OperatorClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    for number in range(3):
        await worker.ship_document(f"garbage {number}")
    await catch_up(consumer)
    ids = [each["id"] for each in await waiting(operator)]
    assert ids == sorted(ids, reverse=True)
    first = await operator.ok("GET", "/parked-events?limit=2")
    assert [each["id"] for each in first["parked_events"]] == ids[:2]
    rest = await operator.ok("GET", f"/parked-events?limit=2&cursor={first['next_cursor']}")
    assert [each["id"] for each in rest["parked_events"]] == ids[2:]
    assert (rest["next_cursor"], rest["waiting"]) == (None, 3)
    assert await operator.refused("GET", "/parked-events/4711") == (404, "parked_event_not_found")
