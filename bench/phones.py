"""What a bridge adds to the sound of phones: latency of each 20 ms frame, and processor time.

    python -m bench.phones [--legs 25 50 100 150] [--runs 3] [--seconds 10]

The bridge is a process of its own on one core. On another core, this process is the carrier of all
legs, which speaks Twilio's wire, and the media worker, which sends each frame back as soon as it
comes. Latency runs from one end giving a frame to its socket until the other end has read it.
"Lost" are frames that never came: a bridge drops what would be heard late.

Latencies count what waits on the core of the two ends, too. The rows "none" show how much that is:
the carrier speaks with the worker, and no bridge is between them.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from cryptography.fernet import Fernet
from redis.asyncio import Redis
from rich.console import Console
from rich.table import Table

from bench.phone_ends import BareEnd, Direction, TwilioEnd, WorkerEnd
from bench.processor_time import pin, used_seconds
from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount, media_url
from contracts.heartbeat import WorkerHeartbeat
from contracts.phone_media import FRAME_MS
from contracts.sealing import Sealer
from switchboard.services.embedded_server import running
from switchboard.services.ports import free_port
from switchboard.services.valkey import ValkeyServer
from telephony_bridge.tickets import LegTicket, Tickets
from tests.short_directory import short_directory
from tests.stand_ins.carriers.faults import Faults
from tests.stand_ins.carriers.line import Line
from tests.stand_ins.carriers.phone import Phone
from tests.stand_ins.carriers.twilio import TwilioWire
from tests.stand_ins.carriers.wire import Connect

LOOPBACK = "127.0.0.1"
WORKER_ID = "worker-of-the-bench"
ACCOUNT_SID, AUTH_TOKEN = "AC00000000000000000000000000000001", "12345"
PERSON, OUR_NUMBER = "+14155550142", "+14155550100"
WARM_UP_SECONDS = 2.0
LAST_FRAMES_SECONDS = 1.0
PATIENCE_SECONDS = 20.0
COLUMNS = (
    *("legs", "bridge", "to worker", "p99", "to carrier", "p99"),
    *("lost", "bridge core", "ends core"),
)

Leg = TwilioEnd | BareEnd


@dataclass(frozen=True)
class Run:
    to_worker: Direction
    to_carrier: Direction
    bridge_share: float
    """Of its core."""
    ends_share: float

    @property
    def lost_share(self) -> float:
        both = (self.to_worker, self.to_carrier)
        arrived = sum(len(each.latencies_ns) for each in both)
        return 1 - arrived / sum(each.sent_frames for each in both)


@dataclass(frozen=True)
class BridgeProcess:
    pid: int
    url: str
    account_id: UUID


@asynccontextmanager
async def bridge_on(core: int, redis_url: str, redis: Redis) -> AsyncIterator[BridgeProcess]:
    """A bridge that listens, with an account at Twilio."""
    key, account_id, port = Fernet.generate_key().decode(), uuid4(), free_port()
    credentials = {"account_sid": ACCOUNT_SID, "auth_token": AUTH_TOKEN}
    account = CarrierAccount(
        account_id=account_id,
        revision=1,
        provider="twilio",
        tenant_id=None,
        sealed_credentials=Sealer([key]).seal(json.dumps(credentials)),
    )
    await redis.hset(redis_names.CARRIER_ACCOUNTS, str(account_id), account.model_dump_json())
    url = f"http://{LOOPBACK}:{port}"
    environment = {
        **os.environ,
        "SWITCHBOARD_REDIS_URL": redis_url,
        "SWITCHBOARD_BRIDGE_PUBLIC_URL": url,
        "SWITCHBOARD_BRIDGE_PORT": str(port),
        "SWITCHBOARD_BRIDGE_ACCOUNT_KEY": key,
        "SWITCHBOARD_DRAIN_TIMEOUT_SECONDS": "0",
        "SWITCHBOARD_LOG_LEVEL": "error",
    }
    command = ("-m", "switchboard", "bridge")
    process = await asyncio.create_subprocess_exec(sys.executable, *command, env=environment)
    try:
        await _until_listening(port, process)
        pin([process.pid], {core})
        yield BridgeProcess(process.pid, url, account_id)
    finally:
        process.terminate()
        await process.wait()


async def _until_listening(port: int, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection(LOOPBACK, port)
            except OSError:
                if process.returncode is not None:
                    raise RuntimeError("the bridge has ended") from None
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


@asynccontextmanager
async def worker_of(
    redis: Redis, to_worker: Direction, to_carrier: Direction
) -> AsyncIterator[int]:
    """The worker's port, which bridges find in Redis."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: WorkerEnd(to_worker, to_carrier), LOOPBACK, 0)
    port: int = server.sockets[0].getsockname()[1]
    heartbeat = WorkerHeartbeat(
        worker_id=WORKER_ID,
        sent_at=datetime.now(UTC),
        state="ready",
        slots_total=1,
        slots_used=1,
        media_address=f"ws://{LOOPBACK}:{port}",
    )
    await redis.set(redis_names.worker_heartbeat(WORKER_ID), heartbeat.model_dump_json())
    await redis.set(redis_names.worker_media_secret(WORKER_ID), "secret of the bench")
    try:
        yield port
    finally:
        server.close()


async def open_at_bridge(leg: TwilioEnd, redis: Redis, bridge: BridgeProcess) -> None:
    """As an inbound leg whose call was admitted, and claimed by the worker."""
    call_id, call_sid = uuid4(), f"CA{uuid4().hex}"
    await redis.set(redis_names.call_lease(call_id), WORKER_ID)
    ticket = LegTicket(
        call_id=call_id,
        tenant_id=uuid4(),
        participant_id=uuid4(),
        attempt_id=uuid4(),
        account_id=bridge.account_id,
        carrier="twilio",
        carrier_call_id=call_sid,
        direction="inbound",
        from_number=PERSON,
        to_number=OUR_NUMBER,
    )
    token = await Tickets(redis).issue(ticket)
    assert token is not None, "the call is new"
    wire = TwilioWire(ACCOUNT_SID, AUTH_TOKEN)
    connect = Connect(
        media_url(bridge.url, "twilio", bridge.account_id), token, {"call_token": token}
    )
    await _connect(leg, connect.url, wire.socket_headers(connect, Faults()))
    line = Line(call_sid, "inbound", PERSON, OUR_NUMBER, Phone(), "", "")
    for message in wire.opening(line, connect):
        leg.send_text(str(message).encode())


async def _connect(leg: Leg, url: str, headers: dict[str, str]) -> None:
    port = urlsplit(url).port
    assert port is not None
    await asyncio.get_running_loop().create_connection(lambda: leg, LOOPBACK, port)
    leg.ask(url, headers)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await leg.opened


async def converse(
    legs: Sequence[Leg], both: tuple[Direction, Direction], bridge_pid: int | None, seconds: float
) -> Run:
    """Every leg speaks each 20 ms, at moments of its own."""
    loop = asyncio.get_running_loop()
    moments = random.Random(len(legs))
    is_over = False

    def speak(leg: Leg, at: float) -> None:
        if not is_over:
            leg.speak()
            loop.call_at(at + FRAME_MS / 1000, speak, leg, at + FRAME_MS / 1000)

    for leg in legs:
        at = loop.time() + moments.random() * FRAME_MS / 1000
        loop.call_at(at, speak, leg, at)
    await asyncio.sleep(WARM_UP_SECONDS)
    pids = [pid for pid in (bridge_pid, os.getpid()) if pid is not None]
    before = [used_seconds([pid]) for pid in pids]
    for direction in both:
        direction.is_on = True
    await asyncio.sleep(seconds)
    for direction in both:
        direction.is_on = False
    used = [used_seconds([pid]) - was for pid, was in zip(pids, before, strict=True)]
    await asyncio.sleep(LAST_FRAMES_SECONDS)
    is_over = True
    bridge_share = used[0] / seconds if bridge_pid is not None else 0.0
    return Run(*both, bridge_share, used[-1] / seconds)


async def measure(redis_url: str, legs: int, seconds: float, bridge_core: int | None) -> Run:
    """Without a core there is no bridge."""
    both = to_worker, to_carrier = Direction(), Direction()
    async with (
        Redis.from_url(redis_url, decode_responses=True) as redis,
        worker_of(redis, to_worker, to_carrier) as worker_port,
    ):
        if bridge_core is None:
            bare = [BareEnd(to_worker, to_carrier) for _ in range(legs)]
            for each in bare:
                await _connect(each, f"ws://{LOOPBACK}:{worker_port}/", BareEnd.headers)
            return await converse(bare, both, None, seconds)
        async with bridge_on(bridge_core, redis_url, redis) as bridge:
            lines = [TwilioEnd(to_worker, to_carrier) for _ in range(legs)]
            for line in lines:
                await open_at_bridge(line, redis, bridge)
            run = await converse(lines, both, bridge.pid, seconds)
            for line in lines:
                line.send_text(b'{"event":"stop"}')
            for line in lines:
                await line.closed.wait()
            return run


def row(runs: Sequence[Run]) -> list[str]:
    return [
        *_latencies([run.to_worker for run in runs]),
        *_latencies([run.to_carrier for run in runs]),
        f"{statistics.median(run.lost_share for run in runs):.2%}",
        f"{statistics.median(run.bridge_share for run in runs):.0%}",
        f"{statistics.median(run.ends_share for run in runs):.0%}",
    ]


def _latencies(directions: Sequence[Direction]) -> list[str]:
    """The medians of the runs' p50 and p99."""
    cuts = [statistics.quantiles(each.latencies_ns, n=100) for each in directions]
    return [
        f"{statistics.median(run_cuts[place] for run_cuts in cuts) / 1e6:.1f}" for place in (49, 98)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--legs", type=int, nargs="+", default=[25, 50, 100, 150])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    bridge_core, own_core = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, {own_core})
    gc.freeze()
    gc.disable()
    table = Table(
        title=f"p50 and p99 in ms; medians of {options.runs} runs of {options.seconds:.0f} s"
    )
    for column in COLUMNS:
        table.add_column(column, justify="right")
    with short_directory("switchboard-bench-") as directory:
        server = ValkeyServer(directory / "valkey")
        with running(server, directory / "valkey.log") as redis_url:
            for legs in options.legs:
                for with_bridge in (False, True):
                    core = bridge_core if with_bridge else None
                    runs = [
                        asyncio.run(measure(redis_url, legs, options.seconds, core))
                        for _ in range(options.runs)
                    ]
                    table.add_row(str(legs), "one" if with_bridge else "none", *row(runs))
    Console().print(table)


if __name__ == "__main__":
    main()
