"""What a bridge takes from a worker's websocket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from uuid import uuid4

import pytest
from picows import WSTransport
from redis.asyncio import Redis
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from contracts import redis_names
from contracts.heartbeat import WorkerHeartbeat
from contracts.phone_media import (
    LARGEST_MESSAGE_BYTES,
    SUBPROTOCOL,
    FromWorker,
    HangUp,
    LegAddress,
    LegFormat,
    LegOpened,
    WorkerMessage,
)
from switchboard.services.ports import free_port
from telephony_bridge.media.worker_line import (
    LegTaken,
    NoWorker,
    OnMessage,
    WorkerLine,
    _Door,
    _Messages,
    _opened,
    open_line,
)
from tests.runtime.until import until

Check = Callable[[ServerConnection, Request], Response | Awaitable[Response | None] | None]

MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
OPENED = LegOpened(
    from_person=MULAW,
    to_person=MULAW,
    direction="inbound",
    carrier="twilio",
    from_number="+14155550142",
    to_number="+14155550100",
)


async def worker_is_at(redis: Redis, port: int) -> None:
    heartbeat = WorkerHeartbeat(
        worker_id="w-1",
        sent_at=datetime.now(UTC),
        state="ready",
        slots_total=1,
        slots_used=1,
        media_address=f"ws://127.0.0.1:{port}",
    )
    await redis.set(redis_names.worker_heartbeat("w-1"), heartbeat.model_dump_json())


@asynccontextmanager
async def worker_at(redis: Redis, check: Check) -> AsyncIterator[LegAddress]:
    """The leg of a call that it runs."""

    async def worker(connection: ServerConnection) -> None:
        await connection.wait_closed()

    leg = LegAddress(uuid4(), uuid4(), uuid4())
    async with serve(
        worker, "127.0.0.1", 0, subprotocols=[Subprotocol(SUBPROTOCOL)], process_request=check
    ) as server:
        await worker_is_at(redis, server.sockets[0].getsockname()[1])
        await redis.set(redis_names.worker_media_secret("w-1"), "secret")
        await redis.set(redis_names.call_lease(leg.call_id), "w-1")
        yield leg


@asynccontextmanager
async def line_to(
    worker: Callable[[ServerConnection], Awaitable[None]], on_message: OnMessage
) -> AsyncIterator[WorkerLine]:
    leg = LegAddress(uuid4(), uuid4(), uuid4())
    async with serve(worker, "127.0.0.1", 0, subprotocols=[Subprotocol(SUBPROTOCOL)]) as server:
        port = server.sockets[0].getsockname()[1]
        yield await _opened(_Door(f"ws://127.0.0.1:{port}", "s"), leg, OPENED, on_message)


async def test_frames_and_documents_come_and_what_cannot_be_read_is_skipped() -> None:
    async def worker(connection: ServerConnection) -> None:
        await connection.recv()  # ``leg.opened``
        await connection.send("not a document")
        await connection.send(["in ", "pieces"])
        await connection.send([b"in ", b"pieces"])
        await connection.send(b"a frame")
        await connection.send(WorkerMessage(body=HangUp()).model_dump_json())

    heard: list[bytes | FromWorker] = []
    async with line_to(worker, heard.append) as line:
        how = await asyncio.wait_for(line.closed(), 10)
    assert heard == [b"a frame", HangUp()]
    assert how == "1000"
    line.send(b"too late: nothing happens")


async def test_a_line_whose_worker_breaks_the_protocol_is_closed_and_says_how() -> None:
    async def worker(connection: ServerConnection) -> None:
        await connection.send(b"x" * (LARGEST_MESSAGE_BYTES + 1))
        await connection.wait_closed()

    async with line_to(worker, lambda _: None) as line:
        how = await asyncio.wait_for(line.closed(), 10)
    assert how.startswith("1009 ")


async def test_a_worker_that_takes_a_leg_for_taken_is_asked_again(redis: Redis) -> None:
    """The websocket that it means may be ours, given up before the worker answered."""
    answers = iter([HTTPStatus.CONFLICT])

    def check(connection: ServerConnection, _: Request) -> Response | None:
        status = next(answers, None)
        return None if status is None else connection.respond(status, "taken\n")

    async with worker_at(redis, check) as leg:
        line = await open_line(redis, leg, OPENED, lambda _: None, 10)
        await line.close()


async def test_a_leg_that_stays_taken_is_told_so(redis: Redis) -> None:
    def check(connection: ServerConnection, _: Request) -> Response:
        return connection.respond(HTTPStatus.CONFLICT, "taken\n")

    async with worker_at(redis, check) as leg:
        with pytest.raises(LegTaken):
            await open_line(redis, leg, OPENED, lambda _: None, 0.5)


@pytest.mark.parametrize("how", ["its lease ends", "it takes no connection"])
async def test_a_worker_that_is_gone_has_no_leg_whatever_it_said_before(
    redis: Redis, how: str
) -> None:
    async def check(connection: ServerConnection, _: Request) -> Response:
        if how == "its lease ends":
            await redis.delete(redis_names.call_lease(leg.call_id))
        else:
            await worker_is_at(redis, free_port())
        return connection.respond(HTTPStatus.CONFLICT, "taken\n")

    async with worker_at(redis, check) as leg:
        with pytest.raises(NoWorker):
            await open_line(redis, leg, OPENED, lambda _: None, 0.5)


async def test_a_connection_that_nobody_waits_for_any_more_is_closed(redis: Redis) -> None:
    may_answer = asyncio.Event()
    closed: list[asyncio.Future[None]] = []

    async def check(connection: ServerConnection, _: Request) -> None:
        closed.append(connection.connection_lost_waiter)
        await may_answer.wait()

    async with worker_at(redis, check) as leg:
        opening = asyncio.create_task(open_line(redis, leg, OPENED, lambda _: None, 10))
        await until(lambda: closed)
        opening.cancel()
        await asyncio.wait([opening])
        may_answer.set()
        async with asyncio.timeout(10):
            await closed[0]
    assert len(closed) == 1


async def test_a_connection_that_is_given_up_just_as_it_opens_is_closed(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[asyncio.Future[None]] = []
    on_ws_connected = _Messages.on_ws_connected

    def check(connection: ServerConnection, _: Request) -> None:
        closed.append(connection.connection_lost_waiter)

    def give_up_once_connected(messages: _Messages, transport: WSTransport) -> None:
        on_ws_connected(messages, transport)
        opening.cancel()

    monkeypatch.setattr(_Messages, "on_ws_connected", give_up_once_connected)
    async with worker_at(redis, check) as leg:
        opening = asyncio.create_task(open_line(redis, leg, OPENED, lambda _: None, 10))
        await asyncio.wait([opening])
        assert opening.cancelled()
        async with asyncio.timeout(10):
            await closed[0]
