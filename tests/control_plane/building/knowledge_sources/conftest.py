from __future__ import annotations

import pytest

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.knowledge_sources.ingesting import Sources
from tests.control_plane.conftest import TenantClient


@pytest.fixture
async def sources(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> Sources:
    return Sources(tenant, await tenant.agent(), database, settings)
