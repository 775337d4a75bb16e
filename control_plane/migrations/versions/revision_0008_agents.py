"""Revisions, soft deletion and list columns of agents; versions as one canonical snapshot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_LISTED = ("voice", "llm_provider", "llm_model", "agent_kind", "language")


def upgrade() -> None:
    with _rows_of_every_tenant("agents"), _rows_of_every_tenant("agent_versions"):
        _forget_tools_without_schema()
        _give_versions_snapshots()
    _extend_agents()


@contextmanager
def _rows_of_every_tenant(table: str) -> Iterator[None]:
    """Lift row-level security for the table's owner, who would otherwise see no row to change."""
    op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    yield
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def _forget_tools_without_schema() -> None:
    """Remove all tools. Until now any object was accepted as a tool, and none was ever run."""
    op.execute("ALTER TABLE agent_versions DISABLE TRIGGER refuse_change")
    for table in ("agents", "agent_versions"):
        op.execute(
            f"UPDATE {table} SET config = jsonb_set(config, '{{tools}}', '[]') "
            "WHERE config -> 'tools' <> '[]'"
        )
    with _rows_of_every_tenant("calls"):
        op.execute(
            "UPDATE calls SET plan = jsonb_set(plan, '{agent,tools}', '[]') "
            "WHERE plan #> '{agent,tools}' <> '[]'"
        )


def _give_versions_snapshots() -> None:
    op.add_column("agent_versions", sa.Column("snapshot", sa.Text))
    op.add_column("agent_versions", sa.Column("digest", sa.Text))
    op.add_column("agent_versions", sa.Column("restored_from", sa.Integer))
    connection = op.get_bind()
    rows = connection.execute(
        sa.text(
            "SELECT agent_id, version, config, provider_config, compiled_prompt FROM agent_versions"
        )
    )
    for row in rows.mappings().all():
        snapshot = json.dumps(
            {
                "config": row["config"],
                "provider_config": row["provider_config"],
                "compiled_prompt": row["compiled_prompt"],
            },
            ensure_ascii=False,
            separators=(",", ":"),
            sort_keys=True,
        )
        connection.execute(
            sa.text(
                "UPDATE agent_versions SET snapshot = :snapshot, digest = :digest "
                "WHERE agent_id = :agent_id AND version = :version"
            ),
            {
                "snapshot": snapshot,
                "digest": hashlib.sha256(snapshot.encode()).hexdigest(),
                "agent_id": row["agent_id"],
                "version": row["version"],
            },
        )
    op.alter_column("agent_versions", "snapshot", nullable=False)
    op.alter_column("agent_versions", "digest", nullable=False)
    for replaced in ("config", "provider_config", "compiled_prompt"):
        op.drop_column("agent_versions", replaced)
    op.execute("ALTER TABLE agent_versions ENABLE TRIGGER refuse_change")


def _extend_agents() -> None:
    op.add_column(
        "agents", sa.Column("revision", sa.BigInteger, nullable=False, server_default="1")
    )
    op.add_column("agents", sa.Column("deleted_at", sa.DateTime(timezone=True)))
    for name in _LISTED:
        op.add_column(
            "agents",
            sa.Column(name, sa.Text, sa.Computed(f"config ->> '{name}'", persisted=True)),
        )
    op.drop_index("ix_agents_tenant_id", "agents")
    op.create_index(
        "ix_agents_newest",
        "agents",
        ["tenant_id", sa.text("created_at DESC"), "id"],
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
