from __future__ import annotations

import pytest
from fastapi import FastAPI

from control_plane.platform.settings import ControlPlaneSettings, DialingSettings
from tests.control_plane.carriers_apart import BRIDGE_URL, FakeAccess
from tests.control_plane.linked import redis
from tests.control_plane.linked import settings as linked_settings

__all__ = ["linked_settings", "redis"]


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    dialing = DialingSettings(connects_accounts=True)
    return linked_settings.model_copy(update={"bridge_public_url": BRIDGE_URL, "dialing": dialing})


@pytest.fixture
def access(app: FastAPI) -> FakeAccess:
    fake = FakeAccess(app.state.carrier_access)
    app.state.carrier_access = fake
    return fake
