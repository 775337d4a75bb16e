from __future__ import annotations

import pytest

from tests.control_plane.calling.sharing.visitors import Sharing
from tests.control_plane.conftest import TenantClient
from tests.control_plane.identity.accounts.conftest import outbox
from tests.control_plane.linked import consumer, redis, settings, worker

__all__ = ["consumer", "outbox", "redis", "settings", "worker"]


@pytest.fixture
async def sharing(tenant: TenantClient) -> Sharing:
    """A published agent without a public link."""
    agent_id = await tenant.published_agent(
        name="Reception line 2",
        persona={
            "name": "Mia",
            "role": "receptionist",
            "companyName": "Harbour Dental",
            "companyDescription": "A dental practice at the harbour.",
        },
    )
    return Sharing(tenant, agent_id)
