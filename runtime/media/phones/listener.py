"""Where bridges bring phone legs to this worker: one websocket for each leg.

Everything is checked before the websocket is accepted: the path, the token, that the call is here,
and that the participant has no other websocket. What a bridge sends after that is bounded in size,
and what cannot be read is dropped and counted.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus

import structlog
from pydantic import ValidationError
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from contracts.phone_media import (
    LARGEST_MESSAGE_BYTES,
    SUBPROTOCOL,
    BridgeMessage,
    FromBridge,
    LegAddress,
    LegOpened,
    leg_token,
    read_leg_path,
)
from contracts.versions import fault, read_json
from runtime.media.phones.phone_leg import PhoneLeg
from runtime.media.room import RoomClosed
from telemetry.metrics import PHONE_MESSAGES_DROPPED

OPENING_SECONDS = 2.0
"""How long a bridge may take from the upgrade to ``LegOpened``."""
PING_SECONDS = 3.0
PONG_SECONDS = 5.0
"""A bridge whose machine is gone is noticed after both together at the latest."""
MOST_UNREADABLE = 100
"""A bridge that sends more than this that cannot be read is taken for broken."""

log = structlog.get_logger(__name__)

AdmitLeg = Callable[[PhoneLeg], Awaitable[None]]
"""Lets a leg into its call. Raises ``RoomClosed`` if that is over by then."""


class LegRefused(Exception):
    """A leg cannot join its call now. ``status`` is what the bridge is answered."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class PhoneListener:
    """
    Args:
        find_call: what lets a leg into its call. Raises ``LegRefused``.
    """

    def __init__(self, find_call: Callable[[LegAddress], Awaitable[AdmitLeg]]) -> None:
        self.secret = secrets.token_urlsafe(32)
        """With it ``leg_token`` makes the token of each leg. Of this process and this start."""
        self._find_call = find_call
        self._open: dict[ServerConnection, tuple[LegAddress, AdmitLeg]] = {}
        self._taken: set[tuple[object, object]] = set()
        """Call and participant of each websocket that is open or being opened."""
        self._server: Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen. Returns the port: a free one if ``port`` is 0.

        Raises:
            OSError: the address cannot be listened on.
        """
        self._server = await serve(
            self._serve,
            host,
            port,
            process_request=self._check,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            open_timeout=OPENING_SECONDS,
            ping_interval=PING_SECONDS,
            ping_timeout=PONG_SECONDS,
            close_timeout=1,
            max_size=LARGEST_MESSAGE_BYTES,
            server_header=None,
        )
        bound_port: int = next(iter(self._server.sockets)).getsockname()[1]
        return bound_port

    async def aclose(self) -> None:
        """Close every websocket that is still open. Idempotent."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _check(self, connection: ServerConnection, request: Request) -> Response | None:
        leg = read_leg_path(request.path)
        if leg is None:
            return connection.respond(HTTPStatus.NOT_FOUND, "This is no address of a leg.\n")
        given = request.headers.get_all("Authorization")
        wanted = f"Bearer {leg_token(self.secret, leg)}"
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(), wanted.encode()):
            log.warning("phones.wrong_token", call_id=str(leg.call_id))
            return connection.respond(HTTPStatus.UNAUTHORIZED, "The token is wrong.\n")
        key = (leg.call_id, leg.participant_id)
        if key in self._taken:
            return connection.respond(HTTPStatus.CONFLICT, "The leg has a websocket already.\n")
        self._taken.add(key)
        try:
            admit = await self._find_call(leg)
        except LegRefused as refused:
            self._taken.discard(key)
            return connection.respond(refused.status, f"{refused}\n")
        except BaseException:
            self._taken.discard(key)
            raise
        self._open[connection] = (leg, admit)
        connection.connection_lost_waiter.add_done_callback(lambda _: self._forget(connection, key))
        return None

    def _forget(self, connection: ServerConnection, key: tuple[object, object]) -> None:
        self._open.pop(connection, None)
        self._taken.discard(key)

    async def _serve(self, connection: ServerConnection) -> None:
        address, admit = self._open[connection]
        with structlog.contextvars.bound_contextvars(call_id=str(address.call_id)):
            opened = await _opened(connection)
            if opened is None:
                await connection.close(CloseCode.POLICY_VIOLATION, "leg.opened did not come first")
                return
            leg = PhoneLeg(address, opened, partial(_answers_ping, connection))
            sending = asyncio.create_task(_send(connection, leg), name="phone-leg-sending")
            try:
                await admit(leg)
                log.info("phones.leg_opened", carrier=opened.carrier)
                await _receive(connection, leg)
            except RoomClosed as refused:
                log.info("phones.leg_refused", error=str(refused))
                await leg.close()
            finally:
                leg.closed()
                await asyncio.wait([sending])
                log.info(
                    "phones.leg_closed",
                    said_so=leg.gone_because is not None,
                    dropped_frames=leg.line.dropped_frames,
                )


async def _opened(connection: ServerConnection) -> LegOpened | None:
    with suppress(TimeoutError, ConnectionClosed):
        async with asyncio.timeout(OPENING_SECONDS):
            message = await connection.recv()
        body = _document(message)
        return body if isinstance(body, LegOpened) else None
    return None


async def _receive(connection: ServerConnection, leg: PhoneLeg) -> None:
    """Until the bridge closes, or either side says that the leg is over."""
    unreadable = 0
    with suppress(ConnectionClosed):
        async for message in connection:
            if isinstance(message, bytes):
                is_readable = leg.frame_received(message)
            elif is_readable := (body := _document(message)) is not None:
                leg.received(body)
            if not is_readable:
                PHONE_MESSAGES_DROPPED.inc()
                unreadable += 1
                if unreadable > MOST_UNREADABLE:
                    log.error("phones.bridge_unreadable")
                    await connection.close(CloseCode.POLICY_VIOLATION, "too much is unreadable")
                    return
            if leg.gone_because is not None:
                return


async def _send(connection: ServerConnection, leg: PhoneLeg) -> None:
    with suppress(ConnectionClosed):
        while (message := await leg.line.next()) is not None:
            await connection.send(message)
        await connection.close()


async def _answers_ping(connection: ServerConnection) -> bool:
    with suppress(ConnectionClosed):
        await (await connection.ping())
        return True
    return False


def _document(message: str | bytes) -> FromBridge | None:
    if isinstance(message, bytes):
        return None
    try:
        return read_json(BridgeMessage, message).body
    except ValidationError as error:
        log.warning("phones.unreadable", fault=fault(error))
        return None
