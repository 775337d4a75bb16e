"""A process that does the work of the role ``notifying`` until it is killed.

python -m tests.webhook_storm.delivering DATABASE_URL
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from contracts.sealing import derived_key
from control_plane.jobs import run_jobs
from control_plane.platform.job_roles import JobRole
from control_plane.platform.settings import ControlPlaneSettings


def settings_for(database_url: str) -> ControlPlaneSettings:
    return ControlPlaneSettings(
        database_url=database_url,
        # The role needs no Redis.
        redis_url="redis://127.0.0.1:1",
        public_url="http://switchboard.test",
        secret_key="a-secret-of-at-least-thirty-two-bytes",
        encryption_keys=(derived_key("of the storm"),),
        mail_outbox_dir=Path("/nonexistent"),
        knowledge_dir=Path("/nonexistent"),
        object_store_url="file:///nonexistent",
        environment="test",
        outbound_allowed_networks=("127.0.0.0/8",),
    )


def main() -> None:
    settings = settings_for(sys.argv[1])
    asyncio.run(run_jobs(settings, asyncio.Event(), roles=[JobRole.NOTIFYING]))


if __name__ == "__main__":
    main()
