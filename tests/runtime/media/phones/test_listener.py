"""What bridges, and others who find the port, may send to a worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from uuid import uuid4

import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from contracts.phone_media import (
    LARGEST_MESSAGE_BYTES,
    SUBPROTOCOL,
    BridgeMessage,
    DtmfReceived,
    FrameHeader,
    FromBridge,
    LegAddress,
    LegClosed,
    LegFormat,
    LegOpened,
    WorkerMessage,
    leg_path,
    leg_token,
    write_frame,
)
from runtime.media.audio.telephone_codec import encode_mulaw
from runtime.media.leg import LineInterrupted
from runtime.media.local_room import LocalRoom
from runtime.media.phones.listener import MOST_UNREADABLE, AdmitLeg, LegRefused, PhoneListener
from runtime.media.room import LegConnected, LegGone, LegPressed, RoomClosed
from tests.runtime.media.loopback_peer import tone, tone_level
from tests.runtime.until import until

LEG = LegAddress(uuid4(), uuid4(), uuid4())
MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
OPENED = LegOpened(
    from_person=MULAW,
    to_person=MULAW,
    direction="outbound",
    carrier="twilio",
    from_number="",
    to_number="",
)


class Worker:
    def __init__(self) -> None:
        self.room = LocalRoom("phone")
        self.listener = PhoneListener(self._find)
        self.is_here = True
        self.is_over = False
        self.port = 0

    async def _find(self, leg: LegAddress) -> AdmitLeg:
        if not self.is_here:
            raise LegRefused(HTTPStatus.NOT_FOUND, "The call is not here.")
        return self._admit

    async def _admit(self, leg: object) -> None:
        if self.is_over:
            raise RoomClosed("the call is ending")
        await self.room.add_leg(leg)  # type: ignore[arg-type]

    @asynccontextmanager
    async def leg(
        self, opened: FromBridge | None = OPENED, path: str = leg_path(LEG), token: str = ""
    ) -> AsyncIterator[ClientConnection]:
        token = token or leg_token(self.listener.secret, LEG)
        async with connect(
            f"ws://127.0.0.1:{self.port}{path}",
            additional_headers={"Authorization": f"Bearer {token}"},
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
            compression=None,
            proxy=None,
        ) as connection:
            if opened is not None:
                await connection.send(BridgeMessage(body=opened).model_dump_json())
            yield connection


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    worker = Worker()
    worker.port = await worker.listener.start("127.0.0.1", 0)
    yield worker
    await worker.room.aclose()
    await worker.listener.aclose()


async def until_closed(connection: ClientConnection) -> list[str | bytes]:
    """What comes until the worker closes; fails if it does not."""
    received: list[str | bytes] = []
    async with asyncio.timeout(20):
        with contextlib.suppress(ConnectionClosed):
            async for message in connection:
                received.append(message)
    return received


async def test_a_leg_speaks_and_hears(worker: Worker) -> None:
    async with worker.leg() as bridge:
        assert await anext(worker.room.events()) == LegConnected(LEG.participant_id)
        sound = encode_mulaw(tone(900, 8_000, 1.0))
        for number in range(50):
            frame = sound[number * 160 : (number + 1) * 160]
            await bridge.send(write_frame(FrameHeader(number, number * 20), frame))
            await asyncio.sleep(0.02)
        frames = [await anext(worker.room.listen()) for _ in range(40)]
        windows = [np.concatenate(frames[at : at + 10]) for at in range(0, 40, 10)]
        assert max(tone_level(window, 900, 16_000) for window in windows) > 4_000


async def test_what_is_cleared_is_flushed_before_anything_else(worker: Worker) -> None:
    async with worker.leg() as bridge:
        await anext(worker.room.events())
        worker.room.voice.clear()
        async with asyncio.timeout(20):
            while isinstance(message := await bridge.recv(), bytes):
                pass
        assert WorkerMessage.model_validate_json(message).body.type == "flush"


async def test_a_leg_that_the_room_removes_is_told_to_hang_up(worker: Worker) -> None:
    async with worker.leg() as bridge:
        await anext(worker.room.events())
        await worker.room.remove_leg(LEG.participant_id)
        said = await until_closed(bridge)
        last = next(each for each in reversed(said) if isinstance(each, str))
        assert WorkerMessage.model_validate_json(last).body.type == "leg.hang_up"


async def test_the_person_who_hangs_up_has_left(worker: Worker) -> None:
    async with worker.leg() as bridge:
        events = worker.room.events()
        await anext(events)
        closed = BridgeMessage(body=LegClosed(cause="hung_up"))
        await bridge.send(closed.model_dump_json())
        assert await anext(events) == LegGone(LEG.participant_id, "left")


async def test_a_bridge_that_dies_leaves_a_leg_that_may_come_back(worker: Worker) -> None:
    async with worker.leg() as bridge:
        events = worker.room.events()
        await anext(events)
        bridge.transport.abort()
    async with asyncio.timeout(20):
        while True:
            try:
                async with worker.leg() as again:
                    assert await anext(events) == LegConnected(LEG.participant_id)
                    body = DtmfReceived(digits="5")
                    await again.send(BridgeMessage(body=body).model_dump_json())
                    assert await anext(events) == LegPressed(LEG.participant_id, "5")
                    return
            except InvalidStatus:
                # The worker has not seen yet that the first websocket is gone.
                await asyncio.sleep(0.02)


async def test_keys_that_do_not_reach_the_bridge_are_not_taken_for_pressed(worker: Worker) -> None:
    async with worker.leg() as bridge:
        await anext(worker.room.events())
        worker.room.send_digits(LEG.participant_id, "1")
        bridge.transport.abort()

    def is_refused() -> bool:
        with contextlib.suppress(LineInterrupted):
            worker.room.send_digits(LEG.participant_id, "2")
            return False
        return True

    await until(is_refused)


@pytest.mark.parametrize("token", ["guessed", "é", " "])
async def test_another_token_opens_nothing(worker: Worker, token: str) -> None:
    with pytest.raises((InvalidStatus, UnicodeEncodeError)) as refused:
        async with worker.leg(token=token):
            pass
    if isinstance(refused.value, InvalidStatus):
        assert refused.value.response.status_code == HTTPStatus.UNAUTHORIZED


async def test_the_token_of_one_leg_does_not_open_another(worker: Worker) -> None:
    other = LegAddress(LEG.call_id, uuid4(), LEG.attempt_id)
    with pytest.raises(InvalidStatus) as refused:
        async with worker.leg(path=leg_path(other)):
            pass
    assert refused.value.response.status_code == HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize(
    "path", ["/", "/calls", leg_path(LEG) + "/", leg_path(LEG).upper(), "/calls/../x", "/%00"]
)
async def test_another_path_is_not_found(worker: Worker, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with worker.leg(path=path):
            pass
    assert refused.value.response.status_code == HTTPStatus.NOT_FOUND


async def test_a_call_that_is_not_here_is_not_found(worker: Worker) -> None:
    worker.is_here = False
    with pytest.raises(InvalidStatus) as refused:
        async with worker.leg():
            pass
    assert refused.value.response.status_code == HTTPStatus.NOT_FOUND


async def test_a_second_websocket_for_a_leg_is_refused_and_the_first_goes_on(
    worker: Worker,
) -> None:
    async with worker.leg() as first:
        await anext(worker.room.events())
        with pytest.raises(InvalidStatus) as refused:
            async with worker.leg():
                pass
        assert refused.value.response.status_code == HTTPStatus.CONFLICT
        assert isinstance(await first.recv(), bytes)


async def test_a_call_that_is_ending_hangs_the_leg_up(worker: Worker) -> None:
    worker.is_over = True
    async with worker.leg() as bridge:
        message = await bridge.recv()
        assert WorkerMessage.model_validate_json(message).body.type == "leg.hang_up"
        await until_closed(bridge)


@pytest.mark.parametrize(
    "first",
    [b"", b"\x01" * 168, "", "{}", "[]", "null", '{"version": 1, "body": {"type": "leg.closed"}}'],
)
async def test_nothing_but_leg_opened_may_come_first(worker: Worker, first: str | bytes) -> None:
    async with worker.leg(opened=None) as bridge:
        await bridge.send(first)
        await until_closed(bridge)


async def test_a_bridge_that_says_nothing_is_not_waited_for(worker: Worker) -> None:
    async with worker.leg(opened=None) as bridge:
        await until_closed(bridge)


@pytest.mark.parametrize(
    "unreadable",
    [
        b"",
        b"\x01",
        b"\x02" + bytes(167),
        b"\x01" + bytes(166),
        bytes(LARGEST_MESSAGE_BYTES),
        "",
        "{",
        "[" * 4_000,
        '{"version": 1}',
        '{"version": 2, "body": {"type": "dtmf.received", "digits": "1"}}',
        json.dumps({"version": 1, "body": {"type": "dtmf.received", "digits": "x"}}),
        json.dumps({"version": 1, "body": {"type": "dtmf.received", "digits": "1" * 65}}),
        json.dumps({"version": 1, "body": {"type": "flush"}}),
    ],
)
async def test_what_cannot_be_read_is_dropped_and_the_leg_goes_on(
    worker: Worker, unreadable: str | bytes
) -> None:
    async with worker.leg() as bridge:
        events = worker.room.events()
        await anext(events)
        await bridge.send(unreadable)
        await bridge.send(BridgeMessage(body=DtmfReceived(digits="7")).model_dump_json())
        assert await anext(events) == LegPressed(LEG.participant_id, "7")


async def test_a_bridge_of_which_nothing_can_be_read_is_closed(worker: Worker) -> None:
    async with worker.leg() as bridge:
        await anext(worker.room.events())
        for _ in range(MOST_UNREADABLE + 1):
            await bridge.send(b"?")
        await until_closed(bridge)


async def test_a_message_that_is_too_large_closes_the_websocket_alone(worker: Worker) -> None:
    async with worker.leg() as bridge:
        await anext(worker.room.events())
        await bridge.send(bytes(LARGEST_MESSAGE_BYTES + 1))
        await until_closed(bridge)
