"""Scopes and rotation of API keys, and the do-not-call list."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from control_plane.migrations.tenancy import confine_to_tenant

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    _confine_publishable_keys()
    _give_keys_several_secrets()
    _create_do_not_call_list()


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _tenant_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "tenant_id",
        sa.Uuid,
        sa.ForeignKey("tenants.id"),
        nullable=False,
        primary_key=primary_key,
    )


def _confine_publishable_keys() -> None:
    op.add_column("api_keys", sa.Column("allowed_origins", ARRAY(sa.Text)))
    op.add_column("api_keys", sa.Column("phone_agent_id", sa.Uuid))
    # A key without an agent for phone calls could not start any.
    _past_row_level_security(
        "UPDATE api_keys SET allowed_channels = array_remove(allowed_channels, 'phone') "
        "WHERE 'phone' = ANY (allowed_channels)"
    )
    op.create_check_constraint(
        "phone_agent_id",
        "api_keys",
        "(phone_agent_id IS NOT NULL) = ('phone' = ANY (allowed_channels))",
    )


def _give_keys_several_secrets() -> None:
    op.create_unique_constraint("uq_api_keys_tenant_id_id", "api_keys", ["tenant_id", "id"])
    op.create_table(
        "api_key_secrets",
        sa.Column("key_hash", sa.LargeBinary, primary_key=True),
        _tenant_id(),
        sa.Column("api_key_id", sa.Uuid, nullable=False),
        _time("created_at"),
        sa.Column("expires_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(["tenant_id", "api_key_id"], ["api_keys.tenant_id", "api_keys.id"]),
    )
    op.create_index("ix_api_key_secrets_api_key_id", "api_key_secrets", ["api_key_id"])
    op.create_index(
        "uq_api_key_secrets_current",
        "api_key_secrets",
        ["api_key_id"],
        unique=True,
        postgresql_where="expires_at IS NULL",
    )
    _past_row_level_security(
        "INSERT INTO api_key_secrets (key_hash, tenant_id, api_key_id, created_at) "
        "SELECT key_hash, tenant_id, id, created_at FROM api_keys"
    )
    confine_to_tenant("api_key_secrets")
    op.drop_column("api_keys", "key_hash")


def _past_row_level_security(statement: str) -> None:
    """Row-level security also applies to the owner of the table, who must see every row here."""
    op.execute("ALTER TABLE api_keys NO FORCE ROW LEVEL SECURITY")
    op.execute(statement)
    op.execute("ALTER TABLE api_keys FORCE ROW LEVEL SECURITY")


def _create_do_not_call_list() -> None:
    op.create_table(
        "do_not_call_numbers",
        _tenant_id(primary_key=True),
        sa.Column("number", sa.Text, primary_key=True),
        sa.Column("reason", sa.Text),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("added_by_kind", sa.Text, nullable=False),
        sa.Column("added_by_id", sa.Uuid),
        sa.Column("added_by_label", sa.Text, nullable=False),
        _time("created_at"),
        sa.CheckConstraint("source IN ('api', 'dashboard', 'import')", name="source"),
        sa.CheckConstraint("number ~ '^[+][0-9]+$'", name="number"),
    )
    op.create_index(
        "ix_do_not_call_numbers_newest",
        "do_not_call_numbers",
        ["tenant_id", sa.text("created_at DESC"), "number"],
    )
    confine_to_tenant("do_not_call_numbers")
