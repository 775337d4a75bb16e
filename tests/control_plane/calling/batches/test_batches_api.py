"""Many calls asked for at once: each recipient is called or refused with a reason."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from sqlalchemy import select, text

from contracts.dial_outcome import DialOutcome
from control_plane.calling.batches.tasks import (
    cancel_calls_of_batch,
    make_calls_of_batch,
    refuse_left_recipients,
)
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.repository import locked_call
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.dialing.schedule import Schedule
from control_plane.calling.transfers.target import call_target
from control_plane.platform.job_queue import (
    PATIENT_QUEUE,
    job_queue,
    job_resources,
    worker_connector,
)
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.dialing.phone import CALLEE, Phones
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import balance_of
from tests.control_plane.lock_waits import backend_of, waits_for
from tests.control_plane.owned_books import change_books
from tests.runtime.until import until
from tests.stand_ins.simulated_carrier import BUSY, Behaviour

PATH = "/v1/calls/batch"
ALL_DAY = {"start": "00:00", "end": "24:00"}


def recipients(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [{"to": f"+1415555{2000 + start + index}"} for index in range(count)]


@dataclass(frozen=True)
class Jobs:
    """Runs the jobs that a batch leaves."""

    phones: Phones
    tenant_id: UUID

    async def make_calls(self, batch_id: str) -> None:
        await make_calls_of_batch.func(
            self.context, tenant_id=str(self.tenant_id), batch_id=batch_id
        )

    async def cancel_calls(self, batch_id: str) -> None:
        await cancel_calls_of_batch.func(
            self.context, tenant_id=str(self.tenant_id), batch_id=batch_id
        )

    @property
    def context(self) -> Any:
        @dataclass
        class Context:
            additional_context: dict[str, Any]

        return Context(job_resources(self.phones.database, self.phones.settings))


@pytest.fixture
def jobs(phones: Phones, tenant: TenantClient) -> Jobs:
    return Jobs(phones, tenant.tenant_id)


async def batch(tenant: TenantClient, agent_id: UUID, people: list[Any], **fields: Any) -> Any:
    answer = await tenant.post(PATH, {"agent_id": str(agent_id), "recipients": people} | fields)
    assert answer.status_code == 202, answer.text
    return answer.json()


async def progress_of(tenant: TenantClient, batch_id: str) -> dict[str, Any]:
    answer = await tenant.get(f"{PATH}/{batch_id}")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def rows_of(tenant: TenantClient, batch_id: str) -> list[dict[str, Any]]:
    answer = await tenant.get(f"{PATH}/{batch_id}/recipients")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["recipients"]
    return rows


async def test_all_recipients_are_called(tenant: TenantClient, phones: Phones, jobs: Jobs) -> None:
    busy = "+14155552001"
    phones.carrier.tell(busy, BUSY)
    once = {"busy": {"attempts": 1}}
    made = await batch(tenant, await phones.agent(tenant), recipients(3), retry=once)
    assert (made["total"], made["accepted"], made["rejected"]) == (3, 3, 0)
    await jobs.make_calls(made["id"])

    async def all_are_dialed() -> bool:
        progress = (await progress_of(tenant, made["id"]))["progress"]
        return bool(progress["waiting"] == 0 and progress["busy"] == 1)

    await phones.until(all_are_dialed)
    shown = await progress_of(tenant, made["id"])
    assert shown["status"] == "running", "two are in a call"
    for row in await rows_of(tenant, made["id"]):
        if row["status"] != "busy":
            assert (await tenant.post(f"/v1/calls/{row['call_id']}/end")).status_code == 200
    shown = await progress_of(tenant, made["id"])
    assert shown["status"] == "completed"
    assert (shown["progress"]["completed"], shown["progress"]["busy"]) == (2, 1)


async def test_the_others_are_called_when_some_cannot_be(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    agent_id = await phones.agent(tenant)
    await tenant.post("/v1/do-not-call", {"number": "+14155552009"})
    people = [
        {"to": "call me"},
        {"to": "+1 415 555 2000"},
        {"to": "+14155552000"},
        {"to": "+14155552009"},
        {"to": "+14155552003", "from_number": "+14155550999"},
        {"to": "+18005551212", "schedule": {"window": {"start": "09:00", "end": "10:00"}}},
        {"to": "+14155552006"},
    ]
    made = await batch(tenant, agent_id, people)
    assert (made["total"], made["accepted"], made["rejected"]) == (7, 2, 5)
    assert {each["index"]: each["code"] for each in made["errors"]} == {
        0: "invalid_phone_number",
        2: "duplicate_recipient",
        3: "number_on_do_not_call_list",
        4: "no_caller_id",
        5: "never_dialable",
    }
    assert all(each["message"] for each in made["errors"])
    await jobs.make_calls(made["id"])
    rows = await rows_of(tenant, made["id"])
    assert [row["index"] for row in rows if row["call_id"]] == [1, 6]
    assert rows[0]["status"] == "rejected"
    assert rows[0]["code"] == "invalid_phone_number"


async def test_a_number_in_a_country_that_is_not_called_refuses_its_recipient_alone(
    tenant: TenantClient, phones: Phones
) -> None:
    people = [{"to": "+442079460123"}, {"to": "+14155552000"}]
    made = await batch(tenant, await phones.agent(tenant), people)
    assert [(each["index"], each["code"]) for each in made["errors"]] == [
        (0, "phone_country_not_allowed")
    ]
    rows = await rows_of(tenant, made["id"])
    assert [row["call_id"] is not None for row in rows] == [False, True]


async def test_a_schedule_at_the_end_of_the_calendar_refuses_its_recipients(
    tenant: TenantClient, phones: Phones
) -> None:
    late = {"not_before": "9999-12-28T00:00:00Z", "window": {"start": "09:00", "end": "10:00"}}
    people = [{"to": "+14155552000", "schedule": late}, {"to": "+14155552001"}]
    agent_id = await phones.agent(tenant)
    made = await batch(tenant, agent_id, people)
    why = "schedule.not_before is more than a week from now"
    assert [(each["index"], each["code"], each["message"]) for each in made["errors"]] == [
        (0, "never_dialable", why)
    ]
    latest = {"not_before": "9999-12-31T23:59:59-12:00"}
    wanted = {"agent_id": str(agent_id), "recipients": recipients(1), "schedule": latest}
    answer = await tenant.post(PATH, wanted)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"] == [{"field": "recipients[0]", "message": why}]


async def test_one_opening_is_computed_for_all_recipients_in_the_same_zones(
    tenant: TenantClient, phones: Phones, computed_openings: list[Schedule]
) -> None:
    people = [{"to": f"+1800555{1000 + index}"} for index in range(20)]
    made = await batch(tenant, await phones.agent(tenant), people, schedule={"window": ALL_DAY})
    assert made["accepted"] == 20
    assert len(computed_openings) == 2, "for all recipients, and for the first one's call"


async def test_recipients_are_refused_if_the_job_that_creates_the_calls_is_given_up(
    tenant: TenantClient, phones: Phones
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(3))
    await refuse_left_recipients(
        phones.database, tenant_id=str(tenant.tenant_id), batch_id=made["id"]
    )
    rows = await rows_of(tenant, made["id"])
    assert [(row["status"], row["code"]) for row in rows[1:]] == [("rejected", "not_created")] * 2
    assert rows[0]["call_id"], "the first call is created with the batch"
    assert (await progress_of(tenant, made["id"]))["rejected"] == 2


async def test_recipients_are_refused_if_creating_the_calls_fails_too_often(
    tenant: TenantClient, phones: Phones, postgres_url: str
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(3))
    async with phones.database.system_session() as session:
        await session.execute(
            text("UPDATE procrastinate_jobs SET attempts = 10 WHERE task_name = :task"),
            {"task": make_calls_of_batch.name},
        )
    with job_queue.replace_connector(worker_connector(postgres_url)):
        async with job_queue.open_async():
            await job_queue.run_worker_async(
                queues=[PATIENT_QUEUE],
                wait=False,
                install_signal_handlers=False,
                # Without settings no call can be created.
                additional_context=job_resources(phones.database),
            )
    rows = await rows_of(tenant, made["id"])
    assert [(row["status"], row["code"]) for row in rows[1:]] == [("rejected", "not_created")] * 2


async def test_each_recipient_has_variables_and_metadata_of_its_own(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    people = [
        {"to": "+14155552000", "variables": {"name": "Ada"}, "metadata": {"row": 1}},
        {"to": "+14155552001", "priority": 9},
    ]
    shared = {"variables": {"name": "you", "shop": "X"}, "metadata": {"list": "monday"}}
    made = await batch(tenant, await phones.agent(tenant), people, priority=2, **shared)
    await jobs.make_calls(made["id"])
    async with phones.database.system_session() as session:
        found = (
            await session.execute(
                select(DialingJob.to_number, DialingJob.priority, Call.details, Call.plan)
                .join(Call, Call.id == DialingJob.call_id)
                .order_by(DialingJob.to_number)
            )
        ).all()
    assert [
        (to, priority, metadata, plan["variables"]) for to, priority, metadata, plan in found
    ] == [
        ("+14155552000", 2, {"list": "monday", "row": 1}, {"name": "Ada", "shop": "X"}),
        ("+14155552001", 9, {"list": "monday"}, {"name": "you", "shop": "X"}),
    ]


async def test_what_a_batch_leaves_out_of_post_call_is_as_the_agent_has_it(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    await phones.give_number(tenant)
    agent_id = await tenant.published_agent(
        post_call={"summary": {"prompt": "Briefly."}, "evaluation": {"rubric": "Polite?"}}
    )
    wanted = {"summary": {"enabled": False}}
    made = await batch(tenant, agent_id, recipients(2), post_call=wanted)
    await jobs.make_calls(made["id"])
    async with phones.database.system_session() as session:
        stored = (await session.scalars(text("SELECT plan->'post_call' FROM calls"))).all()
    assert [(each["summary"], each["evaluation"]) for each in stored] == [
        ({"enabled": False, "prompt": "Briefly."}, {"rubric": "Polite?"})
    ] * 2


async def test_running_its_job_again_makes_no_call_twice(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(25))
    await jobs.make_calls(made["id"])
    await jobs.make_calls(made["id"])
    assert (await tenant.get("/v1/calls")).json()["total"] == 25


async def test_recipients_beyond_the_credit_are_refused(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    agent_id = await phones.agent(tenant)
    made = await batch(tenant, agent_id, recipients(2))
    await change_books(
        phones.database,
        "UPDATE billing_accounts SET free_micros = 0, purchased_micros = 0"
        " WHERE tenant_id = :tenant_id",
        tenant_id=tenant.tenant_id,
    )
    await jobs.make_calls(made["id"])
    shown = await progress_of(tenant, made["id"])
    assert (shown["accepted"], shown["rejected"]) == (1, 1)
    assert (await rows_of(tenant, made["id"]))[1]["code"] == "insufficient_credits"


async def test_a_canceled_batch_dials_nobody_any_more(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(30))
    answer = await tenant.post(f"{PATH}/{made['id']}/cancel")
    assert answer.status_code == 200, answer.text
    await jobs.make_calls(made["id"])
    await phones.step()
    assert phones.carrier.dialed == []
    await jobs.cancel_calls(made["id"])
    shown = await progress_of(tenant, made["id"])
    assert shown["status"] == "canceled"
    assert (shown["accepted"], shown["progress"]["canceled"]) == (30, 30)
    calls = (await tenant.get("/v1/calls")).json()["calls"]
    assert [(call["status"], call["end_reason"]) for call in calls] == [("canceled", "canceled")]
    again = await tenant.post(f"{PATH}/{made['id']}/cancel")
    assert again.json()["canceled_at"] == answer.json()["canceled_at"]


@pytest.mark.parametrize("who", ["request", "job"])
async def test_canceling_waits_for_a_call_before_it_locks_what_that_calls_dialing_needs(
    tenant: TenantClient, phones: Phones, jobs: Jobs, who: str
) -> None:
    """Dialing locks a call, then its job and the tenant's account. It must get them."""
    made = await batch(tenant, await phones.agent(tenant), recipients(3))
    await jobs.make_calls(made["id"])
    last = UUID((await rows_of(tenant, made["id"]))[-1]["call_id"])

    async def cancel() -> None:
        if who == "job":
            await jobs.cancel_calls(made["id"])
        else:
            assert (await tenant.post(f"{PATH}/{made['id']}/cancel")).status_code == 200

    async with asyncio.TaskGroup() as tasks, phones.database.system_session() as dialing:
        assert await locked_call(dialing, tenant.tenant_id, last) is not None
        canceling = tasks.create_task(cancel())
        await until(partial(waits_for, phones.database, await backend_of(dialing)))
        for table in ("dialing_jobs", "billing_accounts"):
            await dialing.execute(
                text(f"SELECT FROM {table} WHERE tenant_id = :tenant FOR UPDATE NOWAIT"),
                {"tenant": tenant.tenant_id},
            )
        assert not canceling.done()
    shown = await progress_of(tenant, made["id"])
    assert shown["progress"]["canceled"] == 3


async def test_a_canceled_batch_and_the_queue_say_what_its_calls_say(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(3))
    await jobs.make_calls(made["id"])
    shown = (await tenant.post(f"{PATH}/{made['id']}/cancel")).json()
    assert shown["status"] == "canceled"
    assert (shown["progress"]["waiting"], shown["progress"]["canceled"]) == (0, 3)
    calls = (await tenant.get("/v1/calls")).json()["calls"]
    assert [call["status"] for call in calls] == ["canceled"] * 3
    assert set((await tenant.get("/v1/calls/queue/stats")).json().values()) == {0}


async def test_a_phone_that_is_not_reached_is_not_dialed_again_in_a_canceled_batch(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    slow = Behaviour(step_seconds=1, answers=False, outcome=DialOutcome.NO_ANSWER)
    phones.carrier.tell("+14155552000", slow)
    thrice = {"no_answer": {"attempts": 3, "wait_seconds": 1}}
    made = await batch(tenant, await phones.agent(tenant), recipients(1), retry=thrice)
    [row] = await rows_of(tenant, made["id"])
    await phones.until_status(tenant, row["call_id"], "ringing")
    await tenant.post(f"{PATH}/{made['id']}/cancel")
    await phones.until_closed(UUID(row["call_id"]))
    assert len(phones.carrier.dialed) == 1
    assert (await progress_of(tenant, made["id"]))["progress"]["no_answer"] == 1


async def test_a_phone_that_no_bridge_has_taken_is_canceled_with_its_batch(
    tenant: TenantClient, no_bridge: Phones
) -> None:
    made = await batch(tenant, await no_bridge.agent(tenant), recipients(1))
    [row] = await rows_of(tenant, made["id"])
    call_id = UUID(row["call_id"])
    await no_bridge.step()
    await tenant.post(f"{PATH}/{made['id']}/cancel")
    assert (await no_bridge.job(call_id)).state == JobState.ACTIVE
    await no_bridge.step(timedelta(seconds=21))  # Withdrawn ...
    await no_bridge.step(timedelta(seconds=25))  # ... and found to be.
    call = (await tenant.get(f"/v1/calls/{call_id}")).json()
    assert (call["status"], call["end_reason"]) == ("canceled", "canceled")
    job = await no_bridge.job(call_id)
    assert (job.state, job.attempts) == (JobState.CANCELED, 0)
    assert (await progress_of(tenant, made["id"]))["progress"]["canceled"] == 1
    assert (await balance_of(tenant))["held_usd"] == 0


async def test_a_phone_that_rings_goes_on_when_its_batch_is_canceled(
    tenant: TenantClient, phones: Phones, jobs: Jobs
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(1))
    [row] = await rows_of(tenant, made["id"])
    await phones.until_answered(UUID(row["call_id"]))
    await tenant.post(f"{PATH}/{made['id']}/cancel")
    await jobs.cancel_calls(made["id"])
    assert (await phones.job(UUID(row["call_id"]))).state == JobState.ACTIVE


@pytest.mark.parametrize(
    "known_by", ["answered_at = now()", "answered_at = NULL, started_at = now()"]
)
async def test_a_call_in_progress_still_gets_its_phones_when_its_batch_is_canceled(
    tenant: TenantClient, phones: Phones, known_by: str
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(1))
    [row] = await rows_of(tenant, made["id"])
    call_id = UUID(row["call_id"])
    await phones.until_answered(call_id)
    target = uuid4()
    async with phones.database.system_session() as session:
        await session.execute(text(f"UPDATE calls SET {known_by}"))
        await call_target(
            session, tenant.tenant_id, call_id, target, CALLEE, phones.settings.dialing
        )
    await tenant.post(f"{PATH}/{made['id']}/cancel")
    async with phones.database.system_session() as session:
        waiting = await session.scalars(
            select(DialingJob.participant_id).where(DialingJob.state == JobState.WAITING)
        )
        assert waiting.all() == [target]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"recipients": []}, "recipients"),
        ({"recipients": recipients(501)}, "recipients"),
        ({"recipients": [{"to": "+14155552000", "colour": "red"}]}, "recipients[0].colour"),
        ({"recipients": [{"number": "+14155552000"}]}, "recipients[0].to"),
        ({"recipients": [{"to": "nobody"}]}, "recipients[0]"),
        ({"priority": 10}, "priority"),
        ({"schedule": {"window": {"start": "18:00", "end": "09:00"}}}, "schedule.window"),
        ({"schedule": {"timezone": "Mars/Olympus"}}, "schedule.timezone"),
        ({"schedule": {"not_before": "2026-03-02T08:00:00"}}, "schedule.not_before"),
        ({"retry": {"busy": {"attempts": 0}}}, "retry.busy.attempts"),
        ({"agent_id": None}, "agent_id"),
        (
            {"post_call": {"structured_extraction": {"json_schema": {"type": 7}}}},
            "post_call.structured_extraction.json_schema",
        ),
    ],
)
async def test_what_is_wrong_with_the_request_is_named(
    tenant: TenantClient, phones: Phones, fields: dict[str, Any], field: str
) -> None:
    await phones.give_number(tenant)
    wanted = {"agent_id": str(uuid4()), "recipients": recipients(1)} | fields
    answer = await tenant.post(PATH, wanted)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_what_is_wrong_with_the_agent_or_the_credit_refuses_the_batch(
    tenant: TenantClient, phones: Phones
) -> None:
    await phones.give_number(tenant)
    people = recipients(2)
    answer = await tenant.post(PATH, {"agent_id": str(uuid4()), "recipients": people})
    assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")
    draft = await tenant.agent()
    answer = await tenant.post(PATH, {"agent_id": str(draft), "recipients": people})
    assert (answer.status_code, answer.json()["code"]) == (409, "agent_not_publish_ready")
    assert (await tenant.get(PATH)).json()["total"] == 0


async def test_the_same_request_again_makes_no_second_batch(
    tenant: TenantClient, phones: Phones
) -> None:
    wanted = {"agent_id": str(await phones.agent(tenant)), "recipients": recipients(2)}
    headers = tenant.headers | {"Idempotency-Key": "monday"}
    first = await tenant.http.post(PATH, headers=headers, json=wanted)
    again = await tenant.http.post(PATH, headers=headers, json=wanted)
    assert first.status_code == again.status_code == 202
    assert first.json() == again.json()
    assert (await tenant.get(PATH)).json()["total"] == 1


async def test_batches_are_listed_newest_first(tenant: TenantClient, phones: Phones) -> None:
    agent_id = await phones.agent(tenant)
    for index, name in enumerate(("one", "two", "three")):
        await batch(tenant, agent_id, recipients(1, index), name=name)
    page = (await tenant.get(f"{PATH}?limit=2")).json()
    assert [each["name"] for each in page["batches"]] == ["three", "two"]
    assert page["total"] == 3


async def test_without_a_carrier_no_batch_is_taken(
    app: FastAPI, tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    app.state.settings = settings.model_copy(
        update={"dialing": settings.dialing.model_copy(update={"carriers": frozenset()})}
    )
    wanted = {"agent_id": str(await tenant.published_agent()), "recipients": recipients(1)}
    answer = await tenant.post(PATH, wanted)
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {"field": "recipients", "message": "the phone channel has no carrier connected yet"}
    ]
    assert (await tenant.get(PATH)).json()["total"] == 0


async def test_strangers_do_not_see_a_batch(
    tenant: TenantClient, other_tenant: TenantClient, phones: Phones
) -> None:
    made = await batch(tenant, await phones.agent(tenant), recipients(1))
    for method, path in (
        ("GET", f"{PATH}/{made['id']}"),
        ("GET", f"{PATH}/{made['id']}/recipients"),
        ("POST", f"{PATH}/{made['id']}/cancel"),
    ):
        answer = await other_tenant.request(method, path)
        assert (answer.status_code, answer.json()["code"]) == (404, "batch_not_found")


async def test_a_publishable_key_makes_no_batch(tenant: TenantClient) -> None:
    headers = await tenant.publishable_key()
    wanted = {"agent_id": str(uuid4()), "recipients": recipients(1)}
    answer = await tenant.http.post(PATH, headers=headers, json=wanted)
    assert (answer.status_code, answer.json()["code"]) == (403, "secret_key_required")
    assert (await tenant.get(PATH)).json()["total"] == 0


async def test_while_calls_are_stopped_no_batch_is_taken(
    tenant: TenantClient, phones: Phones
) -> None:
    agent_id = await phones.agent(tenant)
    path = "/v1/operator/platform"
    await tenant.http.put(path, headers=OPERATOR, json={"calls_enabled": False})
    try:
        wanted = {"agent_id": str(agent_id), "recipients": recipients(1)}
        answer = await tenant.post(PATH, wanted)
        assert (answer.status_code, answer.json()["code"]) == (503, "platform_calls_disabled")
    finally:
        await tenant.http.put(path, headers=OPERATOR, json={"calls_enabled": True})
