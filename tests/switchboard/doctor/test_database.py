"""The doctor says of each login that serves whether it may do too little or too much."""

from __future__ import annotations

import time
from collections.abc import Iterator

import psycopg
import pytest

from control_plane.migrate import migrate
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE
from switchboard.doctor.database import logins, server
from switchboard.services.ports import free_port
from switchboard.services.postgres import APP_LOGIN, SYSTEM_LOGIN, PostgresServer
from switchboard.settings import Settings


@pytest.fixture
def prepared(
    postgres_url: str,
    postgres_server: PostgresServer,
    postgres_administration: psycopg.Connection,
) -> Iterator[Settings]:
    database = postgres_url.rpartition("/")[2]
    settings = Settings(
        database_url=postgres_url,
        app_database_url=postgres_server.login_url(APP_LOGIN, database),
        system_database_url=postgres_server.login_url(SYSTEM_LOGIN, database),
    )
    migrate(
        postgres_url, app_url=settings.app_database_url, system_url=settings.system_database_url
    )
    yield settings
    connected = "SELECT FROM pg_stat_activity WHERE datname = %s AND usename <> current_user"
    while postgres_administration.execute(connected, (database,)).rowcount:
        time.sleep(0.01)


def test_the_embedded_logins_are_the_roles_of_the_control_plane() -> None:
    assert (APP_LOGIN, SYSTEM_LOGIN) == (APP_ROLE, SYSTEM_ROLE)
    assert logins(Settings()).level == "ok"


def test_a_database_of_your_own_that_does_not_answer_fails() -> None:
    [finding] = server(Settings(database_url=f"postgresql://owner@127.0.0.1:{free_port()}/db"))
    assert finding.level == "fail"
    assert finding.found.startswith("does not connect: ")


def test_the_version_of_a_database_of_your_own_is_shown(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [finding] = server(Settings(database_url=postgres_url))
    assert (finding.level, finding.found.isdigit()) == ("ok", True)
    monkeypatch.setattr("control_plane.migrate.OLDEST_SERVER", (99,))
    [too_old] = server(Settings(database_url=postgres_url))
    assert too_old.level == "fail"
    assert "99 or newer is needed" in too_old.found
    assert server(Settings()) == []


def test_one_login_for_everything_is_warned_of() -> None:
    finding = logins(Settings(database_url="postgresql://db"))
    assert finding.level == "warn"
    assert "SWITCHBOARD_APP_DATABASE_URL" in finding.remedy


def test_one_of_two_logins_is_not_enough() -> None:
    finding = logins(Settings(app_database_url="postgresql://db"))
    assert (finding.level, finding.found) == ("fail", "SWITCHBOARD_SYSTEM_DATABASE_URL is not set")


def test_logins_that_migrate_has_prepared_are_fine(prepared: Settings) -> None:
    assert logins(prepared).level == "ok"


def test_a_login_that_may_do_too_much_or_too_little_fails(prepared: Settings) -> None:
    for url, fault in (
        (prepared.database_url, "owns tables"),
        (prepared.app_database_url, f"not a member of {SYSTEM_ROLE}"),
        ("postgresql://nobody:x@127.0.0.1:1/none", "does not connect"),
    ):
        finding = logins(prepared.model_copy(update={"system_database_url": url}))
        assert finding.level == "fail"
        assert finding.found.startswith("SWITCHBOARD_SYSTEM_DATABASE_URL ")
        assert fault in finding.found
