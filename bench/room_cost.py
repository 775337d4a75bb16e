"""What a WebRTC leg costs: CPU while it is connected, and time from offer to connected.

The room runs in this process, the peers in another one, so that only the room's side is counted.

    python -m bench.room_cost [--legs 1 5 10 20] [--runs 3] [--seconds 5]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import statistics
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Literal
from uuid import UUID, uuid4

import numpy as np
from aiortc import RTCBundlePolicy, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from rich.console import Console
from rich.table import Table

from bench.babble import babble
from contracts.call_plan import PlannedParticipant
from contracts.live_messages import DATA_CHANNEL_LABEL
from runtime.media.audio.opus import SAMPLE_HZ, SAMPLES_PER_FRAME, OpusEncoder
from runtime.media.audio.outgoing_track import OutgoingTrack
from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_internals import gather_candidates, tap_packets
from runtime.media.network.ice_addresses import local_ice_addresses
from runtime.media.room import ENGINE_OUTPUT_HZ, LegConnected
from runtime.media.room_clock import MonotonicClock, ticks

Agent = Literal["silent", "speaking"]


@dataclass(frozen=True)
class Run:
    core_percent_per_leg: float
    answer_ms: list[float]
    connected_ms: list[float]


def peers_process(pipe: Connection) -> None:
    asyncio.run(_run_peers(pipe))


async def _run_peers(pipe: Connection) -> None:
    loop = asyncio.get_running_loop()
    speech = np.split(babble(SAMPLE_HZ, 2.0), 100)
    encoder = OpusEncoder()
    packets = [encoder.encode(frame) for frame in speech]
    peers: list[RTCPeerConnection] = []
    tracks: list[OutgoingTrack] = []

    async def speak() -> None:
        async for tick in ticks(MonotonicClock()):
            for place, track in enumerate(tracks):
                payload = packets[(tick.index + 37 * place) % len(packets)]
                track.send(payload, tick.index * SAMPLES_PER_FRAME)

    speaking = asyncio.create_task(speak())
    while (command := await loop.run_in_executor(None, pipe.recv)) != "stop":
        if command == "offer":
            configuration = RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
            peer, track = RTCPeerConnection(configuration), OutgoingTrack()
            peer.addTrack(track)
            peer.createDataChannel(DATA_CHANNEL_LABEL)
            tap_packets(peer.getTransceivers()[0].receiver, lambda _: None)
            await gather_candidates(peer, local_ice_addresses())
            await peer.setLocalDescription()
            peers.append(peer)
            tracks.append(track)
            pipe.send(peer.localDescription.sdp)
        else:
            await peers[-1].setRemoteDescription(RTCSessionDescription(command, "answer"))
    speaking.cancel()
    await asyncio.gather(*(peer.close() for peer in peers))


async def measure(legs: int, agent: Agent, seconds: float) -> Run:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=peers_process, args=(theirs,))
    process.start()
    loop = asyncio.get_running_loop()
    answer_ms, connected_ms = [], []
    rooms: list[LocalRoom] = []
    readers: list[asyncio.Task[None]] = []
    for _ in range(legs):
        ours.send("offer")
        offer = await loop.run_in_executor(None, ours.recv)
        room = LocalRoom("bench")
        offered_at = time.perf_counter()
        answer = await room.answer_offer(_participant(uuid4()), offer)
        answer_ms.append((time.perf_counter() - offered_at) * 1000)
        ours.send(answer)
        assert isinstance(await anext(room.events()), LegConnected)
        connected_ms.append((time.perf_counter() - offered_at) * 1000)
        if agent == "speaking":
            room.voice.push(babble(ENGINE_OUTPUT_HZ, seconds + 5))
        readers.append(asyncio.create_task(_read(room)))
        rooms.append(room)
    await asyncio.sleep(0.5)
    before = _cpu_seconds()
    await asyncio.sleep(seconds)
    used = _cpu_seconds() - before
    ours.send("stop")
    for room in rooms:
        await room.aclose()
    await asyncio.gather(*readers)
    await loop.run_in_executor(None, process.join)
    return Run(used / seconds / legs * 100, answer_ms, connected_ms)


async def _read(room: LocalRoom) -> None:
    async for _ in room.listen():
        pass


def _participant(participant_id: UUID) -> PlannedParticipant:
    return PlannedParticipant(participant_id=participant_id, transport="webrtc", identity="bench")


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legs", type=int, nargs="+", default=[1, 5, 10, 20])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    table = Table(title=f"one leg per room; medians of {arguments.runs} runs")
    for column in ("legs", "agent", "core % per leg", "offer→answer ms", "offer→connected ms"):
        table.add_column(column, justify="right")
    agents: tuple[Agent, ...] = ("silent", "speaking")
    for legs in arguments.legs:
        for agent in agents:
            runs = [
                asyncio.run(measure(legs, agent, arguments.seconds)) for _ in range(arguments.runs)
            ]
            table.add_row(
                str(legs),
                agent,
                f"{statistics.median(run.core_percent_per_leg for run in runs):.2f}",
                f"{statistics.median(ms for run in runs for ms in run.answer_ms):.1f}",
                f"{statistics.median(ms for run in runs for ms in run.connected_ms):.1f}",
            )
    Console().print(table)


if __name__ == "__main__":
    main()
