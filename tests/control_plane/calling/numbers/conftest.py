from __future__ import annotations

from tests.control_plane.calling.carriers.conftest import access, linked_settings, redis, settings

__all__ = ["access", "linked_settings", "redis", "settings"]
