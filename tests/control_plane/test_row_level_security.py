"""The second wall: PostgreSQL itself keeps tenants apart, whatever a query forgets."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, select, text, update
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient

WITHOUT_TENANTS = {
    "alembic_version",
    "attempt_counts",
    "catalogue_editions",
    "catalogue_loads",
    "catalogue_models",
    "catalogue_voices",
    "dashboard_sessions",
    "gateway_events",
    "invoice_counters",
    "job_names",
    "known_devices",
    "ledger_audits",
    "managed_skus",
    "outbox_cursors",
    "parked_events",
    "password_resets",
    "payment_audits",
    "plans",
    "platform_switches",
    "price_rows",
    "procrastinate_events",
    "procrastinate_jobs",
    "procrastinate_periodic_defers",
    "procrastinate_workers",
    "provider_capabilities",
    "telecom_prices",
    "tax_rates",
    "topup_packs",
    "unit_price_rows",
}
"""Tables that hold no tenant's records, or that the API's role cannot read."""


async def test_a_query_without_a_tenant_filter_finds_only_the_sessions_tenant(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    own, foreign = await tenant.agent(), await other_tenant.agent()

    async with database.tenant_session(tenant.tenant_id) as session:
        confined = set(await session.scalars(select(Agent.id)))
    async with database.system_session() as session:
        unconfined = set(await session.scalars(select(Agent.id)))

    assert confined == {own}
    assert unconfined == {own, foreign}


async def test_every_table_shows_only_the_sessions_tenant(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    await tenant.published_agent()
    await other_tenant.published_agent()

    async with database.tenant_session(tenant.tenant_id) as session:
        for table, column in await _tenant_columns(session):
            found = await session.scalars(text(f"SELECT DISTINCT {column} FROM {table}"))
            assert set(found) <= {tenant.tenant_id}, table


async def _tenant_columns(session: AsyncSession) -> list[tuple[str, str]]:
    rows = await session.execute(
        text(
            "SELECT table_name FROM information_schema.columns "
            "WHERE table_schema = 'public' AND column_name = 'tenant_id'"
        )
    )
    return [("tenants", "id")] + [(row.table_name, "tenant_id") for row in rows]


async def test_a_foreign_row_cannot_be_written(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    await tenant.agent()

    with pytest.raises(ProgrammingError, match="row-level security"):
        async with database.tenant_session(tenant.tenant_id) as session:
            await session.execute(
                text(
                    "INSERT INTO memberships (tenant_id, user_id, role) "
                    "SELECT :tenant_id, id, 'admin' FROM users"
                ),
                {"tenant_id": other_tenant.tenant_id},
            )
    with pytest.raises(ProgrammingError, match="row-level security"):
        async with database.tenant_session(tenant.tenant_id) as session:
            await session.execute(update(Agent).values(tenant_id=other_tenant.tenant_id))


async def test_foreign_rows_cannot_be_changed_or_deleted(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    foreign = await other_tenant.agent()

    async with database.tenant_session(tenant.tenant_id) as session:
        await session.execute(update(Agent).values(name="taken over"))
        await session.execute(text("DELETE FROM agents"))

    assert (await other_tenant.get(f"/v1/agents/{foreign}")).json()["name"] == "Reception"


async def test_the_tenant_does_not_outlive_its_transaction(
    tenant: TenantClient, database: Database
) -> None:
    await tenant.agent()
    async with database.tenant_session(tenant.tenant_id) as session:
        first = await session.scalar(text("SELECT pg_backend_pid()"))
    async with database._transaction(database._app, database._app_begin) as session:
        assert await session.scalar(text("SELECT pg_backend_pid()")) == first
        assert list(await session.scalars(select(Agent.id))) == []


async def test_the_login_that_owns_the_tables_is_confined_too(
    tenant: TenantClient, postgres_url: str
) -> None:
    await tenant.agent()
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        is_superuser = connection.scalar(
            text("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        )
        assert is_superuser is False
        assert connection.scalar(text("SELECT count(*) FROM agents")) == 0
    engine.dispose()


async def test_every_table_of_tenants_has_forced_policies_for_reading_and_writing(
    database: Database,
) -> None:
    async with database.system_session() as session:
        tables = await session.execute(
            text(
                """
                SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS is_forced,
                    EXISTS (
                        SELECT FROM pg_policies p
                        WHERE p.tablename = c.relname AND p.roles = '{switchboard_app}'
                        AND p.qual LIKE '%switchboard_tenant_id()%'
                        AND p.with_check LIKE '%switchboard_tenant_id()%'
                    ) AS is_confined
                FROM pg_class c
                WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
                """
            )
        )
        found = {row.name: (row.is_forced, row.is_confined) for row in tables}

    assert set(found) >= WITHOUT_TENANTS
    assert {name: state for name, state in found.items() if name not in WITHOUT_TENANTS} == {
        name: (True, True) for name in found if name not in WITHOUT_TENANTS
    }


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT args FROM procrastinate_jobs",
        "SELECT password_hash FROM users",
        "UPDATE users SET email = 'x@example.com'",
        "SELECT token_hash FROM dashboard_sessions",
        "DELETE FROM attempt_counts",
        "UPDATE price_rows SET micros_per_minute = 0",
        "INSERT INTO telecom_prices SELECT * FROM telecom_prices",
        "INSERT INTO unit_price_rows SELECT * FROM unit_price_rows",
        "INSERT INTO catalogue_voices SELECT * FROM catalogue_voices",
        "UPDATE agent_versions SET version = 7",
        "DELETE FROM agent_pauses",
        "UPDATE platform_switches SET calls_enabled = true",
        "CREATE TABLE mine (id int)",
        "ALTER TABLE agents DISABLE ROW LEVEL SECURITY",
    ],
)
async def test_a_requests_role_cannot(
    tenant: TenantClient, database: Database, statement: str
) -> None:
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        async with database.tenant_session(tenant.tenant_id) as session:
            await session.execute(text(statement))


@pytest.mark.parametrize("table", ["price_rows", "agent_versions"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE"])
async def test_history_cannot_be_changed_by_its_owner_either(
    tenant: TenantClient, postgres_url: str, table: str, statement: str
) -> None:
    await tenant.published_agent()
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        connection.execute(text(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY"))
        with pytest.raises(DBAPIError, match="append-only"):
            connection.execute(text(statement.format(table)))
    engine.dispose()
