"""The bridge's end of one leg's websocket to the media worker that runs its call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.connection import broadcast
from websockets.exceptions import InvalidHandshake, InvalidStatus
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.protocol import Event
from websockets.typing import Subprotocol

from contracts import redis_names
from contracts.heartbeat import WorkerHeartbeat
from contracts.phone_media import (
    LARGEST_MESSAGE_BYTES,
    SUBPROTOCOL,
    BridgeMessage,
    FromBridge,
    FromWorker,
    LegAddress,
    LegOpened,
    WorkerMessage,
    leg_path,
    leg_token,
)
from contracts.versions import fault, read_json
from link.connection import LINK_ERRORS

CONNECT_SECONDS = 2.0
LOOK_EVERY_SECONDS = 0.05
PING_SECONDS = 3.0
PONG_SECONDS = 5.0

log = structlog.get_logger(__name__)

OnMessage = Callable[[bytes | FromWorker], None]


class NoWorker(Exception):
    """No worker took the leg in the time allowed."""


class LegTaken(Exception):
    """The participant has another websocket already."""


@dataclass(frozen=True)
class _Door:
    address: str
    secret: str


class _Connection(ClientConnection):
    """Gives messages on as they come: fifty a second for each leg wake no task."""

    def __init__(self, on_message: OnMessage, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._on_message = on_message

    def process_event(self, event: Event) -> None:
        if not isinstance(event, Frame) or event.opcode not in DATA_OPCODES:
            super().process_event(event)
        elif event.opcode is Opcode.BINARY and event.fin:
            self._on_message(bytes(event.data))
        elif (document := _document(event)) is not None:
            self._on_message(document)


class WorkerLine:
    """One open websocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def send(self, message: bytes | FromBridge) -> None:
        """Without waiting: what the connection does not take yet adds to ``waiting_bytes``. Once it
        is closed, nothing is sent."""
        if not isinstance(message, bytes):
            broadcast([self._connection], BridgeMessage(body=message).model_dump_json())
        else:
            broadcast([self._connection], message)

    @property
    def waiting_bytes(self) -> int:
        """Given to ``send``, and not yet taken by the connection."""
        return self._connection.transport.get_write_buffer_size()

    async def closed(self) -> str:
        """Returns once it is closed: how, for the log."""
        await self._connection.wait_closed()
        return f"{self._connection.close_code} {self._connection.close_reason}".strip()

    async def close(self) -> None:
        await self._connection.close()


def _document(frame: Frame) -> FromWorker | None:
    """What cannot be read is skipped. A worker sends each message in one frame."""
    if not frame.fin or frame.opcode is not Opcode.TEXT:
        log.warning("worker_message_unreadable", fault="it came in pieces")
        return None
    try:
        return read_json(WorkerMessage, bytes(frame.data)).body
    except ValidationError as error:
        log.warning("worker_message_unreadable", fault=fault(error))
        return None


async def open_line(
    redis: Redis,
    leg: LegAddress,
    opened: LegOpened,
    on_message: OnMessage,
    within_seconds: float,
) -> WorkerLine:
    """Find the worker by the call's lease and its heartbeat, and bring it the leg.

    A call that was created a moment ago is claimed soon, so this looks again and again.

    Args:
        on_message: is called with each frame and document of the worker as it comes; must not
            raise.

    Raises:
        NoWorker: none took it in time.
        LegTaken: the participant has a websocket already.
    """
    why = "no worker holds the call's lease"
    try:
        async with asyncio.timeout(within_seconds):
            while True:
                try:
                    door = await _door_of(redis, leg)
                    if door is not None:
                        return await _opened(door, leg, opened, on_message)
                except InvalidStatus as refused:
                    why = f"the worker answered {refused.response.status_code}"
                    if refused.response.status_code == 409:
                        raise LegTaken(why) from refused
                except (*LINK_ERRORS, InvalidHandshake, TimeoutError) as error:
                    why = f"{type(error).__name__}: {error}"
                await asyncio.sleep(LOOK_EVERY_SECONDS)
    except TimeoutError:
        raise NoWorker(why) from None


async def _door_of(redis: Redis, leg: LegAddress) -> _Door | None:
    holder = await redis.get(redis_names.call_lease(leg.call_id))
    if holder is None:
        return None
    worker_id = str(holder)
    heartbeat, secret = await redis.mget(
        redis_names.worker_heartbeat(worker_id), redis_names.worker_media_secret(worker_id)
    )
    if heartbeat is None or secret is None:
        return None
    try:
        address = read_json(WorkerHeartbeat, heartbeat).media_address
    except ValidationError as error:
        log.warning("heartbeat_unreadable", worker_id=worker_id, fault=fault(error))
        return None
    return None if address is None else _Door(address, str(secret))


async def _opened(
    door: _Door, leg: LegAddress, opened: LegOpened, on_message: OnMessage
) -> WorkerLine:
    connection = await connect(
        door.address + leg_path(leg),
        additional_headers={"Authorization": f"Bearer {leg_token(door.secret, leg)}"},
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        compression=None,
        open_timeout=CONNECT_SECONDS,
        ping_interval=PING_SECONDS,
        ping_timeout=PONG_SECONDS,
        close_timeout=1,
        max_size=LARGEST_MESSAGE_BYTES,
        user_agent_header=None,
        proxy=None,
        create_connection=cast(Any, partial(_Connection, on_message)),
    )
    line = WorkerLine(connection)
    line.send(opened)
    return line
