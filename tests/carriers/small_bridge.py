"""The least that connects our adapters to a carrier: what a bridge does, without calls or Redis."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from aiohttp import WSMsgType, web

from carriers.account import AnyCredentials
from carriers.answers import Answer, Refusal, StreamOffer
from carriers.api import CarrierApi, WebhookAddresses
from carriers.call_events import CallArrived, CallEvent, PlaybackEnded, StageReached
from carriers.dialect import (
    FRAME_MS,
    Audio,
    Dtmf,
    Encoding,
    Flush,
    Incoming,
    Marker,
    MarkerPlayed,
    Started,
    Stopped,
)
from carriers.registry import carrier_of
from carriers.replay_guard import ReplayGuard
from carriers.signed_request import CarrierRequest, Repeat, SignatureFault, SignatureRefused
from contracts.dialing import LegStage
from tests.stand_ins.carriers.sound import (
    PHONE_HZ,
    Samples,
    doubled,
    from_mulaw,
    halved,
    to_mulaw,
)

PUBLIC = "https://phones.example"
REPLAYED = 409
"""Also for sockets: of a token that was used, or is not ours."""
CLOSED_FOREIGN = 4403
"""The same, where the token comes only over the socket."""
AHEAD_MS = 160


@dataclass
class Speech:
    """What the bridge says into each call, and drops when it hears a key."""

    samples: Samples
    flushes_on_key: bool = False


@dataclass
class Heard:
    """One media stream, from our side. Sound is at ``PHONE_HZ``."""

    started: Started | None = None
    events: list[Incoming] = field(default_factory=list)
    """All but sound."""
    sound: list[Samples] = field(default_factory=list)
    timestamps_ms: list[int] = field(default_factory=list)
    unreadable: int = 0

    @property
    def samples(self) -> Samples:
        return np.concatenate(self.sound) if self.sound else np.zeros(0, np.int16)

    @property
    def digits(self) -> str:
        return "".join(event.digit for event in self.events if isinstance(event, Dtmf))


class SmallBridge:
    def __init__(self, credentials: AnyCredentials, speech: Speech) -> None:
        self.spec = carrier_of(credentials.provider)
        self._signatures = self.spec.signatures(credentials)
        self._guard = ReplayGuard(1000)
        self._speech = speech
        self.api: CarrierApi | None = None
        self.arrivals: dict[str, Answer] = {}
        """The answer to each inbound call, which is given again when it is asked for again."""
        self.refusal: Refusal | None = None
        self.plays: str | None = None
        self.connects_to: str | None = None
        self.tokens: set[str] = set()
        self.events: list[CallEvent] = []
        self.faults: list[SignatureFault] = []
        self.replays = 0
        self.duplicates = 0
        self.streams: list[Heard] = []
        self.address = ""
        self._changed = asyncio.Event()

    @property
    def webhooks(self) -> WebhookAddresses:
        return WebhookAddresses(f"{PUBLIC}/voice", f"{PUBLIC}/status", "Switchboard phones.example")

    @property
    def reach(self) -> dict[str, str]:
        """For the stand-in carrier."""
        http = self.address
        return {PUBLIC: http, PUBLIC.replace("https", "wss"): http.replace("http", "ws")}

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[SmallBridge]:
        app = web.Application()
        app.router.add_post("/voice", self._webhook)
        app.router.add_post("/status", self._webhook)
        app.router.add_post("/transfer", self._transfer)
        app.router.add_get("/media", self._media)
        app.router.add_get("/sorry.wav", self._sorry)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            await runner.cleanup()

    async def until(self, condition: Any, within_seconds: float = 30.0) -> None:
        async with asyncio.timeout(within_seconds):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    def stages(self) -> list[LegStage]:
        return [event.stage for event in self.events if isinstance(event, StageReached)]

    async def _webhook(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        carried = CarrierRequest("POST", PUBLIC + request.raw_path, headers, body)
        try:
            proof = self._signatures.check_webhook(carried, time.time())
        except SignatureRefused as refused:
            self.faults.append(refused.fault)
            self._changed.set()
            return web.Response(status=self.spec.refused_status)
        is_new = self._guard.is_first(proof.once_key, proof.remember_seconds, time.monotonic())
        if not is_new and proof.repeat is Repeat.REPLAY:
            self.replays += 1
            self._changed.set()
            return web.Response(status=REPLAYED)
        if not is_new:
            self.duplicates += 1
        answer = self.spec.answers.acknowledge()
        for event in self.spec.read_events(carried):
            if is_new:
                self.events.append(event)
            answer = self._answer(event, request.path) or answer
        self._changed.set()
        if answer.commands and is_new:
            assert self.api is not None
            task = asyncio.create_task(self.api.run(answer.commands))
            task.add_done_callback(lambda done: done.result())
        return web.Response(
            status=answer.status,
            text=answer.body,
            headers={"Content-Type": answer.content_type},
        )

    def _answer(self, event: CallEvent, path: str) -> Answer | None:
        answers = self.spec.answers
        match event:
            case CallArrived(call_id):
                if call_id not in self.arrivals:
                    self.arrivals[call_id] = self._first_answer(event)
                return self.arrivals[call_id]
            case StageReached(call_id, LegStage.ANSWERED) if path == "/voice":
                # Of an inbound call, Telnyx only confirms what was commanded.
                if call_id not in self.arrivals:
                    self.arrivals[call_id] = self._stream(call_id, is_answered=True)
                    return self.arrivals[call_id]
            case PlaybackEnded(call_id):
                return answers.hang_up(call_id)
        return None

    def _first_answer(self, call: CallArrived) -> Answer:
        answers = self.spec.answers
        if self.refusal is not None:
            return answers.refuse(call.call_id, self.refusal)
        if self.plays is not None:
            return answers.play_and_hang_up(call.call_id, self.plays)
        if self.connects_to is not None:
            return answers.connect_phone(call.call_id, self.connects_to, call.to_number)
        return self._stream(call.call_id, is_answered=False)

    def _stream(self, call_id: str, *, is_answered: bool) -> Answer:
        token = secrets.token_hex(16)
        self.tokens.add(token)
        media_url = f"{PUBLIC.replace('https', 'wss')}/media"
        return self.spec.answers.connect_stream(
            StreamOffer(call_id, media_url, token, f"{PUBLIC}/status", is_answered)
        )

    async def _transfer(self, request: web.Request) -> web.Response:
        answer = self.spec.answers.connect_phone("", "+14155550177", "+14155550199")
        return web.Response(text=answer.body, headers={"Content-Type": answer.content_type})

    async def _sorry(self, request: web.Request) -> web.Response:
        return web.Response(body=b"RIFF a recorded sentence", content_type="audio/wav")

    async def _media(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        url = PUBLIC.replace("https", "wss") + request.raw_path
        try:
            proof = self._signatures.check_upgrade(CarrierRequest("GET", url, headers), time.time())
        except SignatureRefused as refused:
            self.faults.append(refused.fault)
            return web.Response(status=403)
        if proof.once_key and not self._guard.is_first(
            proof.once_key, proof.remember_seconds, time.monotonic()
        ):
            self.replays += 1
            return web.Response(status=REPLAYED)
        if proof.token is not None and not self._take_token(proof.token):
            return web.Response(status=REPLAYED)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await self._carry(socket, token_is_proved=proof.token is not None)
        return socket

    def _take_token(self, token: str | None) -> bool:
        if token not in self.tokens:
            self.replays += 1
            self._changed.set()
            return False
        self.tokens.remove(token)
        return True

    async def _carry(self, socket: web.WebSocketResponse, *, token_is_proved: bool) -> None:
        stream = self.spec.media_stream()
        heard = Heard()
        talking: asyncio.Task[None] | None = None
        async for message in socket:
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                break
            for event in stream.receive(message.data):
                match event:
                    case Started():
                        if not token_is_proved and not self._take_token(event.token):
                            await socket.close(code=CLOSED_FOREIGN)
                            return
                        heard.started = event
                        self.streams.append(heard)
                        talking = asyncio.create_task(self._talk(socket, stream))
                    case Audio():
                        heard.sound.append(_samples(event, heard))
                        heard.timestamps_ms.append(event.timestamp_ms)
                    case Dtmf() if self._speech.flushes_on_key and talking is not None:
                        talking.cancel()
                        for sent in stream.send(Flush()):
                            await _send(socket, sent)
                if not isinstance(event, Audio):
                    heard.events.append(event)
            heard.unreadable = stream.unreadable_messages
            self._changed.set()
            if heard.events and isinstance(heard.events[-1], Stopped):
                break
        heard.events += stream.closed()
        self._changed.set()
        if talking is not None:
            talking.cancel()
        await socket.close()

    async def _talk(self, socket: web.WebSocketResponse, stream: Any) -> None:
        """Paced, so that the carrier never holds more than ``AHEAD_MS``."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        size = PHONE_HZ * FRAME_MS // 1000
        outgoing = self.streams[-1].started
        assert outgoing is not None
        for number, start in enumerate(range(0, self._speech.samples.size, size)):
            frame = self._speech.samples[start : start + size]
            for sent in stream.send(Audio(_payload(frame, outgoing))):
                await _send(socket, sent)
            ahead_ms = number * FRAME_MS - (loop.time() - began) * 1000
            if ahead_ms > AHEAD_MS:
                await asyncio.sleep((ahead_ms - AHEAD_MS) / 1000)
        for sent in stream.send(Marker("said")):
            await _send(socket, sent)


def marker_was_played(heard: Heard) -> bool:
    return MarkerPlayed("said") in heard.events


def _samples(audio: Audio, heard: Heard) -> Samples:
    assert heard.started is not None
    incoming = heard.started.incoming
    if incoming.encoding is Encoding.MULAW:
        return from_mulaw(audio.payload)
    samples = np.frombuffer(audio.payload, "<i2")
    return samples if incoming.sample_rate == PHONE_HZ else halved(samples)


def _payload(samples: Samples, started: Started) -> bytes:
    outgoing = started.outgoing
    if outgoing.encoding is Encoding.MULAW:
        return to_mulaw(samples)
    return (samples if outgoing.sample_rate == PHONE_HZ else doubled(samples)).tobytes()


async def _send(socket: web.WebSocketResponse, message: str | bytes) -> None:
    with contextlib.suppress(ConnectionError):
        if isinstance(message, bytes):
            await socket.send_bytes(message)
        else:
            await socket.send_str(message)
