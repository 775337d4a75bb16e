from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipelines.engine.channels.realtime.vendors import NAMES, RealtimeVendor, vendor


@pytest.fixture(params=NAMES)
def realtime(request: pytest.FixtureRequest, tmp_path: Path) -> RealtimeVendor:
    """Each of the vendors."""
    return vendor(request.param, tmp_path)


@pytest.fixture
def google(tmp_path: Path) -> RealtimeVendor:
    return vendor("google", tmp_path)
