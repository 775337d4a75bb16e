"""Calls through a real TURN server, where the direct path is blocked on one side."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from uuid import UUID, uuid4

import pytest

from contracts.call_plan import PlannedParticipant
from contracts.ice_servers import TURN_CREDENTIALS_SECONDS, IceServer, ice_servers
from contracts.ice_settings import IceSettings
from runtime.media import local_room
from runtime.media.local_room import LocalRoom
from runtime.media.network.media_network import MediaNetwork
from runtime.media.network.remote_candidates import RemoteAddresses
from runtime.media.network.sdp_offer import ANY_ADDRESS
from runtime.media.room import LegConnected
from switchboard_client.errors import ConnectionFailed
from switchboard_client.webrtc.connection import MediaConnection, ReceivedFrame
from switchboard_client.webrtc.frame import FRAME_SAMPLES, Samples
from switchboard_client.webrtc.whip import IceServer as ClientIceServer
from switchboard_client.webrtc.whip import WhipSession
from tests.runtime.media.loopback_peer import tone, tone_level
from tests.stand_ins.turn_server import SECRET, TurnServer, turn_server

CALL = UUID(int=7)
AGENT_HZ, CALLER_HZ = 2_000, 450


@pytest.fixture(scope="module")
def turn(
    require_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TurnServer]:
    with turn_server(require_program("turnserver"), tmp_path_factory.mktemp("turn")) as server:
        yield server


class Tone:
    def next_frame(self, sent_at: float) -> Samples:
        return tone(CALLER_HZ, 48_000, FRAME_SAMPLES / 48_000)


class RoomItself(WhipSession):
    """Signalling without a network."""

    def __init__(self, room: LocalRoom) -> None:
        self._room = room
        self._participant = PlannedParticipant(
            participant_id=uuid4(), transport="webrtc", identity="caller"
        )

    async def exchange(self, offer_sdp: str) -> str:
        return await self._room.answer_offer(self._participant, offer_sdp)


def audible(frame: ReceivedFrame) -> bool:
    return tone_level(frame.samples, AGENT_HZ, 48_000) > 1_000


def minted(turn: TurnServer, now_seconds: float) -> tuple[IceServer, ...]:
    settings = IceSettings(ice_servers=(turn.url,), turn_secret=SECRET)
    return ice_servers(settings, CALL, now_seconds)


def for_client(servers: tuple[IceServer, ...]) -> tuple[ClientIceServer, ...]:
    return tuple(ClientIceServer(each.urls, each.username, each.credential) for each in servers)


@pytest.mark.parametrize("relayed", ["caller", "worker", "both"])
async def test_both_hear_each_other_through_the_relay_alone(
    turn: TurnServer, relayed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = minted(turn, time.time())
    if relayed != "caller":
        monkeypatch.setattr(local_room, "local_ice_addresses", lambda _: [])
        # A worker without an address of its own talks to no loopback, where the test's relay is.
        monkeypatch.setattr(RemoteAddresses, "of", lambda *_: ANY_ADDRESS)
    room = LocalRoom("test", MediaNetwork(ice_servers=servers if relayed != "caller" else ()))
    heard: list[ReceivedFrame] = []
    caller = MediaConnection(
        Tone(),
        for_client(servers) if relayed != "worker" else (),
        heard.append,
        None,
        relay_only=relayed != "worker",
    )
    try:
        await caller.open(RoomItself(room), 10.0)
        async with asyncio.timeout(10):
            assert isinstance(await anext(room.events()), LegConnected)
            while tone_level(await anext(room.listen()), CALLER_HZ, 16_000) < 1_000:
                pass
            room.voice.push(tone(AGENT_HZ, 24_000, 5.0))
            async with asyncio.timeout(5):
                while not any(audible(each) for each in heard):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
    finally:
        await caller.close()
        await room.aclose()


async def test_credentials_of_a_call_that_was_over_long_ago_are_refused(turn: TurnServer) -> None:
    room = LocalRoom("test")
    expired = minted(turn, time.time() - TURN_CREDENTIALS_SECONDS - 60)
    caller = MediaConnection(Tone(), for_client(expired), lambda _: None, None, relay_only=True)
    try:
        with pytest.raises(ConnectionFailed):
            await caller.open(RoomItself(room), 1.0)
    finally:
        await caller.close()
        await room.aclose()
