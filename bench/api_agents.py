"""What a request costs: Switchboard's routes beside bare FastAPI and SQLAlchemy on the same tables.

One tenant with many agents, on the embedded database. One client asks one request at a time, the
two servers in turns, so that whatever else the machine does falls on both.

    python -m bench.api_agents [--agents 10000] [--requests 400]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import httpx2
import psycopg
from rich.console import Console
from rich.table import Table

from bench import bare_api
from control_plane.platform.database import SYSTEM_ROLE
from switchboard.services.ports import LOOPBACK, free_port
from tests.own_api import OwnApi, own_api, serving

WARM_UP_REQUESTS = 50
RATIO_TARGET = 2.5


@dataclass(frozen=True)
class Case:
    """One question, put to both servers."""

    name: str
    ours: str
    bare: str
    target_p99_ms: float


@dataclass(frozen=True)
class Timing:
    median_ms: float
    p99_ms: float


def timing_of(samples_ms: list[float]) -> Timing:
    percentiles = statistics.quantiles(samples_ms, n=100, method="inclusive")
    return Timing(statistics.median(samples_ms), percentiles[98])


def fill(api: OwnApi, agents: int) -> tuple[UUID, str, UUID]:
    """A tenant, its key and one of its ``agents`` agents, all alike."""
    tenant_id, key = api.open_account()
    with httpx2.Client(base_url=api.url, headers={"Authorization": f"Bearer {key}"}) as http:
        made = http.post(
            "/v1/agents",
            json={
                "name": "Reception",
                "persona": {
                    "companyName": "Bright Smiles",
                    "companyDescription": "A clinic. " * 40,
                },
                "playbook": {"opener": "Hello, how can I help?"},
            },
        )
    agent_id = UUID(made.raise_for_status().json()["id"])
    with psycopg.connect(api.psycopg_url, autocommit=True) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        columns = ", ".join(
            name
            for (name,) in connection.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = 'agents'"
                " AND is_generated = 'NEVER' AND column_name NOT IN ('id', 'created_at')"
            )
        )
        connection.execute(
            f"INSERT INTO agents (id, created_at, {columns})"
            f" SELECT gen_random_uuid(), created_at - n * interval '1 second', {columns}"
            " FROM agents, generate_series(1, %s) n WHERE id = %s",
            (agents - 1, agent_id),
        )
        connection.execute("RESET ROLE")
        connection.execute("ANALYZE")
    return tenant_id, key, agent_id


async def measure(
    case: Case, ours: httpx2.AsyncClient, bare: httpx2.AsyncClient, requests: int
) -> tuple[Timing, Timing]:
    async def once(client: httpx2.AsyncClient, path: str) -> float:
        started_at = time.perf_counter()
        (await client.get(path)).raise_for_status()
        return (time.perf_counter() - started_at) * 1000

    for _ in range(WARM_UP_REQUESTS):
        await once(ours, case.ours)
        await once(bare, case.bare)
    samples = [(await once(ours, case.ours), await once(bare, case.bare)) for _ in range(requests)]
    return timing_of([each[0] for each in samples]), timing_of([each[1] for each in samples])


async def compare(
    cases: Sequence[Case], ours_url: str, key: str, bare_url: str, requests: int
) -> Table:
    table = Table(
        title=f"{requests} requests each, in turns (ms; ratio of medians: ≤ {RATIO_TARGET})"
    )
    for column in ("request", "p50", "p99", "target", "bare p50", "bare p99", "ratio"):
        table.add_column(column, justify="left" if column == "request" else "right")
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(base_url=ours_url, headers=headers) as ours,
        httpx2.AsyncClient(base_url=bare_url) as bare,
    ):
        for case in cases:
            our_timing, bare_timing = await measure(case, ours, bare, requests)
            ratio = our_timing.median_ms / bare_timing.median_ms
            table.add_row(
                case.name,
                f"{our_timing.median_ms:.1f}",
                f"{our_timing.p99_ms:.1f}",
                f"≤ {case.target_p99_ms:.0f}",
                f"{bare_timing.median_ms:.1f}",
                f"{bare_timing.p99_ms:.1f}",
                f"{ratio:.2f}",
            )
    return table


def run(agents: int, requests: int) -> Table:
    bare_port = free_port()
    bare_url = f"http://{LOOPBACK}:{bare_port}"
    server = ["-m", "uvicorn", "--factory", "bench.bare_api:create_app", "--no-access-log"]
    with (
        own_api() as api,
        serving(
            [*server, "--port", str(bare_port)],
            {bare_api.DATABASE_URL: api.database_url},
            f"{bare_url}/openapi.json",
        ),
    ):
        tenant_id, key, agent_id = fill(api, agents)
        of_tenant = f"/agents?tenant_id={tenant_id}"
        cases = (
            Case("one agent", f"/v1/agents/{agent_id}", f"/agents/{agent_id}", 20),
            Case(f"50 of {agents:,} agents", "/v1/agents", f"{of_tenant}&limit=50", 30),
            Case(f"500 of {agents:,} agents", "/v1/agents?limit=500", f"{of_tenant}&limit=500", 30),
        )
        return asyncio.run(compare(cases, api.url, key, bare_url, requests))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=400)
    arguments = parser.parse_args()
    Console().print(run(arguments.agents, arguments.requests))


if __name__ == "__main__":
    main()
