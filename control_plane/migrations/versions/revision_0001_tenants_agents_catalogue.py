"""Tenants, users, API keys, agents and the catalogue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from control_plane.migrations.tenancy import (
    APPEND_ONLY,
    confine_to_tenant,
    create_append_only_function,
    create_roles,
    create_tenant_function,
    make_append_only,
    share_with_all_tenants,
)

revision = "0001"
down_revision = None


def upgrade() -> None:
    create_roles()
    create_tenant_function()
    create_append_only_function()
    _create_accounts()
    _create_agents()
    _create_catalogue()


def _created_at() -> sa.Column[object]:
    return sa.Column(
        "created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
    )


def _tenant_id() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False)


def _create_accounts() -> None:
    op.create_table(
        "tenants",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        _created_at(),
    )
    confine_to_tenant("tenants", tenant_column="id")

    op.create_table(
        "users",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        _created_at(),
        sa.UniqueConstraint("tenant_id", "email"),
        sa.CheckConstraint("role IN ('owner', 'admin', 'member')", name="role"),
    )
    confine_to_tenant("users")

    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("key_hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("allowed_channels", ARRAY(sa.Text), nullable=False),
        sa.Column("allowed_agent_ids", ARRAY(sa.Uuid)),
        _created_at(),
        sa.Column("last_used_at", sa.DateTime(timezone=True)),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("kind IN ('secret', 'publishable')", name="kind"),
    )
    op.create_index(None, "api_keys", ["tenant_id", "created_at"])
    confine_to_tenant("api_keys")


def _create_agents() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("config", JSONB, nullable=False),
        sa.Column("provider_config", JSONB, nullable=False),
        sa.Column("compiled_prompt", sa.Text, nullable=False),
        sa.Column("published_version", sa.Integer),
        _created_at(),
        sa.Column(
            "updated_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
        # Row-level security does not apply to checks of foreign keys. With the tenant in the key
        # they cannot reach another tenant's row.
        sa.UniqueConstraint("tenant_id", "id"),
    )
    op.create_index(None, "agents", ["tenant_id", "created_at", "id"])
    confine_to_tenant("agents")

    op.create_table(
        "agent_versions",
        sa.Column("agent_id", sa.Uuid, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        _tenant_id(),
        sa.Column("config", JSONB, nullable=False),
        sa.Column("provider_config", JSONB, nullable=False),
        sa.Column("compiled_prompt", sa.Text, nullable=False),
        sa.Column(
            "published_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
        sa.ForeignKeyConstraint(["tenant_id", "agent_id"], ["agents.tenant_id", "agents.id"]),
    )
    confine_to_tenant("agent_versions", privileges=APPEND_ONLY)
    make_append_only("agent_versions")


def _create_catalogue() -> None:
    op.create_table(
        "catalogue_models",
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("provider_name", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("channels", ARRAY(sa.Text), nullable=False),
        sa.Column("languages", ARRAY(sa.Text), nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
    )
    op.create_table(
        "catalogue_voices",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("gender", sa.Text, nullable=False),
        sa.Column("languages", ARRAY(sa.Text), nullable=False),
        sa.Column("models", ARRAY(sa.Text), nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
    )
    op.create_table(
        "price_rows",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("component", sa.Text, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("micros_per_minute", sa.BigInteger, nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("component", "provider", "model", "valid_from"),
        sa.CheckConstraint("micros_per_minute >= 0", name="micros_per_minute"),
    )
    make_append_only("price_rows")
    for table in ("catalogue_models", "catalogue_voices", "price_rows"):
        share_with_all_tenants(table)
