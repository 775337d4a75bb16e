"""Calls analysed by a language model, from the end of the call to what the API shows."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text, update

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.intelligence import tasks
from control_plane.calling.intelligence.analysis import AnalysisPostponed, analyse
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.intelligence.repository import find
from control_plane.platform.database import Database
from control_plane.platform.job_queue import enqueue
from control_plane.platform.language_model.openai_chat import OpenAIChat
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.intelligence.answering import DATA, SUMMARY, good_answer, kind_of
from tests.control_plane.calling.intelligence.conftest import KEY, RunJobs
from tests.control_plane.calling.intelligence.conversation import POST_CALL, ended_call, outbox, say
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, catch_up
from tests.control_plane.fake_worker import FakeWorker
from tests.stand_ins.openai_wire import Answer, OpenAIWire, fails, says, says_json, slowly

PARTS = ["summary", "structured_data", "evaluation"]


def failing_for(kind: str, failure: Answer) -> Any:
    """Answers every request well, except those of one kind."""
    return lambda asked: failure if kind_of(asked) == kind else says(good_answer(asked))


async def found_out(tenant: TenantClient, plan: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await call_of(tenant, plan))["intelligence"]
    return found


async def job_of(database: Database, plan: Any) -> CallAnalysis:
    async with database.system_session() as session:
        analysis = await find(session, plan.tenant_id, plan.call_id)
        assert analysis is not None
        return analysis


async def test_each_part_is_asked_for_once_and_shown(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert [kind_of(asked) for asked in wire.requests] == PARTS
    assert found["status"] == "completed"
    assert found["summary"] == SUMMARY["summary"]
    assert found["sentiment"] == SUMMARY["sentiment"]
    assert found["structured_data"] == DATA
    assert found["evaluation"]["passed"] is False
    assert found["evaluation"]["score"] == 0.75
    assert "It guessed the size" in found["evaluation"]["reasoning"]
    assert found["analyser"] == {"provider": "openai", "model": "gpt-of-the-tests"}
    assert found["usage"] == [
        {
            "provider": "openai",
            "model": "gpt-of-the-tests",
            "requests": 3,
            "input_tokens": 33,
            "output_tokens": 21,
        }
    ]
    assert wire.authorizations == [f"Bearer {KEY}"] * 3


async def test_the_companys_own_wishes_and_model_are_followed(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
) -> None:
    wishes = {
        "summary": {"prompt": "Rhyme, please."},
        "structured_extraction": POST_CALL["structured_extraction"]
        | {"prompt": "Names in capitals."},
        "model": {"provider": "openai", "model": "gpt-of-our-own"},
    }
    await ended_call(tenant, worker, consumer, post_call=wishes)
    await run_jobs_with_openai()
    summary, data = wire.requests
    assert "Rhyme, please." in summary["messages"][0]["content"]
    assert "Names in capitals." in data["messages"][0]["content"]
    assert summary["model"] == "gpt-of-our-own"


async def test_a_tenants_own_key_is_used_before_the_platforms(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
    database: Database,
) -> None:
    async with database.system_session() as session:
        await session.execute(text("SET LOCAL ROLE NONE"))
        await session.execute(text("UPDATE plans SET byok_allowed = true"))
    key = {"key": "sk-of-the-tenant-itself", "verify": False}
    answer = await tenant.request("PUT", "/v1/provider-keys/openai", json=key)
    assert answer.status_code == 200, answer.text
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    assert (await found_out(tenant, plan))["errors"] == []
    assert set(wire.authorizations) == {"Bearer sk-of-the-tenant-itself"}


async def test_a_provider_without_a_key_is_not_replaced_unasked(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    database: Database,
) -> None:
    wanted = {"model": {"provider": "google"}}
    plan = await ended_call(tenant, worker, consumer, post_call=wanted)
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert found["status"] == "failed"
    assert found["summary"] is None
    [error] = found["errors"]
    assert error["code"] == "provider_key_unavailable"
    assert "/v1/provider-keys/google" in error["message"]
    [event] = await outbox(database, plan, "call.completed")
    assert event.data["intelligence_status"] == "failed"


async def test_data_that_does_not_fit_the_schema_is_asked_for_once_more(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
) -> None:
    def first_wrong_then_right(asked: dict[str, Any]) -> Answer:
        is_first = len(asked["messages"]) == 2
        if kind_of(asked) == "structured_data" and is_first:
            return says_json(DATA | {"party_size": "four", "card": "4111"})
        return says(good_answer(asked))

    wire.answer_to = first_wrong_then_right
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    assert (await found_out(tenant, plan))["structured_data"] == DATA
    repair = wire.requests[2]["messages"][-1]["content"]
    assert "party_size" in repair
    assert "card" in repair


async def test_data_that_twice_does_not_fit_is_an_error_and_the_rest_is_there(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
) -> None:
    wire.answer_to = failing_for("structured_data", says_json({"party_size": "four"}))
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert found["status"] == "completed"
    assert found["structured_data"] is None
    assert found["summary"]
    assert found["evaluation"]
    [error] = found["errors"]
    assert (error["part"], error["code"]) == ("structured_data", "answer_unusable")
    assert [kind_of(asked) for asked in wire.requests].count("structured_data") == 2


async def test_an_evaluation_that_leaves_a_criterion_out_is_unusable(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
) -> None:
    one = {"number": 1, "passed": True, "score": 1, "reasoning": "Fine."}
    wire.answer_to = failing_for("evaluation", says_json({"criteria": [one]}))
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert found["evaluation"] is None
    assert [error["part"] for error in found["errors"]] == ["evaluation"]


async def test_what_was_answered_before_a_failure_is_not_paid_for_again(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
    database: Database,
) -> None:
    wire.answer_to = failing_for("evaluation", fails(503))
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    assert (await found_out(tenant, plan))["status"] == "pending"
    wire.answer_to = None
    wire._answers = [
        says(good_answer({"response_format": {"json_schema": {"name": "evaluation"}}}))
    ]
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert found["status"] == "completed"
    assert found["errors"] == []
    asked = [kind_of(request) for request in wire.requests]
    assert asked == [*PARTS, "evaluation"]
    [usage] = found["usage"]
    assert usage["requests"] == 3, "the one that failed was not answered"


async def test_a_process_that_dies_between_two_answers_does_not_pay_twice(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
    database: Database,
    with_openai: ControlPlaneSettings,
) -> None:
    class Killed(BaseException):
        """No code in the process can catch this."""

    plan = await ended_call(tenant, worker, consumer)
    job = (await job_of(database, plan)).job_id
    assert job is not None
    with pytest.MonkeyPatch.context() as patch:
        ask = OpenAIChat.complete

        async def ask_or_die(self: OpenAIChat, request: Any) -> Any:
            if request.name == "evaluation":
                raise Killed
            return await ask(self, request)

        patch.setattr(OpenAIChat, "complete", ask_or_die)
        with pytest.raises(Killed):
            await analyse(
                database, with_openai, plan.tenant_id, plan.call_id, job, is_last_try=False
            )
    await run_jobs_with_openai()
    assert (await found_out(tenant, plan))["status"] == "completed"
    assert [kind_of(asked) for asked in wire.requests] == PARTS


async def test_an_analysis_that_is_run_twice_is_told_of_once(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
    database: Database,
    with_openai: ControlPlaneSettings,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    job = (await job_of(database, plan)).job_id
    assert job is not None
    for _ in range(2):
        await analyse(database, with_openai, plan.tenant_id, plan.call_id, job, is_last_try=False)
    await run_jobs_with_openai()
    assert len(wire.requests) == 3
    assert len(await outbox(database, plan, "call.completed")) == 1
    assert len(await outbox(database, plan, "call.intelligence.ready")) == 1


async def test_after_the_last_try_the_parts_that_are_missing_are_errors(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    wire: OpenAIWire,
    database: Database,
    with_openai: ControlPlaneSettings,
) -> None:
    wire.answer_to = failing_for("structured_data", fails(503))
    plan = await ended_call(tenant, worker, consumer)
    job = (await job_of(database, plan)).job_id
    assert job is not None
    who = (database, with_openai, plan.tenant_id, plan.call_id, job)
    with pytest.raises(AnalysisPostponed):
        await analyse(*who, is_last_try=False)
    await analyse(*who, is_last_try=True)
    found = await found_out(tenant, plan)
    assert found["status"] == "completed"
    assert found["summary"]
    assert [error["part"] for error in found["errors"]] == ["structured_data", "evaluation"]
    assert {error["code"] for error in found["errors"]} == {"provider_unavailable"}


async def test_the_lean_call_completed_goes_out_once_when_the_analysis_has_to_wait(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
    database: Database,
) -> None:
    wire.answer_to = lambda asked: fails(503)
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    await run_jobs_with_openai()
    [lean] = await outbox(database, plan, "call.completed")
    assert lean.origin == "gateway", "its envelope has no type"
    assert (lean.data["cost"], lean.data["intelligence_status"]) == (None, "pending")
    assert "summary" not in lean.data
    assert lean.data["transcript"]["segments"]
    wire.answer_to = lambda asked: says(good_answer(asked))
    await run_jobs_with_openai()
    [_, rich] = await outbox(database, plan, "call.completed")
    assert (rich.origin, rich.data["intelligence_status"]) == ("api", "completed")


async def test_a_used_up_quota_is_said_and_not_tried_again(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
    database: Database,
) -> None:
    body = {"error": {"code": "insufficient_quota", "type": "insufficient_quota"}}
    wire.answer_to = lambda asked: replace(fails(429), body=json.dumps(body).encode())
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert found["status"] == "quota"
    assert {error["code"] for error in found["errors"]} == {"quota_exceeded"}
    assert len(wire.requests) == 1
    [event] = await outbox(database, plan, "call.completed")
    assert event.data["intelligence_status"] == "quota"


async def test_results_outlive_a_later_analysis_that_finds_nothing(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs_with_openai()
    wire.answer_to = lambda asked: fails(401)
    answer = await tenant.post(f"/v1/calls/{plan.call_id}/reprocess")
    assert answer.status_code == 202
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert found["status"] == "failed"
    assert found["summary"] == SUMMARY["summary"]
    assert found["errors"][0]["code"] == "provider_refused"


async def test_words_that_arrive_while_a_call_is_analysed_are_analysed_too(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    wire: OpenAIWire,
    database: Database,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await say(worker, plan, (("user", "And a high chair."),), first=4)
    wire.answer_to = lambda asked: slowly(says(good_answer(asked)), 0.3)
    async with asyncio.TaskGroup() as group:
        group.create_task(run_jobs_with_openai())
        await wire.is_asked.wait()
        await catch_up(consumer)
    found = await found_out(tenant, plan)
    assert found["status"] == "completed"
    assert "high chair" in json.dumps(wire.requests[-1])
    assert len(await outbox(database, plan, "call.completed")) == 1


async def test_an_analysis_that_nothing_is_left_to_finish_is_given_up(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs_with_openai: RunJobs,
    database: Database,
    with_openai: ControlPlaneSettings,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    async with database.system_session() as session:
        await session.execute(
            update(CallAnalysis).values(touched_at=text("now() - interval '1 hour'"))
        )
        await enqueue(session, tasks.give_up_abandoned_analyses, timestamp=0)
    async with database.system_session() as session:
        await session.execute(
            text(
                "UPDATE procrastinate_jobs SET status = 'failed'"
                " WHERE task_name = 'intelligence.analyse_call'"
            )
        )
    await run_jobs_with_openai()
    found = await found_out(tenant, plan)
    assert found["status"] == "failed"
    assert [error["code"] for error in found["errors"]] == ["analysis_interrupted"]
    again = await tenant.post(f"/v1/calls/{plan.call_id}/reprocess")
    assert again.status_code == 202
