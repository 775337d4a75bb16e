from __future__ import annotations

from tests.control_plane.calling.dialing.conftest import (
    carrier,
    computed_openings,
    linked_settings,
    no_bridge,
    phones,
    redis,
    settings,
    worker,
)

__all__ = [
    "carrier",
    "computed_openings",
    "linked_settings",
    "no_bridge",
    "phones",
    "redis",
    "settings",
    "worker",
]
