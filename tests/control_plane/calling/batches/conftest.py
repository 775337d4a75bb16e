from __future__ import annotations

from tests.control_plane.calling.dialing.conftest import (
    carrier,
    linked_settings,
    phones,
    redis,
    settings,
    worker,
)

__all__ = ["carrier", "linked_settings", "phones", "redis", "settings", "worker"]
