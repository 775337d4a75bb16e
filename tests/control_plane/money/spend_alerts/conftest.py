from __future__ import annotations

from tests.control_plane.notifying.notifications.conftest import (
    consumer,
    mailbox,
    redis,
    run_jobs,
    settings,
    with_refusing_smtp,
    with_smtp,
    worker,
)

__all__ = [
    "consumer",
    "mailbox",
    "redis",
    "run_jobs",
    "settings",
    "with_refusing_smtp",
    "with_smtp",
    "worker",
]
