"""What ``POST /v1/calls`` costs, beside a bare insert with FastAPI and SQLAlchemy.

The API runs on one core, PostgreSQL on another. Beside rate and latency the table shows the
processor time of one request on either side, which a busy machine does not change.

    python -m bench.api_create [--requests 2000] [--connections 4]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

import httpx2
from rich.console import Console
from rich.table import Table

from bench import bare_api
from bench.load import Load, http_request, send_load
from bench.processor_time import command_of, descendants, pin, used_seconds
from switchboard.services.ports import LOOPBACK, free_port
from tests.own_api import OwnApi, own_api, serving

WARM_UP_REQUESTS = 100
RATE_TARGET = 150
P99_TARGET_MS = 100


@dataclass(frozen=True)
class Server:
    name: str
    url: str
    status: int
    processes: list[int]
    request: Callable[[int], bytes]


@dataclass(frozen=True)
class Cost:
    """What a run took, and what a request cost."""

    load: Load
    server_ms: float
    database_ms: float


def calling(api: OwnApi, with_idempotency_key: bool) -> Callable[[int], bytes]:
    """Requests for calls of a tenant's agent that has a persona, a playbook and variables."""
    tenant_id, key = api.open_account()
    credit = {"amount_usd": 100_000, "description": "For the bench"}
    with httpx2.Client(base_url=api.url) as http:
        http.post(
            f"/v1/operator/tenants/{tenant_id}/credits", headers=api.operator, json=credit
        ).raise_for_status()
        http.headers["Authorization"] = f"Bearer {key}"
        agent = {
            "name": "Reception",
            "persona": {
                "companyName": "Bright Smiles",
                "companyDescription": "A clinic. " * 40,
                "successCriteria": ["The caller has an appointment."],
            },
            "playbook": {
                "opener": "Hello {{ name }}, how can I help?",
                "requiredSlots": [{"name": "day", "description": "Of the appointment"}],
                "endCallMessage": "Goodbye {{ name }}!",
            },
        }
        agent_id = http.post("/v1/agents", json=agent).raise_for_status().json()["id"]
        http.post(f"/v1/agents/{agent_id}/publish").raise_for_status()

    def request(number: int) -> bytes:
        wanted = {
            "agent_id": agent_id,
            "participants": [{"transport": "webrtc", "identity": f"caller {number}"}],
            "variables": {"name": "Ada"},
            "metadata": {"number": number},
        }
        headers = {"Authorization": f"Bearer {key}"}
        if with_idempotency_key:
            headers["Idempotency-Key"] = str(uuid4())
        return http_request("POST", f"{api.url}/v1/calls", headers, json.dumps(wanted).encode())

    return request


def inserting(api: OwnApi, url: str) -> Callable[[int], bytes]:
    tenant_id, _ = api.open_account()

    def request(number: int) -> bytes:
        wanted = {"tenant_id": str(tenant_id), "metadata": {"number": number}}
        return http_request("POST", f"{url}/calls", {}, json.dumps(wanted).encode())

    return request


async def measure(
    server: Server, database: Callable[[], list[int]], requests: int, connections: int
) -> Cost:
    async def send(count: int) -> Load:
        return await send_load(
            server.url,
            server.request,
            requests=count,
            connections=connections,
            status=server.status,
        )

    await send(WARM_UP_REQUESTS)
    server_before, database_before = used_seconds(server.processes), used_seconds(database())
    load = await send(requests)
    server_used = used_seconds(server.processes) - server_before
    database_used = used_seconds(database()) - database_before
    return Cost(load, server_used * 1000 / requests, database_used * 1000 / requests)


def run(requests: int, connections: int) -> Table:
    server_core, database_core = sorted(os.sched_getaffinity(0))[:2]
    bare_port = free_port()
    bare_url = f"http://{LOOPBACK}:{bare_port}"
    bare = ["-m", "uvicorn", "--factory", "bench.bare_api:create_app", "--no-access-log"]

    def started(*words: str) -> list[int]:
        return [
            pid
            for pid in descendants(os.getpid())
            if any(word in command_of(pid) for word in words)
        ]

    def database() -> list[int]:
        return started("postgres")

    with (
        own_api() as api,
        serving(
            [*bare, "--port", str(bare_port)],
            {bare_api.DATABASE_URL: api.database_url},
            f"{bare_url}/openapi.json",
        ),
    ):
        ours, bare_server = started("switchboard api"), started("bench.bare_api")
        pin([*ours, *bare_server], {server_core})
        pin([*database(), *started("valkey"), os.getpid()], {database_core})
        table = Table(
            title=f"{requests} requests over {connections} connections"
            f" (targets: ≥ {RATE_TARGET}/s, p99 ≤ {P99_TARGET_MS} ms)"
        )
        for column in ("", "/s", "p50 ms", "p99 ms", "API ms", "database ms", "ratio"):
            table.add_column(column, justify="left" if not column else "right")
        servers = [
            Server("bare insert", bare_url, 201, bare_server, inserting(api, bare_url)),
            Server("POST /v1/calls", api.url, 201, ours, calling(api, False)),
            Server("with Idempotency-Key", api.url, 201, ours, calling(api, True)),
        ]
        costs = [asyncio.run(measure(each, database, requests, connections)) for each in servers]
        for server, cost in zip(servers, costs, strict=True):
            table.add_row(
                server.name,
                f"{cost.load.per_second:.0f}",
                f"{cost.load.median_ms:.1f}",
                f"{cost.load.p99_ms:.1f}",
                f"{cost.server_ms:.2f}",
                f"{cost.database_ms:.2f}",
                f"{costs[0].load.per_second / cost.load.per_second:.2f}",
            )
        return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--connections", type=int, default=4)
    arguments = parser.parse_args()
    Console().print(run(arguments.requests, arguments.connections))


if __name__ == "__main__":
    main()
