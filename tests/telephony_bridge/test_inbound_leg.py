"""A call to one of our numbers, from Twilio's webhook to the room and back."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from redis.asyncio import Redis
from websockets.exceptions import InvalidStatus

from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage
from contracts.inbound_calls import InboundRefusal
from runtime.media.audio.telephone_codec import decode_mulaw, encode_mulaw
from runtime.media.room import LegConnected, LegGone, LegPressed
from telephony_bridge import link_patience
from telephony_bridge.tickets import Tickets
from telephony_bridge.webhooks import seen
from tests.runtime.media.loopback_peer import tone, tone_level
from tests.runtime.until import until
from tests.stand_ins.webhook_receiver import WebhookReceiver
from tests.telephony_bridge.conftest import ControlPlaneEnd, WorkerEnd
from tests.telephony_bridge.twilio_line import (
    CALL_SID,
    CALLER,
    OUR_NUMBER,
    MediaSocket,
    TwilioLine,
    token_in,
)

AGENT_HZ, CALLER_HZ = 500, 900
END = {
    "CallSid": CALL_SID,
    "Direction": "inbound",
    "CallStatus": "completed",
    "CallbackSource": "call-progress-events",
    "CallDuration": "1",
}
STREAM_ERROR = {"CallSid": CALL_SID, "StreamEvent": "stream-error", "StreamError": "no route"}


def hung_up(api: WebhookReceiver) -> bool:
    return any(CALL_SID in each.path and b"Status=completed" in each.body for each in api.received)


async def test_the_control_plane_is_asked_and_the_answer_connects_a_stream(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    answer = await line.call_in()
    assert answer.status_code == 200
    media = line.address("media", "wss://phones.example.com")
    assert f'<Stream url="{media}"' in answer.text
    (asked,) = control_plane.asked
    assert (asked.from_number, asked.to_number) == (CALLER, OUR_NUMBER)
    assert asked.carrier_call_id == CALL_SID


async def test_both_sides_hear_each_other(line: TwilioLine, worker: WorkerEnd) -> None:
    token = token_in(await line.call_in())
    async with line.media(token) as socket:
        assert isinstance(await anext(worker.room.events()), LegConnected)
        worker.room.voice.push(tone(AGENT_HZ, 24_000, 1.0))
        said = tone(CALLER_HZ, 8_000, 2.0)
        talking = asyncio.create_task(_say(socket, encode_mulaw(said)))
        heard = np.concatenate([await anext(worker.room.listen()) for _ in range(60)])
        await talking
        assert max(_levels(heard, CALLER_HZ, 16_000)) > 4_000
        await until(lambda: len(socket.heard) > 8_000)
        assert max(_levels(decode_mulaw(bytes(socket.heard)), AGENT_HZ, 8_000)) > 4_000


async def test_what_the_agent_takes_back_is_flushed_at_the_carrier(
    line: TwilioLine, worker: WorkerEnd
) -> None:
    async with line.media(token_in(await line.call_in())) as socket:
        await anext(worker.room.events())
        worker.room.voice.push(tone(AGENT_HZ, 24_000, 5.0))
        await until(lambda: len(socket.heard) > 3_200)
        worker.room.voice.clear()
        await until(lambda: socket.clears == 1)
        taken_back_at = len(socket.heard)
        # What had left the room before may still come; 200 ms later nothing of it does.
        await until(lambda: len(socket.heard) > taken_back_at + 3_200)
        rest = decode_mulaw(bytes(socket.heard[taken_back_at + 1_600 :]))
        assert max(abs(rest.astype(int))) < 100


async def test_keys_reach_the_room(line: TwilioLine, worker: WorkerEnd) -> None:
    async with line.media(token_in(await line.call_in())) as socket:
        events = worker.room.events()
        await anext(events)
        await socket.press("5")
        pressed = await anext(events)
        assert isinstance(pressed, LegPressed)
        assert pressed.digits == "5"


async def test_keys_for_the_other_side_are_sent_as_sound_where_there_is_no_other_way(
    line: TwilioLine, worker: WorkerEnd, control_plane: ControlPlaneEnd
) -> None:
    async with line.media(token_in(await line.call_in())) as socket:
        await anext(worker.room.events())
        worker.room.send_digits(control_plane.admitted.participant_id, "5")
        await until(lambda: _five_was_heard(bytes(socket.heard)))


async def test_a_caller_who_hangs_up_has_left(
    line: TwilioLine,
    worker: WorkerEnd,
    control_plane: ControlPlaneEnd,
    twilio_api: WebhookReceiver,
) -> None:
    """And where only the stream has stopped, the line does not stay open."""
    async with line.media(token_in(await line.call_in())) as socket:
        events = worker.room.events()
        await anext(events)
        await socket.stop()
        assert await anext(events) == LegGone(control_plane.admitted.participant_id, "left")
        await asyncio.wait_for(socket.is_closed.wait(), 20)
        await until(lambda: hung_up(twilio_api))

    async def stages() -> bool:
        told = [each.stage for each in await control_plane.reports()]
        return told == [LegStage.ANSWERED, LegStage.ENDED]

    await until(stages)


@pytest.mark.parametrize(("status", "outcome"), [(END, None), (STREAM_ERROR, DialOutcome.FAILED)])
async def test_a_call_that_is_over_before_the_sound_has_come_is_reported(
    line: TwilioLine,
    control_plane: ControlPlaneEnd,
    status: dict[str, str],
    outcome: DialOutcome | None,
) -> None:
    await line.call_in()
    assert (await line.webhook(status, "status")).is_success

    async def is_told() -> bool:
        reports = await control_plane.reports()
        told = [(each.attempt_id, each.stage, each.outcome) for each in reports]
        return told == [(control_plane.admitted.attempt_id, LegStage.ENDED, outcome)]

    await until(is_told)


async def test_a_call_whose_end_is_told_before_it_is_admitted_is_reported(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    """Its caller has hung up while we asked what becomes of it."""
    assert (await line.webhook(END, "status")).is_success
    assert "<Hangup/>" in (await line.call_in()).text

    async def is_told() -> bool:
        reports = await control_plane.reports()
        told = [(each.attempt_id, each.stage, each.outcome) for each in reports]
        return told == [(control_plane.admitted.attempt_id, LegStage.ENDED, None)]

    await until(is_told)


async def test_only_who_carries_the_sound_tells_of_a_call_whose_sound_has_come(
    line: TwilioLine, redis: Redis, worker: WorkerEnd
) -> None:
    token = token_in(await line.call_in())
    tickets, account_id = Tickets(redis), UUID(line.account_id)
    assert await tickets.of_call(account_id, CALL_SID) is not None
    async with line.media(token):
        await anext(worker.room.events())
        assert await tickets.of_call(account_id, CALL_SID) is None


async def test_a_socket_that_breaks_without_a_word_is_a_lost_line_and_is_hung_up(
    line: TwilioLine,
    worker: WorkerEnd,
    control_plane: ControlPlaneEnd,
    twilio_api: WebhookReceiver,
) -> None:
    async with line.media(token_in(await line.call_in())) as socket:
        events = worker.room.events()
        await anext(events)
        socket.connection.transport.abort()
        gone = await anext(events)
        assert gone == LegGone(control_plane.admitted.participant_id, "connection_lost")
        await until(lambda: hung_up(twilio_api))


async def test_what_cannot_be_read_ends_no_call(line: TwilioLine, worker: WorkerEnd) -> None:
    async with line.media(token_in(await line.call_in())) as socket:
        events = worker.room.events()
        await anext(events)
        for garbage in ("{not json", "null", '{"event":"media","media":{"payload":""}}'):
            await socket.connection.send(garbage)
        await socket.start("a-second-start", CALL_SID)
        await socket.press("5")
        pressed = await anext(events)
        assert isinstance(pressed, LegPressed)


async def test_a_leg_that_the_room_removes_is_hung_up_at_the_carrier(
    line: TwilioLine,
    worker: WorkerEnd,
    control_plane: ControlPlaneEnd,
    twilio_api: WebhookReceiver,
) -> None:
    async with line.media(token_in(await line.call_in())) as socket:
        await anext(worker.room.events())
        await worker.room.remove_leg(control_plane.admitted.participant_id)
        await until(lambda: hung_up(twilio_api))
        await asyncio.wait_for(socket.is_closed.wait(), 20)


async def test_a_caller_whose_worker_has_died_hears_why_and_the_line_is_closed(
    line: TwilioLine, worker: WorkerEnd, twilio_api: WebhookReceiver
) -> None:
    async with line.media(token_in(await line.call_in())) as socket:
        await anext(worker.room.events())
        # As when the process is killed: the connections break, and nobody listens any more.
        server = worker.listener._server
        assert server is not None
        server.close(close_connections=False)
        for connection in server.connections:
            connection.transport.abort()
        before = len(socket.heard)
        await until(lambda: hung_up(twilio_api), 30)
        spoken = decode_mulaw(bytes(socket.heard[before:])).astype(float)
        assert spoken.size > 3 * 8_000
        assert np.sqrt(np.mean(spoken**2)) > 1_000


async def test_a_webhook_that_comes_twice_makes_one_call_and_gets_the_same_answer(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    first, second = await asyncio.gather(line.call_in(), line.call_in())
    assert first.text == second.text
    assert len(control_plane.asked) == 1


async def test_a_webhook_that_no_bridge_has_answered_is_answered_when_it_comes_again(
    line: TwilioLine,
    control_plane: ControlPlaneEnd,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seen, "ANSWER_AWAITED_SECONDS", 0.2)
    await line.call_in()
    # As a bridge leaves it that is stopped while it asks the control plane.
    async for key in redis.scan_iter(f"switchboard:bridge:seen:{line.account_id}:*"):
        if key.endswith(":answer"):
            await redis.delete(key)
        else:
            await redis.set(key, seen._UNANSWERED, xx=True, keepttl=True)
    token_in(await line.call_in())
    assert len(control_plane.asked) == 2


async def test_a_webhook_without_the_right_signature_is_refused_before_anything_else(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    line.auth_token = "somebody-else"
    assert (await line.call_in()).status_code == 403
    assert control_plane.asked == []


async def test_an_account_that_is_not_kept_is_not_found(line: TwilioLine) -> None:
    line.account_id = str(uuid4())
    assert (await line.call_in()).status_code == 404


async def test_a_token_lets_one_websocket_in(line: TwilioLine, worker: WorkerEnd) -> None:
    token = token_in(await line.call_in())
    async with line.media(token) as first, line.media(token) as second:
        await asyncio.wait_for(second.is_closed.wait(), 20)
        await anext(worker.room.events())
        assert not first.is_closed.is_set()


async def test_the_sound_of_a_call_waits_for_a_redis_that_is_started_again(
    line: TwilioLine, worker: WorkerEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its carrier brings it once, and would leave the caller in silence."""
    monkeypatch.setattr(link_patience, "PAUSES_SECONDS", (0,))
    token = token_in(await line.call_in())
    away: list[str] = []
    for name in ("hget", "getdel"):
        command = getattr(Redis, name)

        async def away_once(
            self: Redis, *args: str, name: str = name, command: Any = command
        ) -> Any:
            if name not in away:
                away.append(name)
                raise ConnectionError("Connection closed by server.")
            return await command(self, *args)

        monkeypatch.setattr(Redis, name, away_once)
    async with line.media(token):
        await asyncio.wait_for(anext(worker.room.events()), 20)
    assert away == ["hget", "getdel"]


async def test_a_token_of_another_account_lets_nobody_in(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    token = token_in(await line.call_in())
    line.account_id = str(uuid4())
    await control_plane.keep_account(UUID(line.account_id))
    async with line.media(token) as socket:
        await asyncio.wait_for(socket.is_closed.wait(), 20)


async def test_an_upgrade_without_the_right_signature_is_not_accepted(line: TwilioLine) -> None:
    token = token_in(await line.call_in())
    line.auth_token = "somebody-else"
    with pytest.raises(InvalidStatus) as refused:
        async with line.media(token):
            pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("refuse_with", "in_the_answer"),
    [
        ("sentence", "https://phones.example.com/sentences/not_in_service.wav"),
        ("busy", '<Reject reason="busy"'),
        ("reject", '<Reject reason="rejected"'),
    ],
)
async def test_a_refused_caller_hears_what_the_account_says(
    line: TwilioLine, control_plane: ControlPlaneEnd, refuse_with: str, in_the_answer: str
) -> None:
    control_plane.refusal = InboundRefusal.UNKNOWN_NUMBER
    await control_plane.keep_account(UUID(line.account_id), refuse_with=refuse_with)  # type: ignore[arg-type]
    answer = await line.call_in()
    assert answer.status_code == 200
    assert in_the_answer in answer.text


async def test_a_signed_call_with_an_id_that_cannot_be_stored_is_refused(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    answer = await line.call_in("a\x00b")
    assert answer.status_code == 200
    assert "/sentences/not_now.wav" in answer.text
    assert control_plane.asked == []


async def _say(socket: MediaSocket, sound: bytes) -> None:
    for begin in range(0, len(sound), 160):
        await socket.say(sound[begin : begin + 160])
        await asyncio.sleep(0.02)


def _levels(sound: np.ndarray, hz: float, rate: int) -> list[float]:  # type: ignore[type-arg]
    window = rate // 5
    return [
        tone_level(sound[begin : begin + window], hz, rate)
        for begin in range(0, sound.size - window, window)
    ]


def _five_was_heard(sound: bytes) -> bool:
    samples = decode_mulaw(sound)
    if samples.size < 800:
        return False
    return any(
        min(tone_level(samples[at : at + 400], hz, 8_000) for hz in (770, 1336)) > 2_000
        for at in range(0, samples.size - 400, 160)
    )
