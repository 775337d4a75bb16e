from __future__ import annotations

from tests.control_plane.calling.carriers.conftest import access, linked_settings, settings
from tests.control_plane.linked import consumer, redis, worker

__all__ = ["access", "consumer", "linked_settings", "redis", "settings", "worker"]
