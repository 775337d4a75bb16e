"""The agents of ``examples/`` can be saved and published as they are."""

from __future__ import annotations

import pytest

from tests.control_plane.conftest import TenantClient
from tests.examples.conversation import agent_document, example_names


@pytest.mark.parametrize("name", example_names())
async def test_an_example_can_be_published(tenant: TenantClient, name: str) -> None:
    saved = await tenant.post("/v1/agents", agent_document(name))
    assert saved.status_code == 201, saved.text
    published = await tenant.post(f"/v1/agents/{saved.json()['id']}/publish")
    assert published.status_code == 200, published.text
