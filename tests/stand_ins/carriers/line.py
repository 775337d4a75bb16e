"""One call at a stand-in carrier, and its media websocket."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp

from tests.stand_ins.carriers.faults import Faults
from tests.stand_ins.carriers.phone import Phone
from tests.stand_ins.carriers.playout import Playout
from tests.stand_ins.carriers.sound import FRAME_MS, PHONE_HZ
from tests.stand_ins.carriers.wire import CarrierWire, Clear, Connect, Mark, Message, Sound, Stage

_GARBAGE: tuple[str, ...] = (
    "{not json",
    "null",
    '{"event":"never-heard-of"}',
    '{"event":"media"}',
    '{"event":"media","media":{"payload":""}}',
    '{"event":"dtmf","dtmf":{"digit":"?"}}',
)


@dataclass
class Line:
    call_id: str
    direction: Literal["inbound", "outbound"]
    from_number: str
    to_number: str
    phone: Phone
    voice_url: str
    status_url: str
    ring_timeout_seconds: float = 30.0
    detects_machines: bool = False
    reference: Mapping[str, Any] = field(default_factory=dict)
    """What the carrier gives back with every webhook, such as Telnyx's ``client_state``."""

    stages: list[Stage] = field(default_factory=list)
    answered_at: float | None = None
    ended_as: Stage | None = None
    duration_seconds: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    """By REST, while it rings."""
    transferred_to: str | None = None
    sent_keys: str = ""
    """By REST."""
    played: list[bytes] = field(default_factory=list)
    """Files that the carrier fetched to play them."""
    stream_id: str = "stream-1"
    stream_hz: int = PHONE_HZ
    told: list[Message] = field(default_factory=list)
    """What came over the websocket and is no sound."""
    unreadable: list[Message] = field(default_factory=list)
    longest_queue_ms: float = 0.0
    """The most that the carrier ever held without having played it."""
    leaving: asyncio.Event = field(default_factory=asyncio.Event)
    """The stream has to end."""

    @property
    def is_over(self) -> bool:
        return self.ended_as is not None


async def carry_sound(
    line: Line,
    wire: CarrierWire,
    connect: Connect,
    socket: aiohttp.ClientWebSocketResponse,
    faults: Faults,
) -> None:
    """Until either side closes the websocket or ``line.leaving`` is set."""
    playout = Playout(PHONE_HZ)
    messages = list(wire.opening(line, connect))
    for message in messages + (messages[-1:] if faults.starts_twice else []):
        await _send(socket, message)
    listening = asyncio.create_task(_listen(line, wire, socket, playout))
    speaking = asyncio.create_task(_speak(line, wire, socket, playout, faults))
    leaving = asyncio.create_task(line.leaving.wait())
    tasks: set[asyncio.Task[Any]] = {listening, speaking, leaving}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if leaving.done():
            with contextlib.suppress(ConnectionError):
                for message in wire.closing(line):
                    await _send(socket, message)
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        line.longest_queue_ms = playout.longest_queue_samples * 1000 / PHONE_HZ
        await socket.close()
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, ConnectionError):
            raise result


async def _listen(
    line: Line, wire: CarrierWire, socket: aiohttp.ClientWebSocketResponse, playout: Playout
) -> None:
    async for message in socket:
        told = wire.read(line, message.data)
        match told:
            case Sound(samples):
                playout.push(samples)
                continue
            case Mark(name):
                playout.mark(name)
            case Clear():
                marks = playout.clear()
                for answer in wire.cleared(line):
                    await _send(socket, answer)
                for name in marks if wire.returns_marks_on_clear else ():
                    await _send(socket, wire.mark_reached(line, name))
            case None:
                line.unreadable.append(message.data)
        line.told.append(message.data)


async def _speak(
    line: Line,
    wire: CarrierWire,
    socket: aiohttp.ClientWebSocketResponse,
    playout: Playout,
    faults: Faults,
) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    number = 0
    overtaken: Message | None = None
    while True:
        number += 1
        if number * FRAME_MS > (faults.closes_socket_after_ms or math.inf):
            return
        message = wire.frame(line, number, line.phone.next_frame())
        if faults.reorders_media and number % 4 == 3:
            overtaken = message
        else:
            await _send(socket, message)
            if overtaken is not None:
                await _send(socket, overtaken)
                overtaken = None
        if (digit := line.phone.next_key()) is not None:
            await _send(socket, wire.key(line, digit))
        if faults.sends_garbage:
            await _send(socket, _GARBAGE[number % len(_GARBAGE)])
        frame, marks = playout.tick()
        line.phone.hear(frame)
        for name in marks:
            await _send(socket, wire.mark_reached(line, name))
        await asyncio.sleep(max(0.0, began + number * FRAME_MS / 1000 - loop.time()))


async def _send(socket: aiohttp.ClientWebSocketResponse, message: Message) -> None:
    if isinstance(message, bytes):
        await socket.send_bytes(message)
    else:
        await socket.send_str(message)
