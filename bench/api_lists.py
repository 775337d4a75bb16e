"""What ``GET /v1/calls`` costs with a million calls in the tenant, beside a bare select.

The API runs on one core, PostgreSQL on another. Both servers are asked in turns, one request at a
time, so that whatever else the machine does falls on both. Processor time of the API is shown
beside latency, because a busy machine does not change it.

    python -m bench.api_lists [--calls 1000000] [--requests 200]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from bench import bare_api
from bench.load import Load, http_request, send_load
from bench.million_calls import Filled, api_with_calls
from bench.processor_time import command_of, descendants, pin, used_seconds
from switchboard.services.ports import LOOPBACK, free_port
from tests.own_api import serving

WARM_UP_REQUESTS = 20
ROUNDS = 10
P99_TARGET_MS = 30


@dataclass(frozen=True)
class Measured:
    latencies_ms: list[float]
    server_ms: float
    """Processor time of the server, a request."""

    @property
    def median_ms(self) -> float:
        return statistics.median(self.latencies_ms)

    @property
    def p99_ms(self) -> float:
        return statistics.quantiles(self.latencies_ms, n=100, method="inclusive")[98]


@dataclass(frozen=True)
class Asked:
    """One URL of one server, asked over and over."""

    url: str
    headers: Mapping[str, str]
    processes: list[int]

    async def send(self, requests: int) -> tuple[Load, float]:
        before = used_seconds(self.processes)
        request = http_request("GET", self.url, dict(self.headers))
        load = await send_load(
            self.url, lambda _: request, requests=requests, connections=1, status=200
        )
        return load, used_seconds(self.processes) - before


async def in_turns(asked: list[Asked], requests: int) -> list[Measured]:
    latencies_ms: list[list[float]] = [[] for _ in asked]
    used = [0.0 for _ in asked]
    for each in asked:
        await each.send(WARM_UP_REQUESTS)
    for _ in range(ROUNDS):
        for number, each in enumerate(asked):
            load, seconds = await each.send(requests // ROUNDS)
            latencies_ms[number] += load.latencies_ms
            used[number] += seconds
    return [
        Measured(each, seconds * 1000 / len(each))
        for each, seconds in zip(latencies_ms, used, strict=True)
    ]


def queries(filled: Filled) -> dict[str, str]:
    """Every filter, with and without a cursor; the default page has 200 calls."""
    _, middle, late = filled.places
    most, fewest = filled.agent_ids[0], filled.agent_ids[-1]
    return {
        "newest": "",
        "cursor in the middle": f"cursor={middle}",
        "cursor near the end": f"cursor={late}",
        "status": "status=completed",
        "rare status, cursor": f"status=busy&cursor={middle}",
        "status of no call": "status=ringing",
        "agent with half the calls, cursor": f"agent_id={most}&cursor={middle}",
        "agent with few calls, cursor": f"agent_id={fewest}&cursor={middle}",
        "agent and status, cursor": f"agent_id={most}&status=failed&cursor={middle}",
        "agent and status, few": f"agent_id={fewest}&status=busy",
        "limit 50": "limit=50",
        "offset 1,000": "offset=1000",
    }


def started(word: str) -> list[int]:
    return [pid for pid in descendants(os.getpid()) if word in command_of(pid)]


def run(calls: int, requests: int) -> Table:
    server_core, database_core = sorted(os.sched_getaffinity(0))[:2]
    bare_port = free_port()
    bare_url = f"http://{LOOPBACK}:{bare_port}"
    server = ["-m", "uvicorn", "--factory", "bench.bare_api:create_app", "--no-access-log"]
    with (
        api_with_calls(calls) as filled,
        serving(
            [*server, "--port", str(bare_port)],
            {bare_api.DATABASE_URL: filled.api.database_url},
            f"{bare_url}/openapi.json",
        ),
    ):
        ours, bare = started("switchboard api"), started("bench.bare_api")
        pin([*ours, *bare], {server_core})
        pin([*started("postgres"), *started("valkey"), os.getpid()], {database_core})
        headers = {"Authorization": f"Bearer {filled.key}"}
        beside = Asked(f"{bare_url}/calls?tenant_id={filled.tenant_id}&limit=200", {}, bare)
        table = Table(
            title=f"{calls:,} calls, {requests} requests each in turns with a bare select of 200"
            f" (target: p99 ≤ {P99_TARGET_MS} ms)"
        )
        for column in (
            "GET /v1/calls",
            "p50",
            "p99",
            "API ms",
            "bare p50",
            "bare p99",
            "bare ms",
            "ratio",
        ):
            table.add_column(column, justify="left" if "GET" in column else "right")
        for name, query in queries(filled).items():
            url = f"{filled.api.url}/v1/calls?{query}"
            listed, selected = asyncio.run(in_turns([Asked(url, headers, ours), beside], requests))
            table.add_row(
                name,
                f"{listed.median_ms:.1f}",
                f"{listed.p99_ms:.1f}",
                f"{listed.server_ms:.1f}",
                f"{selected.median_ms:.1f}",
                f"{selected.p99_ms:.1f}",
                f"{selected.server_ms:.1f}",
                f"{listed.server_ms / selected.server_ms:.2f}",
            )
        return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=200)
    arguments = parser.parse_args()
    Console().print(run(arguments.calls, arguments.requests))


if __name__ == "__main__":
    main()
