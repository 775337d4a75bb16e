from __future__ import annotations

from tests.control_plane.linked import redis, settings

__all__ = ["redis", "settings"]
