"""The bridge's end of one leg's websocket to the media worker that runs its call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from picows import (
    WSCloseCode,
    WSFrame,
    WSHandshakeError,
    WSInvalidStatusError,
    WSListener,
    WSMsgType,
    WSProtocolError,
    WSTransport,
    ws_connect,
)
from pydantic import ValidationError
from redis.asyncio import Redis

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
PING_SECONDS = 4.0
"""After so long without a frame a worker is asked whether it is there. It has as long to answer."""

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


class _Messages(WSListener):
    """Gives messages on as they come: fifty a second for each leg wake no task."""

    def __init__(self, on_message: OnMessage) -> None:
        self._on_message = on_message
        self._transport: WSTransport | None = None
        self._is_given_up = False

    def give_up(self) -> None:
        """Nobody waits for the connection any more, whether it is open or still being opened."""
        self._is_given_up = True
        if self._transport is not None:
            self._transport.disconnect(graceful=False)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport
        if self._is_given_up:
            transport.disconnect(graceful=False)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type is WSMsgType.BINARY and frame.fin:
            self._on_message(frame.get_payload_as_bytes())
        elif frame.msg_type is WSMsgType.CLOSE:
            transport.send_close(WSCloseCode.OK)
            transport.disconnect()
        elif frame.msg_type is not WSMsgType.PONG:
            document = _document(frame)
            if document is not None:
                self._on_message(document)

    def pause_writing(self) -> None:
        """The relay looks at ``waiting_bytes`` itself."""

    def resume_writing(self) -> None:
        """Nobody waits for it."""


class WorkerLine:
    """One open websocket."""

    def __init__(self, transport: WSTransport) -> None:
        self._transport = transport

    def send(self, message: bytes | FromBridge) -> None:
        """Without waiting: what the connection does not take yet adds to ``waiting_bytes``. Once it
        is closed, nothing is sent."""
        if isinstance(message, bytes):
            self._transport.send(WSMsgType.BINARY, message)
        else:
            document = BridgeMessage(body=message).model_dump_json()
            self._transport.send(WSMsgType.TEXT, document)

    @property
    def waiting_bytes(self) -> int:
        """Given to ``send``, and not yet taken by the connection."""
        return self._transport.underlying_transport.get_write_buffer_size()

    async def closed(self) -> str:
        """Returns once it is closed: how, for the log."""
        # Of a worker that broke the protocol. The close code that it got says what was wrong.
        with suppress(WSProtocolError):
            await self._transport.wait_disconnected()
        handshake = self._transport.close_handshake
        told = None if handshake is None else handshake.recv or handshake.sent
        return "it broke" if told is None else f"{told.code:d} {told.reason or ''}".strip()

    async def close(self) -> None:
        self._transport.send_close(WSCloseCode.OK)
        self._transport.disconnect()


def _document(frame: WSFrame) -> FromWorker | None:
    """What cannot be read is skipped. A worker sends each message in one frame."""
    if not frame.fin or frame.msg_type is not WSMsgType.TEXT:
        log.warning("worker_message_unreadable", fault="it came in pieces")
        return None
    try:
        return read_json(WorkerMessage, frame.get_payload_as_bytes()).body
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
        LegTaken: the participant still had another websocket at the end.
    """
    failed: NoWorker | LegTaken = NoWorker("none was found in time")
    try:
        async with asyncio.timeout(within_seconds):
            while True:
                try:
                    door = await _door_of(redis, leg)
                    if door is not None:
                        return await _opened(door, leg, opened, on_message)
                    failed = NoWorker("no worker holds the call's lease")
                except WSInvalidStatusError as refused:
                    failed = _refusal(refused)
                except (*LINK_ERRORS, WSHandshakeError, TimeoutError) as error:
                    failed = NoWorker(f"{type(error).__name__}: {error}")
                await asyncio.sleep(LOOK_EVERY_SECONDS)
    except TimeoutError:
        raise failed from None


def _refusal(refused: WSInvalidStatusError) -> NoWorker | LegTaken:
    status = refused.response.status if refused.response else None
    why = f"the worker answered {status}"
    # That one may be ours, which we gave up before the worker answered: it is worth another try.
    return LegTaken(why) if status is HTTPStatus.CONFLICT else NoWorker(why)


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
    messages = _Messages(on_message)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            transport, listener = await ws_connect(
                lambda: messages,
                door.address + leg_path(leg),
                extra_headers={
                    "Authorization": f"Bearer {leg_token(door.secret, leg)}",
                    "Sec-WebSocket-Protocol": SUBPROTOCOL,
                },
                websocket_handshake_timeout=CONNECT_SECONDS,
                max_redirects=0,
                enable_auto_ping=True,
                auto_ping_idle_timeout=PING_SECONDS,
                auto_ping_reply_timeout=PING_SECONDS,
                max_frame_size=LARGEST_MESSAGE_BYTES,
            )
    except BaseException:
        # picows leaves a connection open that waits for the worker's answer, or has just got it.
        messages.give_up()
        raise
    if listener is None:
        raise ConnectionError("the worker closed the connection")
    line = WorkerLine(transport)
    line.send(opened)
    return line
