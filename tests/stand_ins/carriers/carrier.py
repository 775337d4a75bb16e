"""A carrier on this machine: its REST API, its webhooks, and its side of the media websocket.

It is written from the carriers' documentation and uses nothing of our adapters::

    carrier = StandInCarrier(TwilioWire(account, "auth token"))
    async with carrier.serving():
        settings = CarrierSettings(base_urls={CarrierName.TWILIO: carrier.base_url})
        ...
        line = carrier.call_in("+14155550100", "+14155550199", Phone(says="Hello?"))
        await line.phone.until_heard()
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
from aiohttp import web

from tests.stand_ins.carriers.faults import Faults
from tests.stand_ins.carriers.line import Line, carry_sound
from tests.stand_ins.carriers.phone import Phone
from tests.stand_ins.carriers.wire import (
    CarrierWire,
    Connect,
    DialPhone,
    End,
    Instruction,
    Play,
    Refuse,
    Stage,
)

WEBHOOK_SECONDS = 15.0


@dataclass(frozen=True)
class DialedPhone:
    """What a number does that is dialed."""

    phone: Phone = field(default_factory=Phone)
    ring_seconds: float = 0.0
    ends_as: Stage | None = None
    """Instead of being answered."""
    rings_on: bool = False
    """Until somebody gives up."""
    is_machine: bool = False


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    body: str


@dataclass(frozen=True)
class Delivered:
    """A webhook, and how it was answered; ``status`` 0: not at all."""

    url: str
    content: Mapping[str, Any]
    status: int
    text: str


@dataclass
class BoundNumber:
    """An empty address: calls go nowhere."""

    voice_url: str = ""
    status_url: str = ""
    sms_url: str = ""
    """At Vonage."""
    answered_by: dict[str, str] = field(default_factory=dict)
    """At Twilio, what answers its calls in place of the addresses: ``VoiceApplicationSid`` or
    ``TrunkSid``."""


class StandInCarrier:
    """
    Args:
        reach: local addresses in place of public ones, by how an address begins, such as
            ``{"https://phones.example": "http://127.0.0.1:8095"}``. Signatures are made over the
            public ones.
    """

    def __init__(self, wire: CarrierWire, reach: Mapping[str, str] | None = None) -> None:
        self.wire = wire
        self.reach = dict(reach or {})
        self.faults = Faults()
        self.is_suspended = False
        self.numbers: dict[str, BoundNumber] = {}
        self.phones: dict[str, DialedPhone] = {}
        self.lines: dict[str, Line] = {}
        self.asked: list[Asked] = []
        self.delivered: list[Delivered] = []
        self.sockets: list[int] = []
        """HTTP statuses of all attempts to open a media websocket: 101 for success."""
        self.turned_away: list[int] = []
        """How second sockets were: an HTTP status, or the code of the close."""
        self.base_url = ""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failures: list[BaseException] = []

    @contextlib.asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[StandInCarrier]:
        """Listens on 127.0.0.1 at ``base_url``.

        Raises:
            ExceptionGroup: at the end, if the stand-in itself failed.
        """
        app = web.Application(middlewares=[self._misbehave])
        app.add_routes(self.wire.routes(self))
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", port).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            async with aiohttp.ClientSession() as self._session:
                try:
                    yield self
                finally:
                    for task in list(self._tasks):
                        task.cancel()
                    await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            await runner.cleanup()
        if self._failures:
            raise BaseExceptionGroup("the stand-in carrier failed", self._failures)

    @property
    def open_lines(self) -> int:
        """Calls that the carrier would go on billing."""
        return sum(not line.is_over for line in self.lines.values())

    def call_in(self, from_number: str, to_number: str, phone: Phone) -> Line:
        """Somebody calls one of the account's numbers.

        Raises:
            LookupError: the number is not bound.
        """
        bound = self.numbers.get(to_number, BoundNumber())
        if not bound.voice_url:
            raise LookupError(f"nobody answers for {to_number}")
        line = Line(
            self.wire.new_call_id(),
            "inbound",
            from_number,
            to_number,
            phone,
            bound.voice_url,
            bound.status_url,
        )
        return self._take(line, self._arrive(line))

    def dial(self, line: Line) -> Line:
        """What the REST API was asked for."""
        return self._take(line, self._ring(line))

    async def obey(self, line: Line, instruction: Instruction) -> None:
        match instruction:
            case Connect():
                await self._pick_up(line)
                self.spawn(self._stream(line, instruction))
            case Refuse(stage):
                await self.end(line, stage)
            case Play(url, then_hang_up):
                await self._pick_up(line)
                async with self._session.get(self._local(url)) as response:
                    line.played.append(await response.read())
                await self.tell(line, "played")
                if then_hang_up:
                    await self.end(line, "completed")
            case DialPhone(to_number):
                line.transferred_to = to_number
                line.leaving.set()
            case End():
                await self.end(line, "completed")

    async def end(self, line: Line, stage: Stage) -> None:
        """Close the line, whoever asked for it, and tell that once."""
        if line.is_over:
            return
        line.ended_as = stage
        if line.answered_at is not None:
            lasted = asyncio.get_running_loop().time() - line.answered_at
            line.duration_seconds = max(1, round(lasted))
        line.leaving.set()
        line.hung_up.set()
        line.ended.set()
        line.phone.close()
        await self.tell(line, stage)

    async def tell(self, line: Line, stage: Stage) -> None:
        content = self.wire.status(line, stage)
        line.stages.append(stage)
        if content is not None and line.status_url and not self.faults.lost_statuses:
            await self.deliver(line.status_url, content)

    async def deliver(self, url: str, content: Mapping[str, Any]) -> Delivered:
        headers, body = self.wire.signed(url, content, self.faults)
        first = await self._post(url, content, headers, body)
        if self.faults.webhooks_replayed:
            await self._post(url, content, headers, body)
        if self.faults.webhooks_twice:
            headers, body = self.wire.signed(url, content, self.faults)
            await self._post(url, content, headers, body)
        return first

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failures.append(failure)

    def _take(self, line: Line, work: Coroutine[Any, Any, None]) -> Line:
        self.lines[line.call_id] = line
        self.spawn(work)
        self.spawn(self._until_the_person_hangs_up(line))
        return line

    async def _until_the_person_hangs_up(self, line: Line) -> None:
        await line.phone.hung_up.wait()
        await self.end(line, "completed" if line.answered_at is not None else "canceled")

    async def _arrive(self, line: Line) -> None:
        await self._ask(line)

    async def _ring(self, line: Line) -> None:
        dialed = self.phones.get(line.to_number, DialedPhone())
        line.phone = dialed.phone
        await self.tell(line, "initiated")
        early: list[Stage] = [] if dialed.ends_as in ("unreachable", "failed") else ["ringing"]
        if not self.faults.late_statuses:
            for stage in early:
                await self.tell(line, stage)
        patience = line.ring_timeout_seconds if dialed.rings_on else dialed.ring_seconds
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(line.hung_up.wait(), patience)
        if line.is_over:
            return
        if dialed.rings_on:
            await self.end(line, "no_answer")
        elif dialed.ends_as is not None:
            await self.end(line, dialed.ends_as)
        else:
            line.answered_at = asyncio.get_running_loop().time()
            late: list[Stage] = [*early, "answered"] if self.faults.late_statuses else []
            if not late:
                await self.tell(line, "answered")
            await self._ask(line)
            for stage in late:
                await self.tell(line, stage)
            if line.detects_machines:
                await self._detect(line, is_machine=dialed.is_machine)

    async def _detect(self, line: Line, *, is_machine: bool) -> None:
        await self.tell(line, "machine" if is_machine else "human")
        if is_machine:
            await line.phone.until(lambda: line.is_over or not line.phone.is_talking)
            if not line.is_over:
                await self.tell(line, "machine_ready")

    async def _pick_up(self, line: Line) -> None:
        if line.answered_at is None:
            line.answered_at = asyncio.get_running_loop().time()
            await self.tell(line, "answered")

    async def _ask(self, line: Line) -> None:
        delivered = await self.deliver(line.voice_url, self.wire.question(line))
        if not 200 <= delivered.status < 300:
            await self.end(line, "failed")
            return
        instruction = self.wire.read_answer(delivered.text)
        if instruction is not None and not line.is_over:
            await self.obey(line, instruction)

    async def _stream(self, line: Line, connect: Connect) -> None:
        if self.faults.foreign_token:
            connect = _forged(connect)
        socket = await self._open(connect)
        if socket is None:
            await self.tell(line, "stream_failed")
            await self.end(line, "completed")
            return
        if self.faults.second_socket:
            self.spawn(self._intrude(line, connect))
        await carry_sound(line, self.wire, connect, socket, self.faults)
        if self.wire.call_ends_with_stream and line.transferred_to is None:
            await self.end(line, "completed")

    async def _intrude(self, line: Line, connect: Connect) -> None:
        await line.phone.until(lambda: line.phone.heard_ms >= 100)
        socket = await self._open(connect)
        if socket is None:
            self.turned_away.append(self.sockets[-1])
            return
        for message in self.wire.opening(line, connect):
            await socket.send_str(str(message))
        async for _ in socket:
            pass
        self.turned_away.append(socket.close_code or 0)

    async def _open(self, connect: Connect) -> aiohttp.ClientWebSocketResponse | None:
        try:
            socket = await self._session.ws_connect(
                self._local(self.wire.socket_address(connect)),
                headers=self.wire.socket_headers(connect, self.faults),
            )
        except aiohttp.WSServerHandshakeError as error:
            self.sockets.append(error.status)
            return None
        except aiohttp.ClientError:
            self.sockets.append(0)
            return None
        self.sockets.append(101)
        return socket

    async def _post(
        self, url: str, content: Mapping[str, Any], headers: Mapping[str, str], body: bytes
    ) -> Delivered:
        timeout = aiohttp.ClientTimeout(WEBHOOK_SECONDS)
        try:
            async with self._session.post(
                self._local(url), data=body, headers=headers, timeout=timeout
            ) as response:
                delivered = Delivered(url, content, response.status, await response.text())
        except (aiohttp.ClientError, TimeoutError) as error:
            delivered = Delivered(url, content, 0, str(error))
        self.delivered.append(delivered)
        return delivered

    def _local(self, url: str) -> str:
        for public, local in self.reach.items():
            if url.startswith(public):
                return local + url.removeprefix(public)
        return url

    @web.middleware
    async def _misbehave(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.asked.append(Asked(request.method, request.path_qs, await request.text()))
        if self.faults.rest_hangs:
            await asyncio.Event().wait()
        if self.faults.rest_delay_seconds:
            await asyncio.sleep(self.faults.rest_delay_seconds)
        if self.faults.rest_status is not None:
            return web.Response(status=self.faults.rest_status, text="as told")
        response: web.StreamResponse = await handler(request)
        return response


def _forged(connect: Connect) -> Connect:
    token = "x" * len(connect.token)
    parameters = {**connect.parameters, "call_token": token}
    return replace(connect, token=token, parameters=parameters)
