from __future__ import annotations

from tests.control_plane.linked import consumer, redis, settings, worker

__all__ = ["consumer", "redis", "settings", "worker"]
