from __future__ import annotations

from tests.control_plane.calling.recordings.conftest import (
    call,
    consumer,
    linked_settings,
    redis,
    settings,
    worker,
)

__all__ = ["call", "consumer", "linked_settings", "redis", "settings", "worker"]
