"""Seats are limited, and watched over until nobody sits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import ExitStack
from typing import cast
from uuid import uuid4

import pytest

from control_plane.calling.live_view import viewer_seats
from control_plane.calling.live_view.errors import TooManyViewers, ViewerShareUsedUp
from control_plane.calling.live_view.viewer_seats import RECHECK_SECONDS, ViewerSeats
from control_plane.identity.authentication.open_credentials import Credential, key_credential
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from tests.control_plane.conftest import PATIENCE_SECONDS

NO_DATABASE = cast(Database, None)
OURS, THEIRS = key_credential("ours", uuid4()), key_credential("theirs", uuid4())


@pytest.fixture
async def seats() -> AsyncIterator[ViewerSeats]:
    made = ViewerSeats(NO_DATABASE, most=4, most_per_tenant=3, recheck_seconds=0.0)
    yield made
    await made.aclose()


def test_a_revoked_key_is_noticed_within_5_s() -> None:
    assert RECHECK_SECONDS <= 5


async def test_a_tenant_has_so_many_seats_and_the_process_too(seats: ViewerSeats) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(seats.taken(OURS))
        with seats.taken(OURS), pytest.raises(ViewerShareUsedUp):
            stack.enter_context(seats.taken(OURS))
        stack.enter_context(seats.taken(OURS))
        stack.enter_context(seats.taken(THEIRS))
        with pytest.raises(TooManyViewers):
            stack.enter_context(seats.taken(THEIRS))


@pytest.mark.parametrize("error", [DatabaseUnavailable(), RuntimeError("a bug")])
async def test_no_error_keeps_a_revoked_key_s_streams_open(
    seats: ViewerSeats, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    errors = [error]

    async def none_is_open(_: Database, asked: Collection[Credential]) -> set[Credential]:
        if errors:
            raise errors.pop()
        return set()

    monkeypatch.setattr(viewer_seats, "still_open", none_is_open)
    with seats.taken(OURS) as seat:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await seat.revoked.wait()
