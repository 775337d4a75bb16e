"""What a bridge leaves open at its carrier is hung up later, by another bridge if it has died."""

from __future__ import annotations

from urllib.parse import parse_qs
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from contracts import redis_names
from contracts.dialing import LegStage, LostLeg
from telephony_bridge import hang_up, lost_legs
from telephony_bridge.account_carrier import DialedCall, DialedLegs
from telephony_bridge.webhooks import app
from tests.runtime.until import until
from tests.stand_ins.webhook_receiver import WebhookReceiver
from tests.telephony_bridge.conftest import ControlPlaneEnd, WorkerEnd, dial_request
from tests.telephony_bridge.twilio_line import (
    ACCOUNT_SID,
    CALL_SID,
    CALLER,
    OUR_NUMBER,
    TwilioLine,
    token_in,
)


def hung_up(api: WebhookReceiver, call_sid: str) -> bool:
    return any(
        call_sid in each.path and parse_qs(each.body.decode()).get("Status") == ["completed"]
        for each in api.received
    )


async def lose(
    redis: Redis, account_id: str, attempt_id: UUID, call_sid: str | None, entry_id: str = "*"
) -> None:
    leg = LostLeg(
        attempt_id=attempt_id,
        call_id=uuid4(),
        account_id=UUID(account_id),
        carrier_call_id=call_sid,
    )
    document = {redis_names.FIELD: leg.model_dump_json()}
    await redis.xadd(redis_names.LOST_LEGS, document, id=entry_id)


async def none_is_left(redis: Redis) -> bool:
    return not await redis.xlen(redis_names.LOST_LEGS)


async def dialed_by_a_dead_bridge(redis: Redis, line: TwilioLine, admitted: ControlPlaneEnd) -> str:
    """Leaves in Redis what a bridge does that has dialed and died. Returns our addresses' query."""
    request = dial_request(admitted.admitted, UUID(line.account_id))
    document = DialedCall(bridge_id="b-dead", request=request).model_dump_json()
    await redis.set(f"switchboard:bridge:dialed:{request.attempt_id}", document)
    return f"?attempt={request.attempt_id}"


def stage(status: str) -> dict[str, str]:
    return {
        "CallSid": CALL_SID,
        "AccountSid": ACCOUNT_SID,
        "From": OUR_NUMBER,
        "To": CALLER,
        "Direction": "outbound-api",
        "CallStatus": status,
    }


async def test_an_inbound_leg_is_hung_up_by_the_carriers_own_id(
    line: TwilioLine, redis: Redis, twilio_api: WebhookReceiver
) -> None:
    await lose(redis, line.account_id, uuid4(), "CA7")
    await until(lambda: hung_up(twilio_api, "CA7"))


async def test_a_dialed_leg_is_hung_up_by_the_id_that_a_webhook_has_named(
    line: TwilioLine, redis: Redis, control_plane: ControlPlaneEnd, twilio_api: WebhookReceiver
) -> None:
    query = await dialed_by_a_dead_bridge(redis, line, control_plane)
    answer = await line.webhook(stage("ringing"), "status", query)
    assert answer.is_success
    await lose(redis, line.account_id, control_plane.admitted.attempt_id, None)
    await until(lambda: hung_up(twilio_api, CALL_SID))


@pytest.mark.parametrize("known", [True, False])
async def test_a_leg_that_nobody_knows_leaves_the_stream(
    line: TwilioLine, redis: Redis, known: bool
) -> None:
    await lose(redis, line.account_id if known else str(uuid4()), uuid4(), None)
    await until(lambda: none_is_left(redis))


async def test_a_line_that_its_carrier_does_not_hang_up_is_hung_up_later(
    line: TwilioLine,
    redis: Redis,
    worker: WorkerEnd,
    twilio_api: WebhookReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hang_up, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(lost_legs, "FIRST_PAUSE_MS", 1)
    failed = [500] * (hang_up.TRIES + 1)
    twilio_api.statuses = [*failed, 200]
    async with line.media(token_in(await line.call_in())) as socket:
        await anext(worker.room.events())
        await socket.stop()
        await until(lambda: len(twilio_api.received) > len(failed))
    assert hung_up(twilio_api, CALL_SID)
    await until(lambda: none_is_left(redis))


async def test_a_line_that_its_carrier_never_hangs_up_is_given_up_and_logged(
    line: TwilioLine, redis: Redis, twilio_api: WebhookReceiver
) -> None:
    twilio_api.statuses = [500]
    with capture_logs() as logged:
        await lose(redis, line.account_id, uuid4(), "CA7", entry_id="1-1")
        await until(lambda: none_is_left(redis))
    [fault] = [each for each in logged if each["log_level"] == "error"]
    assert fault["event"] == "carrier_never_hung_up"
    assert fault["call_id"]


async def test_a_phone_that_is_answered_after_its_bridge_died_is_reported_by_who_carries_it(
    line: TwilioLine, redis: Redis, control_plane: ControlPlaneEnd, worker: WorkerEnd
) -> None:
    query = await dialed_by_a_dead_bridge(redis, line, control_plane)
    token = token_in(await line.webhook(stage("in-progress"), "voice", query))
    async with line.media(token) as socket:
        await anext(worker.room.events())
        await socket.stop()

    async def stages() -> bool:
        told = [(each.bridge_id, each.stage) for each in await control_plane.reports()]
        return told == [("b-1", LegStage.ANSWERED), ("b-1", LegStage.ENDED)]

    await until(stages)


@pytest.mark.parametrize(("status", "place"), [("ringing", "status"), ("in-progress", "voice")])
async def test_a_call_that_was_given_up_is_hung_up_as_soon_as_it_is_told_of(
    line: TwilioLine,
    redis: Redis,
    control_plane: ControlPlaneEnd,
    twilio_api: WebhookReceiver,
    status: str,
    place: str,
) -> None:
    """Its carrier took it, but answered too late, so another attempt may be under way."""
    query = await dialed_by_a_dead_bridge(redis, line, control_plane)
    await DialedLegs(redis, "b-dead").give_up(control_plane.admitted.attempt_id)
    answer = await line.webhook(stage(status), place, query)
    assert "<Hangup/>" in answer.text
    await until(lambda: hung_up(twilio_api, CALL_SID))
    assert await control_plane.reports() == []


async def test_a_call_that_was_given_up_and_is_not_hung_up_is_hung_up_later(
    line: TwilioLine,
    redis: Redis,
    control_plane: ControlPlaneEnd,
    twilio_api: WebhookReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hang_up, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(app, "PAUSES_SECONDS", ())
    twilio_api.statuses = [500] * hang_up.TRIES + [200]
    query = await dialed_by_a_dead_bridge(redis, line, control_plane)
    await DialedLegs(redis, "b-dead").give_up(control_plane.admitted.attempt_id)
    await line.webhook(stage("in-progress"), "voice", query)
    await until(lambda: len(twilio_api.received) > hang_up.TRIES)
    assert hung_up(twilio_api, CALL_SID)


async def test_a_call_that_was_given_up_and_is_over_is_left_alone(
    line: TwilioLine, redis: Redis, control_plane: ControlPlaneEnd, twilio_api: WebhookReceiver
) -> None:
    query = await dialed_by_a_dead_bridge(redis, line, control_plane)
    await DialedLegs(redis, "b-dead").give_up(control_plane.admitted.attempt_id)
    answer = await line.webhook(stage("completed"), "status", query)
    assert answer.is_success
    assert not hung_up(twilio_api, CALL_SID)
