"""The analysis of a call on an installation without any key."""

from __future__ import annotations

from uuid import uuid4

from contracts.end_reasons import EndReason
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.calling.intelligence.conftest import RunJobs, make_jobs_due
from tests.control_plane.calling.intelligence.conversation import ended_call, outbox, say
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, catch_up, claimed_call
from tests.control_plane.fake_worker import FakeWorker


async def test_every_field_is_filled_and_says_that_no_language_model_filled_it(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, run_jobs: RunJobs
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    assert (await call_of(tenant, plan))["intelligence"]["status"] == "pending"
    await run_jobs()
    call = await call_of(tenant, plan)
    found = call["intelligence"]
    assert call["intelligence_status"] == found["status"] == "completed"
    assert found["analyser"]["provider"] == "local"
    assert "local analyser" in found["summary"]
    assert "Ada Lovelace" in found["summary"]
    assert found["sentiment"] == "positive"
    assert found["structured_data"] == {
        "customer_name": "Ada Lovelace",
        "party_size": 4,
        "email": None,
    }
    evaluation = found["evaluation"]
    assert "local analyser" in evaluation["reasoning"]
    assert [each["passed"] for each in evaluation["criteria"]] == [False, True]
    assert evaluation["passed"] is False
    assert 0 < evaluation["score"] < 1
    assert found["errors"] == []


async def test_the_summary_is_there_once_the_call_has_been_analysed(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, run_jobs: RunJobs
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    path = f"/v1/calls/{plan.call_id}/summary"
    early = await tenant.get(path)
    assert (early.status_code, early.json()["code"]) == (404, "summary_not_available")
    await run_jobs()
    answer = await tenant.get(path)
    assert answer.status_code == 200
    assert set(answer.json()) == {"status", "sentiment", "summary"}
    assert answer.json()["status"] == "completed"


async def test_a_running_call_and_no_call_have_no_summary(
    tenant: TenantClient, worker: FakeWorker
) -> None:
    plan = await claimed_call(tenant, worker)
    running = await tenant.get(f"/v1/calls/{plan.call_id}/summary")
    assert (running.status_code, running.json()["code"]) == (404, "summary_not_available")
    unknown = await tenant.get(f"/v1/calls/{uuid4()}/summary")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "call_not_found")


async def test_the_rich_call_completed_has_exactly_the_fields_of_the_api(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
    database: Database,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs()
    [event] = await outbox(database, plan, "call.completed")
    call = await call_of(tenant, plan)
    data = event.data
    assert event.origin == "api", "its envelope has a type"
    assert set(data) == {
        *("call_id", "session_id", "agent_id", "status", "reason", "duration", "cost"),
        *("telecom_cost", "provider_cost", "provider_cost_breakdown", "intelligence_status"),
        *("provider_cost_actual", "provider_cost_actual_breakdown"),
        *("transcript", "summary", "sentiment", "structured_data", "evaluation", "recording"),
        "errors",
    }
    assert data["session_id"] == call["room_name"]
    assert (data["status"], data["reason"]) == ("completed", "participant_disconnected")
    assert data["duration"] == 12
    assert data["cost"] == call["total_cost"] > 0
    assert data["cost"] == round(data["telecom_cost"] + data["provider_cost"], 6)
    assert data["provider_cost"] == call["provider_cost"]
    assert data["provider_cost_breakdown"] == call["provider_cost_breakdown"]
    assert data["provider_cost_actual"] == call["provider_cost_actual"] == 0
    assert data["provider_cost_actual_breakdown"] == call["provider_cost_actual_breakdown"]
    assert data["intelligence_status"] == "completed"
    assert data["transcript"]["text"] == call["transcript"]["text"]
    assert data["recording"] is None
    assert set(data["evaluation"]) == {"passed", "score", "reasoning"}
    for name in ("summary", "sentiment", "structured_data", "errors"):
        assert data[name] == call["intelligence"][name]


async def test_call_intelligence_ready_has_exactly_the_fields_of_the_api(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
    database: Database,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs()
    [event] = await outbox(database, plan, "call.intelligence.ready")
    assert event.origin == "api"
    assert set(event.data) == {
        *("call_id", "status", "duration", "cost", "intelligence_status", "transcript"),
        *("summary", "sentiment", "structured_data", "evaluation", "errors"),
    }
    [first, *_] = event.data["transcript"]["segments"]
    assert set(first) == {"speaker", "text", "sequence", "started_at_ms", "ended_at_ms"}


async def test_a_call_in_which_nothing_was_said_is_skipped_and_told_of_as_completed(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
    database: Database,
) -> None:
    plan = await ended_call(tenant, worker, consumer, words=(), slots={})
    await run_jobs()
    assert (await call_of(tenant, plan))["intelligence_status"] == "skipped"
    [event] = await outbox(database, plan, "call.completed")
    assert event.data["summary"] is None
    assert await outbox(database, plan, "call.intelligence.ready") == []
    assert (await tenant.get(f"/v1/calls/{plan.call_id}/summary")).json() == {
        "status": "skipped",
        "sentiment": None,
        "summary": None,
    }


async def test_a_call_that_failed_is_analysed_but_not_told_of_as_completed(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
    database: Database,
) -> None:
    plan = await claimed_call(tenant, worker)
    await worker.start(plan)
    await say(worker, plan)
    await worker.end(plan, 12_000, EndReason.WORKER_ERROR)
    await catch_up(consumer)
    await run_jobs()
    assert (await call_of(tenant, plan))["intelligence"]["summary"]
    assert await outbox(database, plan, "call.completed") == []
    [event] = await outbox(database, plan, "call.intelligence.ready")
    assert event.data["status"] == "failed"


async def test_only_what_is_asked_for_is_found_out(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, run_jobs: RunJobs
) -> None:
    plan = await ended_call(
        tenant, worker, consumer, post_call={"summary": {"enabled": False}, "evaluation": {}}
    )
    await run_jobs()
    found = (await call_of(tenant, plan))["intelligence"]
    assert found["status"] == "skipped"
    assert found["summary"] is found["sentiment"] is found["structured_data"] is None


async def test_a_call_whose_transcript_grows_after_its_end_is_analysed_again(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
    database: Database,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs()
    await say(worker, plan, (("user", "One more thing: my dog comes along."),), first=4)
    await catch_up(consumer)
    assert (await call_of(tenant, plan))["intelligence_status"] == "pending"
    await make_jobs_due(database)
    await run_jobs()
    found = (await call_of(tenant, plan))["intelligence"]
    assert found["status"] == "completed"
    assert "my dog comes along" in found["summary"]
    assert len(await outbox(database, plan, "call.completed")) == 2


async def test_what_was_found_out_is_in_the_calls_event_log(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, run_jobs: RunJobs
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs()
    events = (await call_of(tenant, plan))["events"]
    [entry] = [event for event in events if event["source"] == "post_call"]
    assert entry["level"] == "info"
    assert "summary, structured data, evaluation" in entry["message"]
