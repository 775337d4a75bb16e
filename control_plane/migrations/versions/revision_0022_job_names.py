"""The roles add only the jobs that they need. ``switchboard migrate`` fills ``job_names``."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.job_queue import (
    create_job_queue,
    restrict_job_queue,
    write_job_names,
)
from control_plane.migrations.tenancy import share_with_all_tenants

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "job_names",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("by_requests", sa.Boolean, nullable=False),
    )
    share_with_all_tenants("job_names")
    # In the same transaction as the check: the previous release's processes add jobs meanwhile.
    write_job_names(op.get_bind())
    create_job_queue()
    restrict_job_queue()
