from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login.attempts import (
    LOGINS_PER_ADDRESS,
    Limit,
    count_attempt,
    network_of,
    refuse_if_used_up,
)
from control_plane.identity.accounts.login.service import prove_password
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.identity.accounts.sessions.browser import Browser
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import RequestOrigin

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
COUNTER = Limit("test of used-up counters", 1, 60).of("203.0.113.9")
BROWSER = Browser(RequestOrigin("203.0.113.9"))


def unused() -> None:
    raise AssertionError("the database was asked")


async def test_who_was_refused_a_moment_ago_is_refused_without_the_database(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await count_attempt(database, [COUNTER], NOW)
    with pytest.raises(TooManyAttempts):
        await count_attempt(database, [COUNTER], NOW)

    with monkeypatch.context() as without_database:
        without_database.setattr(database, "system_session", unused)
        without_database.setattr(database, "system_statements", unused)
        for refused in (count_attempt(database, [COUNTER], NOW), _checked(database)):
            with pytest.raises(TooManyAttempts) as told:
                await refused
            assert told.value.headers["Retry-After"] == "60"
    await count_attempt(database, [COUNTER], NOW + timedelta(seconds=61))


@pytest.mark.parametrize("device_token", [None, "a device that may be known"])
async def test_a_login_of_an_address_over_its_limit_asks_no_database(
    device_token: str | None, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = LOGINS_PER_ADDRESS.of(network_of(BROWSER.origin.address))
    browser = replace(BROWSER, device_token=device_token)
    for _ in range(LOGINS_PER_ADDRESS.attempts):
        await count_attempt(database, [counter], NOW)
    with pytest.raises(TooManyAttempts):
        await count_attempt(database, [counter], NOW)
    with monkeypatch.context() as without_database:
        without_database.setattr(database, "system_session", unused)
        with pytest.raises(TooManyAttempts):
            await prove_password(database, Passwords(), browser, "a@b.example", "guess", NOW)


async def _checked(database: Database) -> None:
    await refuse_if_used_up(database, COUNTER, NOW)
