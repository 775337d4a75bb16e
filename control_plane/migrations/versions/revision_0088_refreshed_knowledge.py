"""Web pages among knowledge sources are fetched again as often as their tenant wants, and passages
are embedded again when the operator chooses another model."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0088"
down_revision = "0087"


def upgrade() -> None:
    op.add_column("knowledge_sources", sa.Column("refresh_hours", sa.Integer))
    op.add_column("knowledge_sources", sa.Column("refresh_at", sa.DateTime(timezone=True)))
    op.add_column("knowledge_sources", sa.Column("etag", sa.Text))
    op.add_column("knowledge_sources", sa.Column("last_modified", sa.Text))
    op.add_column("knowledge_sources", sa.Column("embedding_model", sa.Text))
    op.execute(
        "UPDATE knowledge_sources SET embedding_model = 'all-MiniLM-L6-v2-int8'"
        " WHERE bundle_digest IS NOT NULL"
    )
    op.create_index(
        "ix_knowledge_sources_refresh_at",
        "knowledge_sources",
        ["refresh_at"],
        postgresql_where=sa.text("refresh_at IS NOT NULL"),
    )
