from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from link.connection import connect


@pytest.fixture(params=[2, 3], ids=["protocol 2", "protocol 3"])
async def redis(request: pytest.FixtureRequest, valkey_url: str) -> AsyncIterator[Redis]:
    """A client of an empty Valkey, in each version of the protocol."""
    client = connect(
        f"{valkey_url}?protocol={request.param}",
        connect_timeout_seconds=2,
        answer_timeout_seconds=2,
        longest_block_seconds=5,
    )
    yield client
    await client.aclose()
