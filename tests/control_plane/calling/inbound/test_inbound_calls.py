"""A signed webhook for a number becomes a call of its agent, or a refusal with its kind."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from redis.asyncio import Redis
from sqlalchemy import select
from sqlalchemy.exc import DataError
from structlog.testing import capture_logs

from contracts import redis_names
from contracts.call_status import CallStatus, ParticipantStatus
from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialReport, LegStage
from contracts.inbound_calls import InboundAdmitted, InboundRefusal, InboundRefused
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.dialing import repository as dialing
from control_plane.calling.dialing.attempts import apply_report
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from tests.control_plane.calling.inbound.conftest import CALLER, NUMBER, Bridge
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.fake_worker import FakeWorker


async def admitted(bridge: Bridge, tenant: TenantClient, call_id: str = "CA1") -> InboundAdmitted:
    account_id = await bridge.account(tenant.tenant_id)
    await bridge.number(tenant, await tenant.published_agent())
    answer = await bridge.ask(account_id, call_id)
    assert isinstance(answer, InboundAdmitted), answer
    return answer


def kind_of(answer: object) -> InboundRefusal:
    assert isinstance(answer, InboundRefused), answer
    return answer.kind


async def test_a_call_to_a_number_becomes_a_call_of_its_agent(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker, database: Database
) -> None:
    answer = await admitted(bridge, tenant)
    assert (answer.tenant_id, answer.from_number, answer.to_number) == (
        tenant.tenant_id,
        CALLER,
        NUMBER,
    )
    plan = await worker.claim()
    assert plan is not None
    assert plan.call_id == answer.call_id
    assert plan.variables == {"caller_number": CALLER, "called_number": NUMBER}
    (planned,) = plan.participants
    assert (planned.participant_id, planned.identity) == (answer.participant_id, CALLER)
    async with database.system_session() as session:
        call = await session.get(Call, answer.call_id)
        leg = await session.scalar(
            select(DialingJob).where(DialingJob.attempt_id == answer.attempt_id)
        )
        participant = await session.scalar(
            select(CallParticipant).where(CallParticipant.id == answer.participant_id)
        )
    assert call is not None
    assert leg is not None
    assert participant is not None
    assert call.status == CallStatus.CONNECTING
    assert (leg.direction, leg.state, leg.stage) == ("inbound", JobState.ACTIVE, "ringing")
    assert (participant.transport, participant.status) == ("pstn", ParticipantStatus.RINGING)


async def test_the_same_webhook_twice_makes_one_call(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker, database: Database
) -> None:
    first = await admitted(bridge, tenant)
    async with database.system_session() as session:
        leg = await session.scalar(
            select(DialingJob).where(DialingJob.attempt_id == first.attempt_id)
        )
    assert leg is not None
    assert leg.carrier_account_id is not None
    assert await bridge.ask(leg.carrier_account_id, "CA1") == first
    async with database.system_session() as session:
        calls = await session.scalars(select(Call.id).where(Call.tenant_id == tenant.tenant_id))
    assert list(calls) == [first.call_id]


async def test_the_first_signed_webhook_proves_a_number(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker, database: Database
) -> None:
    await admitted(bridge, tenant)
    async with database.system_session() as session:
        number = await session.scalar(select(Number).where(Number.tenant_id == tenant.tenant_id))
    assert number is not None
    assert (number.verified_by, number.carrier, number.webhook_status) == (
        "webhook",
        "twilio",
        "configured",
    )


async def test_a_webhook_of_ones_own_account_reaches_nobody_elses_number(
    bridge: Bridge, tenant: TenantClient, other_tenant: TenantClient, worker: FakeWorker
) -> None:
    await bridge.number(tenant, await tenant.published_agent(), verified_by="carrier")
    foreign = await bridge.account(other_tenant.tenant_id)
    assert kind_of(await bridge.ask(foreign, "CA1")) is InboundRefusal.UNKNOWN_NUMBER


async def test_an_account_that_does_not_exist_has_no_numbers(bridge: Bridge) -> None:
    assert kind_of(await bridge.ask(uuid4(), "CA1")) is InboundRefusal.UNKNOWN_NUMBER


async def test_a_number_without_an_agent_is_refused_and_proved_all_the_same(
    bridge: Bridge, tenant: TenantClient, database: Database
) -> None:
    account_id = await bridge.account(tenant.tenant_id)
    await bridge.number(tenant, None)
    assert kind_of(await bridge.ask(account_id, "CA1")) is InboundRefusal.NO_AGENT
    async with database.system_session() as session:
        proof = await session.scalar(
            select(Number.verified_by).where(Number.tenant_id == tenant.tenant_id)
        )
    assert proof == "webhook"


async def test_each_refusal_of_a_call_has_its_kind(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker
) -> None:
    account_id = await bridge.account(tenant.tenant_id)
    agent_id = await tenant.agent()
    await bridge.number(tenant, agent_id)
    assert kind_of(await bridge.ask(account_id, "CA1")) is InboundRefusal.AGENT_UNAVAILABLE
    assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 200
    pause = f"/v1/operator/agents/{agent_id}/pause"
    await tenant.http.post(pause, headers=OPERATOR, json={"reason": "Complaints"})
    assert kind_of(await bridge.ask(account_id, "CA2")) is InboundRefusal.AGENT_UNAVAILABLE
    await tenant.http.delete(pause, headers=OPERATOR)
    debit = {"amount_usd": 10, "reason": "test", "posted_by": "test"}
    answer = await tenant.http.post(
        f"/v1/operator/tenants/{tenant.tenant_id}/debits", headers=OPERATOR, json=debit
    )
    assert answer.is_success, answer.text
    assert kind_of(await bridge.ask(account_id, "CA3")) is InboundRefusal.INSUFFICIENT_FUNDS


async def test_without_a_free_worker_the_line_is_busy(bridge: Bridge, tenant: TenantClient) -> None:
    account_id = await bridge.account(tenant.tenant_id)
    await bridge.number(tenant, await tenant.published_agent())
    await bridge.redis.flushall()
    assert kind_of(await bridge.ask(account_id, "CA1")) is InboundRefusal.BUSY


async def test_a_number_takes_as_many_calls_as_it_may(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker
) -> None:
    account_id = await bridge.account(tenant.tenant_id)
    await bridge.number(tenant, await tenant.published_agent(), max_concurrent_calls=1)
    assert isinstance(await bridge.ask(account_id, "CA1"), InboundAdmitted)
    assert kind_of(await bridge.ask(account_id, "CA2")) is InboundRefusal.BUSY


async def test_a_call_that_nobody_waits_for_is_not_created(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker, database: Database
) -> None:
    account_id = await bridge.account(tenant.tenant_id)
    await bridge.number(tenant, await tenant.published_agent())
    late = datetime.now(UTC) - timedelta(seconds=1)
    assert await bridge.ask(account_id, "CA1", answer_before=late) is None
    async with database.system_session() as session:
        assert (
            await session.scalar(select(Call.id).where(Call.tenant_id == tenant.tenant_id)) is None
        )


async def test_a_call_that_cannot_be_created_is_refused_and_does_not_come_again(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    account_id = await bridge.account(tenant.tenant_id)
    await bridge.number(tenant, await tenant.published_agent())

    async def broken(*_: object) -> None:
        raise DataError("statement", {}, Exception("what nobody has thought of"))

    with monkeypatch.context() as patch, capture_logs() as log:
        patch.setattr(dialing, "inbound_job", broken)
        assert kind_of(await bridge.ask(account_id, "CA1")) is InboundRefusal.UNAVAILABLE
    [told] = [line for line in log if line["event"] == "inbound_call_not_created"]
    assert (told["account_id"], told["carrier_call_id"]) == (str(account_id), "CA1")
    assert await bridge.redis.xlen(redis_names.INBOUND_CALLS) == 0
    assert isinstance(await bridge.ask(account_id, "CA2"), InboundAdmitted)


async def test_a_call_that_cannot_be_read_does_not_come_again(bridge: Bridge) -> None:
    """A bridge of the previous release takes any id."""
    call = {
        "request_id": str(uuid4()),
        "account_id": str(uuid4()),
        "provider": "twilio",
        "carrier_call_id": "a\x00b",
        "from_number": CALLER,
        "to_number": NUMBER,
        "bridge_id": "bridge-of-the-test",
        "answer_before": (datetime.now(UTC) + timedelta(seconds=60)).isoformat(),
    }
    await bridge.redis.xadd(redis_names.INBOUND_CALLS, {redis_names.FIELD: json.dumps(call)})
    for entry in await bridge.consumer.stream.read_new():
        await bridge.consumer.handle(entry)
    assert await bridge.redis.xlen(redis_names.INBOUND_CALLS) == 0


async def test_numbers_are_read_as_the_carrier_writes_them(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker
) -> None:
    account_id = await bridge.account(tenant.tenant_id)
    await bridge.number(tenant, await tenant.published_agent())
    answer = await bridge.ask(
        account_id, "CA1", to_number=NUMBER.removeprefix("+"), from_number="anonymous"
    )
    assert isinstance(answer, InboundAdmitted), answer
    assert (answer.to_number, answer.from_number) == (NUMBER, None)


async def test_a_caller_who_hangs_up_before_the_sound_arrives_ends_the_call(
    bridge: Bridge,
    tenant: TenantClient,
    worker: FakeWorker,
    redis: Redis,
    database: Database,
) -> None:
    answer = await admitted(bridge, tenant)
    report = DialReport(
        attempt_id=answer.attempt_id,
        call_id=answer.call_id,
        tenant_id=answer.tenant_id,
        participant_id=answer.participant_id,
        bridge_id="bridge-of-the-test",
        occurred_at=datetime.now(UTC),
        stage=LegStage.ENDED,
        outcome=DialOutcome.CANCELED,
    )
    async with database.system_session() as session:
        await apply_report(session, report)
    async with database.system_session() as session:
        call = await session.get(Call, answer.call_id)
        leg = await session.scalar(
            select(DialingJob).where(DialingJob.participant_id == answer.participant_id)
        )
    assert call is not None
    assert leg is not None
    assert (call.status, call.end_reason) == (CallStatus.CANCELED, "twilio_canceled")
    assert leg.state == JobState.CANCELED


async def test_a_call_whose_sound_its_carrier_refuses_has_failed_and_its_log_says_why(
    bridge: Bridge, tenant: TenantClient, worker: FakeWorker, database: Database
) -> None:
    answer = await admitted(bridge, tenant)
    report = DialReport(
        attempt_id=answer.attempt_id,
        call_id=answer.call_id,
        tenant_id=answer.tenant_id,
        participant_id=answer.participant_id,
        bridge_id="bridge-of-the-test",
        occurred_at=datetime.now(UTC),
        stage=LegStage.ENDED,
        outcome=DialOutcome.FAILED,
        detail="refused (code 90034)",
    )
    async with database.system_session() as session:
        await apply_report(session, report)
    shown = (await tenant.get(f"/v1/calls/{answer.call_id}")).json()
    assert (shown["status"], shown["end_reason"]) == ("failed", "twilio_failed")
    log = (await tenant.get(f"/v1/calls/{answer.call_id}/events")).text
    assert "Call ended: twilio_failed (refused (code 90034))" in log
