"""The bridge's end of one leg's websocket to the media worker that runs its call."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidStatus
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


class NoWorker(Exception):
    """No worker took the leg in the time allowed."""


class LegTaken(Exception):
    """The participant has another websocket already."""


@dataclass(frozen=True)
class _Door:
    address: str
    secret: str


class WorkerLine:
    """One open websocket. Reading ends when it closes."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, message: bytes | FromBridge) -> None:
        """Raises ``websockets.exceptions.ConnectionClosed``."""
        if isinstance(message, bytes):
            await self._connection.send(message)
        else:
            await self._connection.send(BridgeMessage(body=message).model_dump_json())

    async def receive(self) -> bytes | FromWorker:
        """The next frame or document; what cannot be read is skipped.

        Raises:
            websockets.exceptions.ConnectionClosed
        """
        while True:
            message = await self._connection.recv()
            if isinstance(message, bytes):
                return message
            try:
                return read_json(WorkerMessage, message).body
            except ValidationError as error:
                log.warning("worker_message_unreadable", fault=fault(error))

    async def close(self) -> None:
        await self._connection.close()


async def open_line(
    redis: Redis, leg: LegAddress, opened: LegOpened, within_seconds: float
) -> WorkerLine:
    """Find the worker by the call's lease and its heartbeat, and bring it the leg.

    A call that was created a moment ago is claimed soon, so this looks again and again.

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
                        return await _opened(door, leg, opened)
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


async def _opened(door: _Door, leg: LegAddress, opened: LegOpened) -> WorkerLine:
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
    )
    line = WorkerLine(connection)
    await line.send(opened)
    return line
