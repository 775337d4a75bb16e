from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from control_plane.platform.database import Database
from tests.control_plane.money.billing.books import new_tenant


@pytest.fixture
async def books(postgres_url: str) -> AsyncIterator[Database]:
    database = Database(postgres_url, deadline_seconds=30)
    yield database
    await database.aclose()


@pytest.fixture
async def account(books: Database) -> UUID:
    """A tenant whose account is empty."""
    return await new_tenant(books)
