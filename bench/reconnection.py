"""What a caller notices of a failing network and of a relay, and what of it is metered.

A room and the Python client's leg in one process, over this machine's network. ``--turn`` adds the
relay: the path of coturn's program, ``turnserver``.

    python -m bench.reconnection [--runs 3] [--turn /usr/bin/turnserver]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np
from rich.console import Console
from rich.table import Table

from contracts.call_plan import PlannedParticipant
from contracts.ice_servers import ice_servers
from contracts.ice_settings import IceSettings
from runtime.media.local_room import LocalRoom
from runtime.media.network.media_network import MediaNetwork
from runtime.media.room import ENGINE_OUTPUT_HZ, LegConnected, LegInterrupted
from switchboard_client.errors import ServerUnreachable
from switchboard_client.webrtc import leg as leg_module
from switchboard_client.webrtc.connection import MediaConnection
from switchboard_client.webrtc.frame import Samples, silence
from switchboard_client.webrtc.leg import CallLeg
from switchboard_client.webrtc.whip import IceServer, WhipSession
from tests.stand_ins.turn_server import SECRET, TurnServer, turn_server

AUDIBLE = 1_000


class Silence:
    def next_frame(self, sent_at: float) -> Samples:
        return silence()


class Network:
    """Between the caller and the room. ``cut`` ends the paths that exist, ``is_up`` stops all."""

    def __init__(self, room: LocalRoom, servers: tuple[IceServer, ...]) -> None:
        self.is_up = True
        self._room = room
        self._servers = servers
        self._connections: list[MediaConnection] = []
        self._cut: set[MediaConnection] = set()
        self._participant = PlannedParticipant(
            participant_id=uuid4(), transport="webrtc", identity="caller"
        )

    def cut(self) -> None:
        self._cut.update(self._connections)

    def connection(self, *arguments: object, **named: object) -> MediaConnection:
        made = MediaConnection(*arguments, **named)  # type: ignore[arg-type]
        self._connections.append(made)
        return made

    def signalling(self, url: str, token: str) -> WhipSession:
        network = self

        class InProcess(WhipSession):
            async def ice_servers(self) -> tuple[IceServer, ...]:
                return network._servers

            async def exchange(self, offer_sdp: str) -> str:
                if not network.is_up:
                    raise ServerUnreachable(url, "the network is down")
                network._watch(network._connections[-1])
                return await network._room.answer_offer(network._participant, offer_sdp)

        return InProcess(url, token)

    def _watch(self, connection: MediaConnection) -> None:
        gatherer = connection._peer.getTransceivers()[0].receiver.transport.transport.iceGatherer
        for protocol in gatherer._connection._protocols:
            send_data, send_stun = protocol.send_data, protocol.send_stun
            received = protocol.datagram_received

            def passes() -> bool:
                return self.is_up and connection not in self._cut

            async def send(data: bytes, address: object, *, now=send_data) -> None:  # type: ignore[no-untyped-def]
                if passes():
                    await now(data, address)

            protocol.send_data = send
            protocol.send_stun = lambda message, address, now=send_stun: (
                now(message, address) if passes() else None
            )
            protocol.datagram_received = lambda data, address, now=received: (
                now(data, address) if passes() else None
            )


@dataclass
class Call:
    room: LocalRoom
    leg: CallLeg
    network: Network
    set_up_seconds: float
    heard: list[float]
    """When each frame came to the caller."""
    audible: list[float]
    """When each frame came in which the agent could be heard."""
    away: list[tuple[float, float]]
    """From when to when the meter held."""


@asynccontextmanager
async def connected(turn: TurnServer | None) -> AsyncIterator[Call]:
    """With ``turn``, only through it."""
    settings = IceSettings(ice_servers=(turn.url,) if turn else (), turn_secret=SECRET)
    minted = ice_servers(settings, uuid4(), time.time())
    room = LocalRoom("bench", MediaNetwork())
    network = Network(
        room, tuple(IceServer(each.urls, each.username, each.credential) for each in minted)
    )
    leg_module.MediaConnection = network.connection  # type: ignore[assignment,misc]
    leg_module.WhipSession = network.signalling  # type: ignore[assignment,misc]
    leg = CallLeg(Silence(), relay_only=turn is not None)
    call = Call(room, leg, network, 0.0, [], [], [])

    async def listen() -> None:
        async for frame in leg.listen():
            call.heard.append(frame.received_at)
            if np.abs(frame.samples).max() > AUDIBLE:
                call.audible.append(frame.received_at)

    async def follow() -> None:
        since: float | None = None
        async for event in room.events():
            match event:
                case LegInterrupted(silent_seconds=silent_seconds):
                    since = time.monotonic() - silent_seconds
                case LegConnected() if since is not None:
                    call.away.append((since, time.monotonic()))
                    since = None

    began_at = time.monotonic()
    await leg.connect("http://room", "token")
    call.set_up_seconds = time.monotonic() - began_at
    tasks = [asyncio.create_task(listen()), asyncio.create_task(follow())]
    try:
        await asyncio.sleep(1.0)
        yield call
    finally:
        for task in tasks:
            task.cancel()
        await leg.leave()
        await room.aclose()


@dataclass
class Gap:
    silent_seconds: float
    """From the caller's last frame before to the first one after."""
    unmetered_seconds: float


async def gap(down_seconds: float | None) -> Gap:
    """The network is down for so long; ``None``: it has changed the caller's address."""
    async with connected(None) as call:
        lost_at = time.monotonic()
        if down_seconds is None:
            call.network.cut()
        else:
            call.network.is_up = False
            await asyncio.sleep(down_seconds)
            call.network.is_up = True
        async with asyncio.timeout(20):
            while not call.away or call.heard[-1] < call.away[-1][1]:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        before = max(each for each in call.heard if each <= lost_at + 0.1)
        after = min(each for each in call.heard if each > lost_at + 0.5)
        ((since, until),) = call.away
        return Gap(after - before, until - since)


async def delays(turn: TurnServer | None) -> tuple[float, float]:
    """Seconds to connect, and from the agent's first sample to the caller's ear."""
    async with connected(turn) as call:
        pushed_at = time.monotonic()
        call.room.voice.push(np.full(ENGINE_OUTPUT_HZ // 2, 6 * AUDIBLE, np.int16))
        call.room.voice.push(-np.full(ENGINE_OUTPUT_HZ // 2, 6 * AUDIBLE, np.int16))
        async with asyncio.timeout(5):
            while not call.audible:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        return call.set_up_seconds, call.audible[0] - pushed_at


async def run(runs: int, program: str | None) -> None:
    console = Console()
    gaps = Table("what happens", "caller hears nothing, s", "not metered, s")
    for name, down_seconds in (
        ("the caller's address changes", None),
        ("nothing passes for 3 s", 3.0),
        ("nothing passes for 10 s", 10.0),
    ):
        found = [await gap(down_seconds) for _ in range(runs)]
        gaps.add_row(
            name,
            _span([each.silent_seconds for each in found]),
            _span([each.unmetered_seconds for each in found]),
        )
    console.print(gaps)
    paths = Table("path", "connected after, ms", "agent to ear, ms")
    with tempfile.TemporaryDirectory() as directory:
        relay = turn_server(program, Path(directory)) if program else nullcontext()
        with relay as turn:
            for name, through in (("direct", None), ("relay only", turn)):
                if name == "direct" or through is not None:
                    found_delays = [await delays(through) for _ in range(runs)]
                    paths.add_row(
                        name,
                        f"{statistics.median(each[0] for each in found_delays) * 1000:.0f}",
                        f"{statistics.median(each[1] for each in found_delays) * 1000:.0f}",
                    )
    console.print(paths)


def _span(seconds: list[float]) -> str:
    return f"{min(seconds):.1f} to {max(seconds):.1f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--turn")
    arguments = parser.parse_args()
    asyncio.run(run(arguments.runs, arguments.turn))
