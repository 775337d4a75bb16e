"""Asking the control plane what becomes of an inbound call."""

from __future__ import annotations

from uuid import uuid4

import pytest
from redis.asyncio import Redis

from carriers.call_events import CallArrived
from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount
from contracts.inbound_calls import ANSWER_SECONDS, InboundRefusal, InboundRefused
from link.connection import connect
from telephony_bridge.webhooks.inbound_desk import InboundDesk
from tests.telephony_bridge.conftest import ControlPlaneEnd
from tests.telephony_bridge.twilio_line import CALL_SID, CALLER, OUR_NUMBER

ACCOUNT = CarrierAccount(
    account_id=uuid4(),
    revision=1,
    provider="twilio",
    tenant_id=None,
    sealed_credentials="sealed",
    refuse_with="sentence",
)


async def test_a_connection_that_broke_while_it_was_idle_refuses_no_caller(
    valkey_url: str, redis: Redis, control_plane: ControlPlaneEnd
) -> None:
    client = connect(
        valkey_url,
        connect_timeout_seconds=2.0,
        answer_timeout_seconds=2.0,
        longest_block_seconds=ANSWER_SECONDS,
    )
    try:
        await redis.execute_command("CLIENT", "KILL", "ID", await client.client_id())
        desk = InboundDesk(client, "b-1")
        answer = await desk.ask(ACCOUNT, CallArrived(CALL_SID, CALLER, OUR_NUMBER))
    finally:
        await client.aclose()
    assert answer == control_plane.admitted


@pytest.mark.parametrize(
    "call",
    [
        CallArrived("a\x00b", CALLER, OUR_NUMBER),
        CallArrived("a" * 257, CALLER, OUR_NUMBER),
        CallArrived(CALL_SID, "a" * 129, OUR_NUMBER),
        CallArrived(CALL_SID, CALLER, "a" * 129),
    ],
    ids=["U+0000", "long id", "long caller", "long called"],
)
async def test_what_cannot_be_passed_on_is_refused_and_asks_nobody(
    redis: Redis, control_plane: ControlPlaneEnd, call: CallArrived
) -> None:
    answer = await InboundDesk(redis, "b-1").ask(ACCOUNT, call)
    assert isinstance(answer, InboundRefused)
    assert answer.kind is InboundRefusal.UNAVAILABLE
    assert await redis.xlen(redis_names.INBOUND_CALLS) == 0
