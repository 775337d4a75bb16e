"""A leg may be a participant of a room on a LiveKit server: nothing else has to change for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from uuid import UUID, uuid4

import aiohttp
import numpy as np
import pytest
from livekit import api, rtc

from runtime.media.leg import Leg
from runtime.media.local_room import LocalRoom
from runtime.media.room import LegConnected, LegGone, Samples
from switchboard.services.ports import free_port
from tests.runtime.media.livekit_leg import LiveKitLeg
from tests.runtime.media.loopback_peer import tone, tone_level
from tests.runtime.until import until

KEY, SECRET = "key", "a secret of at least thirty-two characters"
AGENT_HZ, FIRST_HZ, SECOND_HZ = 500, 900, 1_300
HZ, WINDOW = 48_000, 9_600
LOUD, QUIET = 2_000, 300


class Server:
    def __init__(self, port: int) -> None:
        self.url = f"ws://127.0.0.1:{port}"
        self.api = api.LiveKitAPI(self.url.replace("ws", "http"), KEY, SECRET)

    def token(self, identity: str, room: str) -> str:
        grants = api.VideoGrants(room_join=True, room=room)
        return api.AccessToken(KEY, SECRET).with_identity(identity).with_grants(grants).to_jwt()

    async def leg(self, identity: str) -> Leg:
        async def remove() -> None:
            request = api.RoomParticipantIdentity(room=identity, identity=identity)
            await self.api.room.remove_participant(request)

        leg = LiveKitLeg(uuid4(), rtc.Room(), identity, remove)
        await leg.open(self.url, self.token("switchboard", room=identity))
        return leg


class Person:
    """Somebody in the LiveKit room with any client, who says one tone."""

    def __init__(self, hz: float) -> None:
        self.room = rtc.Room()
        self.heard: Samples = np.zeros(0, np.int16)
        self.is_out = asyncio.Event()
        self._source = rtc.AudioSource(HZ, 1)
        self._said = tone(hz, HZ, 1.0).reshape(-1, 960)
        self._tasks: list[asyncio.Task[None]] = []
        self.room.on("disconnected", lambda _: self.is_out.set())
        self.room.on("track_subscribed", lambda track, *_: self._spawn(self._hear(track)))

    async def join(self, server: Server, identity: str) -> None:
        await self.room.connect(server.url, server.token(identity, room=identity))
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        track = rtc.LocalAudioTrack.create_audio_track("voice", self._source)
        await self.room.local_participant.publish_track(track, options)
        self._spawn(self._talk())

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.room.disconnect()
        await self._source.aclose()

    def level(self, hz: float) -> float:
        return tone_level(self.heard[-WINDOW:], hz, HZ) if self.heard.size >= WINDOW else 0.0

    def _spawn(self, work: object) -> None:
        self._tasks.append(asyncio.create_task(work))  # type: ignore[arg-type]

    async def _talk(self) -> None:
        while True:
            for samples in self._said:
                frame = rtc.AudioFrame(samples.tobytes(), HZ, 1, samples.size)
                await self._source.capture_frame(frame)

    async def _hear(self, track: rtc.Track) -> None:
        async for event in rtc.AudioStream(track, sample_rate=HZ, frame_size_ms=20):
            samples = np.frombuffer(event.frame.data, np.int16)
            self.heard = np.concatenate([self.heard, samples])[-WINDOW:]


@pytest.fixture
async def server(require_program: Callable[..., str]) -> AsyncIterator[Server]:
    program = require_program(os.environ.get("SWITCHBOARD_LIVEKIT_SERVER", "livekit-server"))
    port = free_port()
    config = (
        f"port: {port}\nbind_addresses: [127.0.0.1]\nkeys: {{{KEY}: {SECRET}}}\n"
        f"rtc: {{udp_port: {free_port()}, tcp_port: {free_port()}, node_ip: 127.0.0.1, "
        "enable_loopback_candidate: true}\nlogging: {level: error}\n"
    )
    process = await asyncio.create_subprocess_exec(program, "--config-body", config)
    made = Server(port)
    try:
        await until(lambda: _answers(port))
        yield made
    finally:
        await made.api.aclose()
        process.kill()
        await process.wait()


async def _answers(port: int) -> bool:
    try:
        async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}"):
            return True
    except aiohttp.ClientError:
        return False


async def test_participants_of_a_livekit_room_are_legs_like_any_other(server: Server) -> None:
    room, first, second = LocalRoom("call-1"), Person(FIRST_HZ), Person(SECOND_HZ)
    legs: dict[str, UUID] = {}
    try:
        for identity, person in (("first", first), ("second", second)):
            leg = await server.leg(identity)
            legs[identity] = leg.participant_id
            await room.add_leg(leg)
            await person.join(server, identity)
        connected = {await anext(room.events()) for _ in legs}
        assert connected == {LegConnected(each) for each in legs.values()}

        room.voice.push(tone(AGENT_HZ, 24_000, 60.0))
        await until(lambda: min(first.level(AGENT_HZ), second.level(AGENT_HZ)) > LOUD)
        await until(lambda: second.level(FIRST_HZ) > LOUD)
        assert first.level(FIRST_HZ) < QUIET, "nobody hears themselves"

        room.mute(legs["first"], muted=True)
        await until(lambda: second.level(FIRST_HZ) < QUIET < LOUD < second.level(AGENT_HZ))
        room.voice.clear()
        await until(lambda: max(first.level(AGENT_HZ), second.level(AGENT_HZ)) < QUIET, 1.5)

        await room.remove_leg(legs["first"])
        assert await anext(room.events()) == LegGone(legs["first"], "left")
        await asyncio.wait_for(first.is_out.wait(), 10)
        assert not second.is_out.is_set(), "the others stay"
        await second.aclose()
        assert await anext(room.events()) == LegGone(legs["second"], "left")
    finally:
        await room.aclose()
        for person in (first, second):
            await person.aclose()
