from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login.attempts import (
    Limit,
    count_attempt,
    refuse_if_used_up,
)
from control_plane.platform.database import Database

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
COUNTER = Limit("test of used-up counters", 1, 60).of("203.0.113.9")


async def test_who_was_refused_a_moment_ago_is_refused_without_the_database(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await count_attempt(database, [COUNTER], NOW)
    with pytest.raises(TooManyAttempts):
        await count_attempt(database, [COUNTER], NOW)

    def unused() -> None:
        raise AssertionError("the database was asked")

    with monkeypatch.context() as without_database:
        without_database.setattr(database, "system_session", unused)
        without_database.setattr(database, "system_statements", unused)
        for refused in (count_attempt(database, [COUNTER], NOW), _checked(database)):
            with pytest.raises(TooManyAttempts) as told:
                await refused
            assert told.value.headers["Retry-After"] == "60"
    await count_attempt(database, [COUNTER], NOW + timedelta(seconds=61))


async def _checked(database: Database) -> None:
    await refuse_if_used_up(database, COUNTER, NOW)
