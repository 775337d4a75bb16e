"""The logins that serve own nothing, and can neither touch the books nor add any job they like.

Each test tries as both logins, over connections of their own, as an intruder in a serving process
would.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import create_engine, text

from control_plane.migrate import migrate
from control_plane.migrations.job_queue import JOBS_OF_REQUESTS, OTHER_JOBS
from control_plane.migrations.logins import LoginNotPrepared, prepare_logins
from control_plane.money.billing import repository, service
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.money.billing.tariff import Tariff
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE, Database
from control_plane.platform.job_queue import job_queue, worker_connector
from switchboard.services.postgres import APP_LOGIN, SYSTEM_LOGIN, PostgresServer

LOGINS = (APP_LOGIN, SYSTEM_LOGIN)


@pytest.fixture
def urls(
    postgres_url: str,
    postgres_server: PostgresServer,
    postgres_administration: psycopg.Connection,
) -> Iterator[dict[str, str]]:
    """By login, over a database that was migrated for them."""
    database = postgres_url.rpartition("/")[2]
    urls = {login: postgres_server.login_url(login, database) for login in LOGINS}
    migrate(postgres_url, app_url=urls[APP_LOGIN], system_url=urls[SYSTEM_LOGIN])
    yield urls
    # The owner, who drops the database, cannot end the connections of others.
    connected = "SELECT FROM pg_stat_activity WHERE datname = %s AND usename <> current_user"
    while postgres_administration.execute(connected, (database,)).rowcount:
        time.sleep(0.01)


@pytest.fixture
async def tenant_id(postgres_url: str) -> UUID:
    """A tenant with one grant and an audit entry."""
    tenant_id = uuid4()
    owner = Database(postgres_url)
    async with owner.system_session() as session:
        await session.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Books')"), {"id": tenant_id}
        )
        await session.execute(
            text(
                "INSERT INTO audit_entries (tenant_id, actor_kind, actor_label, action, changes)"
                " VALUES (:id, 'operator', 'operator', 'tenant.opened', '{}')"
            ),
            {"id": tenant_id},
        )
        await service.grant(session, tenant_id, 1_000_000, "Credit")
    await owner.aclose()
    return tenant_id


@contextmanager
def logged_in(url: str, tenant_id: UUID) -> Iterator[psycopg.Connection]:
    plain = url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(
            "SELECT set_config('switchboard.tenant_id', %s, false)", (str(tenant_id),)
        )
        yield connection


TOUCHING_THE_BOOKS: tuple[LiteralString, ...] = (
    "UPDATE billing_accounts SET free_micros = free_micros + 1",
    "UPDATE billing_accounts SET held_micros = 0",
    "UPDATE billing_accounts SET is_active = true",
    "DELETE FROM billing_accounts",
    "TRUNCATE billing_accounts",
    "UPDATE ledger_entries SET free_micros = 1",
    "DELETE FROM ledger_entries",
    "TRUNCATE ledger_entries",
    "UPDATE ledger_references SET reference = 'x'",
    "DELETE FROM ledger_references",
    "INSERT INTO ledger_references SELECT tenant_id, 'x', entry_id FROM ledger_references",
    "UPDATE ledger_days SET free_micros = 1",
    "DELETE FROM ledger_days",
    "INSERT INTO ledger_days SELECT tenant_id, current_date - 1, 1, 1, 1, 1 FROM ledger_days",
    "UPDATE audit_entries SET action = 'nothing'",
    "DELETE FROM audit_entries",
    "TRUNCATE audit_entries",
    "UPDATE job_names SET by_requests = true",
    "UPDATE procrastinate_jobs SET task_name = 'x'",
    "UPDATE procrastinate_jobs SET args = '{}'",
    "TRUNCATE procrastinate_jobs",
    "ALTER TABLE ledger_entries DISABLE TRIGGER ALL",
    "ALTER TABLE billing_accounts DISABLE ROW LEVEL SECURITY",
    "DROP TRIGGER guard_account ON billing_accounts",
    "CREATE TRIGGER mine BEFORE INSERT ON procrastinate_jobs"
    " FOR EACH ROW EXECUTE FUNCTION switchboard_refuse_change()",
    "CREATE OR REPLACE FUNCTION switchboard_guard_account() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN NEW; END'",
    "SET session_replication_role = replica",
    "SET ROLE switchboard",
    "CREATE TABLE mine (id int)",
    "CREATE ROLE mine",
)


@pytest.mark.parametrize("login", LOGINS)
def test_a_serving_login_cannot_touch_the_books(
    urls: dict[str, str], tenant_id: UUID, login: str
) -> None:
    with logged_in(urls[login], tenant_id) as connection:
        found = connection.execute("SELECT free_micros FROM billing_accounts").fetchall()
        assert found == [(1_000_000,)]
        for statement in TOUCHING_THE_BOOKS:
            with pytest.raises(InsufficientPrivilege):
                connection.execute(statement)
        found = connection.execute(
            "SELECT free_micros, held_micros, (SELECT count(*) FROM ledger_entries),"
            " (SELECT count(*) FROM audit_entries) FROM billing_accounts"
        ).fetchall()
    assert found == [(1_000_000, 0, 1, 1)]


@pytest.mark.parametrize("login", LOGINS)
def test_a_serving_login_owns_nothing_and_is_no_other(
    urls: dict[str, str], tenant_id: UUID, login: str
) -> None:
    with logged_in(urls[login], tenant_id) as connection:
        owned = connection.execute(
            "SELECT relname FROM pg_class WHERE pg_has_role(session_user, relowner, 'MEMBER')"
        ).fetchall()
        rights = connection.execute(
            "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication"
            " FROM pg_roles WHERE rolname = session_user"
        ).fetchone()
        for other in {APP_ROLE, SYSTEM_ROLE, "switchboard"} - {login}:
            with pytest.raises(InsufficientPrivilege):
                connection.execute(f"SET ROLE {other}")  # type: ignore[call-overload]
    assert owned == []
    assert rights == (False,)


@pytest.mark.parametrize("login", LOGINS)
def test_an_account_begins_empty_whatever_is_written(
    urls: dict[str, str], postgres_url: str, login: str
) -> None:
    with logged_in(postgres_url, uuid4()) as owner:
        owner.execute(f"SET ROLE {SYSTEM_ROLE}")  # type: ignore[call-overload]
        opened = uuid4()
        owner.execute("INSERT INTO tenants (id, name) VALUES (%s, 'New')", (opened,))
    with logged_in(urls[login], opened) as connection:
        connection.execute(
            "INSERT INTO billing_accounts (tenant_id, free_micros, purchased_micros, held_micros)"
            " VALUES (%s, 5, 5, 5)",
            (opened,),
        )
        totals = connection.execute(
            "SELECT free_micros, purchased_micros, held_micros FROM billing_accounts"
            " WHERE tenant_id = %s",
            (opened,),
        ).fetchone()
    assert totals == (0, 0, 0)


_ENTRY: LiteralString = """
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,
        purchased_micros, amount_seconds, description)
    VALUES (gen_random_uuid(), %s, %s, %s, %s, 0, 0, 'Forged')
"""


def test_a_request_cannot_give_its_tenant_credit(urls: dict[str, str], tenant_id: UUID) -> None:
    with logged_in(urls[APP_LOGIN], tenant_id) as connection:
        for kind, micros in (("grant", 1), ("correction", 1), ("charge", 1), ("debit", -1)):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(_ENTRY, (tenant_id, "mine", kind, micros))
        connection.execute(_ENTRY, (tenant_id, "call:1", "charge", -1))
        moved = connection.execute("SELECT free_micros FROM billing_accounts").fetchone()
    assert moved == (999_999,)


_JOB: LiteralString = """
    INSERT INTO procrastinate_jobs (queue_name, task_name, args)
    VALUES ('default', %s, jsonb_build_object('tenant_id', %s::text)) RETURNING id
"""


def test_a_request_adds_only_its_own_kinds_of_jobs_and_for_its_own_tenant(
    urls: dict[str, str], tenant_id: UUID
) -> None:
    with logged_in(urls[APP_LOGIN], tenant_id) as connection:
        for name in JOBS_OF_REQUESTS:
            assert connection.execute(_JOB, (name, str(tenant_id))).fetchone()
            with pytest.raises(InsufficientPrivilege, match="may not add the job"):
                connection.execute(_JOB, (name, str(uuid4())))
        for name in (*OTHER_JOBS, "any.other"):
            with pytest.raises(InsufficientPrivilege, match="may not add the job"):
                connection.execute(_JOB, (name, str(tenant_id)))
        connection.execute("CREATE TEMPORARY TABLE job_names (name text, by_requests bool)")
        connection.execute("INSERT INTO job_names VALUES ('any.other', true)")
        with pytest.raises(InsufficientPrivilege, match="may not add the job"):
            connection.execute(_JOB, ("any.other", str(tenant_id)))
        for statement in ("SELECT args FROM procrastinate_jobs", "DELETE FROM procrastinate_jobs"):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(statement)


def test_the_jobs_process_adds_only_jobs_that_there_are(
    urls: dict[str, str], tenant_id: UUID
) -> None:
    with logged_in(urls[SYSTEM_LOGIN], tenant_id) as connection:
        for name in (*JOBS_OF_REQUESTS, *OTHER_JOBS):
            assert connection.execute(_JOB, (name, str(tenant_id))).fetchone()
        with pytest.raises(InsufficientPrivilege, match="may not add the job"):
            connection.execute(_JOB, ("any.other", str(tenant_id)))


def test_every_job_of_this_release_may_be_added() -> None:
    """A new job stands in ``control_plane/migrations/job_queue.py``, or it could not be added."""
    from control_plane.jobs import JOB_DOMAINS

    assert JOB_DOMAINS
    declared = {
        name for name in job_queue.tasks if not name.startswith(("builtin:", "procrastinate."))
    }
    assert declared == {*JOBS_OF_REQUESTS, *OTHER_JOBS}


async def test_calls_are_paid_for_over_the_two_logins(
    urls: dict[str, str], tenant_id: UUID
) -> None:
    database = Database(urls[APP_LOGIN], system_url=urls[SYSTEM_LOGIN])
    calls = [uuid4() for _ in range(3)]
    async with database.tenant_session(tenant_id) as session:
        for call_id in calls:
            await session.execute(
                text(
                    "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)"
                    " VALUES (:id, :tenant, :id, 'room', 'connecting', '{}')"
                ),
                {"id": call_id, "tenant": tenant_id},
            )
        await service.reserve(session, tenant_id, calls[0], 30, 1_000_000)
        await service.reserve(session, tenant_id, calls[1], 30, 1_000_000)
        with pytest.raises(InsufficientCredits):
            await service.reserve(session, tenant_id, calls[2], 30, 1_000_000)
    async with database.system_session() as session:
        assert await service.extend(session, tenant_id, calls[0], 60, 1_000_000) == 30
        await service.settle(session, tenant_id, calls[0], 30, Tariff.flat(1_000_000), {})
        await service.settle(session, tenant_id, calls[1], 0, Tariff.flat(1_000_000), {})
    async with database.system_statements() as session:
        account = await repository.account(session, tenant_id)
        assert account is not None
        assert (account.free_micros, account.held_micros) == (500_000, 0)
    await database.aclose()


async def test_the_job_queue_works_over_the_login_for_jobs(urls: dict[str, str]) -> None:
    connector = worker_connector(urls[APP_LOGIN], system_url=urls[SYSTEM_LOGIN])
    with job_queue.replace_connector(connector):
        async with job_queue.open_async():
            added = await job_queue.tasks["job_queue.rescue_stalled_jobs"].defer_async(timestamp=0)
            await job_queue.run_worker_async(wait=False, install_signal_handlers=False)
            status = await job_queue.job_manager.get_job_status_async(added)
    assert status.value == "succeeded"


async def test_with_one_login_a_connection_keeps_no_role_after_its_transaction(
    postgres_url: str, tenant_id: UUID
) -> None:
    """A pooler may give the connection to somebody else then."""
    database = Database(postgres_url, pool_size=1)
    async with database.tenant_session(tenant_id) as session:
        assert await session.scalar(text("SELECT current_user")) == APP_ROLE
    async with database.system_session() as session:
        assert await session.scalar(text("SELECT current_user")) == SYSTEM_ROLE
    async with database.system_statements() as session:
        assert await session.scalar(text("SELECT current_user")) == SYSTEM_ROLE
    for engine in (database._app, database._system):
        async with engine.connect() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            cursor = await driver.execute("SELECT current_user = session_user")
            assert await cursor.fetchone() == (True,)
    await database.aclose()


def test_migrating_again_changes_a_logins_password(
    urls: dict[str, str], postgres_url: str, tenant_id: UUID
) -> None:
    name = f"other_{uuid4().hex}"
    address = urls[APP_LOGIN].rpartition("@")[2]
    for password in ("first%20one", "second"):
        url = f"postgresql+psycopg://{name}:{password}@{address}"
        migrate(postgres_url, app_url=url)
        with logged_in(url, tenant_id) as connection:
            assert connection.execute("SELECT count(*) FROM tenants").fetchone() == (1,)
    with logged_in(postgres_url, tenant_id) as owner:
        owner.execute(f"DROP ROLE {name}")  # type: ignore[call-overload]


def test_who_may_not_create_logins_says_what_to_do_about_a_missing_one(
    urls: dict[str, str],
) -> None:
    engine = create_engine(urls[APP_LOGIN])
    address = urls[APP_LOGIN].rpartition("@")[2]
    with engine.begin() as connection:
        prepare_logins(connection, {APP_ROLE: urls[APP_LOGIN]})
        with pytest.raises(LoginNotPrepared, match="CREATE ROLE missing LOGIN"):
            prepare_logins(connection, {SYSTEM_ROLE: f"postgresql+psycopg://missing:x@{address}"})
        with pytest.raises(LoginNotPrepared, match=f"GRANT {SYSTEM_ROLE} TO {APP_LOGIN}"):
            prepare_logins(connection, {SYSTEM_ROLE: urls[APP_LOGIN]})
    engine.dispose()
