"""What calls cost: the list, the export, the totals, and the operator's margin."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest
from sqlalchemy import text

from control_plane.calling.call_costs.export import HEADER, MOST_CALLS
from control_plane.calling.call_costs.repository import MOST_GROUPS
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import catch_up, claimed_call, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.linked import consumer, redis, settings, worker

__all__ = ["consumer", "redis", "settings", "worker"]

TODAY = datetime.now(UTC).date()


async def billed_call(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, connected_ms: int
) -> dict[str, Any]:
    plan = await running_call(tenant, worker, consumer)
    await worker.end(plan, connected_ms)
    await catch_up(consumer)
    call: dict[str, Any] = (await tenant.get(f"/v1/calls/{plan.call_id}")).json()
    return call


async def listed(tenant: TenantClient, query: str = "") -> list[dict[str, Any]]:
    answer = await tenant.get(f"/v1/billing/calls?{query}")
    assert answer.status_code == 200, answer.text
    calls: list[dict[str, Any]] = answer.json()["calls"]
    return calls


async def exported(tenant: TenantClient, query: str = "") -> list[dict[str, str]]:
    answer = await tenant.get(f"/v1/billing/export.csv?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.text)))


async def test_a_billed_call_is_in_list_export_and_totals(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    call = await billed_call(tenant, worker, consumer, 61_000)
    [shown] = await listed(tenant)
    assert shown["id"] == call["id"]
    assert shown["duration_seconds"] == call["billable_seconds"] == 90
    assert shown["customer_revenue"] == call["total_cost"] > 0
    assert shown["gross_margin"] == pytest.approx(
        shown["customer_revenue"] - shown["provider_cost"], abs=1e-9
    )
    [row] = await exported(tenant)
    assert row["call_id"] == call["id"]
    assert float(row["customer_revenue_usd"]) == call["total_cost"]
    for by, key in (("day", TODAY.isoformat()), ("agent", call["agent_id"])):
        spend = (await tenant.get(f"/v1/billing/spend?by={by}")).json()
        [group] = spend["groups"]
        assert (group["key"], group["calls"], group["minutes"]) == (key, 1, 1.5)
        assert group["spend_usd"] == spend["total_usd"] == call["total_cost"]
    models = (await tenant.get("/v1/billing/spend?by=model")).json()
    assert {group["key"].partition("/")[0] for group in models["groups"]} == {
        "stt",
        "llm",
        "tts",
        "platform",
    }
    assert models["total_usd"] == call["total_cost"]


async def test_the_margin_is_what_charges_bring_in_less_what_providers_cost(
    tenant: TenantClient, http: httpx2.AsyncClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    calls = [await billed_call(tenant, worker, consumer, ms) for ms in (1_000, 100_000)]
    revenue = sum(call["total_cost"] for call in calls)
    for by in ("tenant", "agent", "model", "day"):
        answer = await http.get(f"/v1/operator/margin?by={by}", headers=OPERATOR)
        assert answer.status_code == 200, answer.text
        total = answer.json()["total"]
        assert total["revenue_usd"] == pytest.approx(revenue, abs=1e-9)
        assert total["planned_margin_usd"] == pytest.approx(
            total["revenue_usd"] - total["planned_cost_usd"], abs=1e-9
        )
        assert sum(each["revenue_usd"] for each in answer.json()["groups"]) == pytest.approx(
            revenue, abs=1e-9
        )
        assert total["calls"] == 2
        assert total["minutes"] == 2.5
    nobody = await http.get(f"/v1/operator/margin?tenant_id={uuid4()}", headers=OPERATOR)
    assert nobody.json()["groups"] == []


@pytest.mark.parametrize("by", ["agent", "model", "day"])
async def test_totals_are_of_everything_also_if_there_are_more_groups_than_are_listed(
    tenant: TenantClient, http: httpx2.AsyncClient, database: Database, by: str
) -> None:
    days = MOST_GROUPS + 1
    async with database.system_session() as session:
        await session.execute(
            text(
                """
                INSERT INTO call_cost_days (tenant_id, day, agent_id, component, provider, model,
                    calls, calls_begun, billable_ms, revenue_micros, planned_cost_micros,
                    actual_cost_micros, calls_of_unknown_cost)
                SELECT :tenant, CURRENT_DATE - n, gen_random_uuid(), component, 'p', 'm' || n,
                    1, begun, 60000, 10000, 0, 0, 0
                FROM generate_series(0, :days - 1) n,
                    (VALUES ('platform', 1), ('llm', 0)) AS parts (component, begun)
                """
            ),
            {"tenant": tenant.tenant_id, "days": days},
        )
    period = f"by={by}&from={TODAY - timedelta(days=days)}"
    spend = (await tenant.get(f"/v1/billing/spend?{period}")).json()
    answer = await http.get(f"/v1/operator/margin?{period}", headers=OPERATOR)
    total = answer.json()["total"]
    assert spend["total_usd"] == total["revenue_usd"] == pytest.approx(days * 0.02)
    assert (total["calls"], total["minutes"]) == (days, days)
    if by == "day":
        for report in (spend, answer.json()):
            keys = [group["key"] for group in report["groups"]]
            assert keys == sorted(keys)
            assert (len(keys), keys[-1]) == (MOST_GROUPS, TODAY.isoformat())


async def test_a_call_that_never_connected_is_left_out(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await claimed_call(tenant, worker)
    await worker.end(plan, None)
    await catch_up(consumer)
    assert await listed(tenant) == []
    assert (await tenant.get("/v1/billing/spend")).json()["groups"] == []


@pytest.fixture
async def history(tenant: TenantClient, postgres_url: str) -> tuple[TenantClient, list[UUID]]:
    """Two agents, and a call of each on each of the last days."""
    agents = [await tenant.agent(name=name) for name in ("Reception", "Sales")]
    plain = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute("SET ROLE switchboard_system")
        for agent_id in agents:
            connection.execute(
                """
                INSERT INTO calls (id, tenant_id, agent_id, room_name, status, end_reason,
                    created_at, started_at, ended_at, billable_seconds, total_cost_micros,
                    provider_cost_micros, plan)
                SELECT gen_random_uuid(), %s, %s, 'room',
                    CASE WHEN n %% 2 = 0 THEN 'completed' ELSE 'failed' END, 'normal_hangup',
                    at, at, at, 60, 50000, '{"stt": 10000, "llm": 15000, "tts": 5000}', '{}'
                FROM (
                    SELECT n, now() - n * interval '1 day' AS at FROM generate_series(0, 5) n
                ) AS daily
                """,
                (tenant.tenant_id, agent_id),
            )
    return tenant, agents


async def test_filters_choose_calls_by_day_agent_and_status(
    history: tuple[TenantClient, list[UUID]],
) -> None:
    tenant, agents = history
    yesterday = TODAY - timedelta(days=1)
    assert len(await listed(tenant)) == len(await exported(tenant)) == 12
    assert len(await listed(tenant, f"from={yesterday}&to={yesterday}")) == 2
    assert len(await listed(tenant, f"agent_id={agents[0]}")) == 6
    assert len(await listed(tenant, "limit=3")) == 3
    assert len(await listed(tenant, "limit=100000")) == 12, "a higher limit counts as the cap"
    assert len(await exported(tenant, "status=completed")) == 6
    assert len(await exported(tenant, f"from={TODAY}&agent_id={agents[1]}&status=completed")) == 1
    first = (await listed(tenant, "limit=1"))[0]
    assert (first["customer_revenue"], first["provider_cost"], first["gross_margin"]) == (
        0.05,
        0.03,
        0.02,
    )
    names = {call["agent_name"] for call in await listed(tenant)}
    assert names == {"Reception", "Sales"}
    started = [call["started_at"] for call in await listed(tenant)]
    assert started == sorted(started, reverse=True)


async def test_an_export_has_the_newest_5000_calls_and_the_exact_header(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    async with database.system_session() as session:
        await session.execute(
            text(
                """
                INSERT INTO calls (id, tenant_id, agent_id, room_name, status, end_reason,
                    started_at, ended_at, billable_seconds, total_cost_micros, plan)
                SELECT gen_random_uuid(), :tenant, :agent, 'room', 'completed', 'normal_hangup',
                    at, at, 30, 10000, '{}'
                FROM (
                    SELECT now() - n * interval '1 second' AS at FROM generate_series(1, :calls) n
                ) AS numbered
                """
            ),
            {"tenant": tenant.tenant_id, "agent": agent_id, "calls": MOST_CALLS + 1},
        )
    answer = await tenant.get("/v1/billing/export.csv")
    lines = answer.text.split("\r\n")
    assert lines[0] == HEADER
    assert lines[-1] == ""
    assert len(lines) == MOST_CALLS + 2


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("calls?limit=0", "limit"),
        ("calls?from=soon", "from"),
        ("calls?agent_id=x", "agent_id"),
        ("export.csv?to=2026-02-30", "to"),
        ("export.csv?status=over", "status"),
        ("spend?by=week", "by"),
        ("spend?from=2026-02-02&to=2026-02-01", "from"),
    ],
)
async def test_a_wrong_query_is_400_and_names_the_field(
    tenant: TenantClient, path: str, field: str
) -> None:
    answer = await tenant.get(f"/v1/billing/{path}")
    assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (
        400,
        [field],
    )


async def test_a_tenant_sees_its_own_calls_only(
    history: tuple[TenantClient, list[UUID]], other_tenant: TenantClient
) -> None:
    _, agents = history
    assert await listed(other_tenant) == []
    assert await exported(other_tenant, f"agent_id={agents[0]}") == []
    assert (await other_tenant.get("/v1/billing/spend?by=agent")).json()["groups"] == []
