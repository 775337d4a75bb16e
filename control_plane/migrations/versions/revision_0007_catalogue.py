"""Managed SKUs, provider capabilities and the catalogue's facts about each model."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

from control_plane.migrations.tenancy import make_append_only, share_with_all_tenants
from control_plane.platform.database import SYSTEM_ROLE

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    _extend_models()
    _extend_voices()
    _create_managed_skus()
    _create_provider_capabilities()
    _create_catalogue_loads()
    op.create_check_constraint(
        "component", "price_rows", "component IN ('stt', 'llm', 'tts', 'platform', 'managed_sku')"
    )
    _let_operators_edit()


def _edited_at() -> sa.Column[object]:
    return sa.Column("edited_at", sa.DateTime(timezone=True))


def _extend_models() -> None:
    table = "catalogue_models"
    yes, no = sa.true(), sa.false()
    for column in (
        sa.Column("modality", sa.Text, nullable=False, server_default="text"),
        sa.Column("latency_ms", sa.Integer),
        sa.Column("reasoning_supported", sa.Boolean, nullable=False, server_default=no),
        sa.Column("supports_tools", sa.Boolean, nullable=False, server_default=yes),
        sa.Column("required_tier", sa.Text),
        sa.Column("byok_required", sa.Boolean, nullable=False, server_default=no),
        _edited_at(),
    ):
        op.add_column(table, column)
    op.create_check_constraint("modality", table, "modality IN ('text', 'audio', 'realtime')")
    op.create_check_constraint("required_tier", table, "required_tier IN ('free', 'enterprise')")
    op.create_check_constraint("latency_ms", table, "latency_ms >= 0")


def _extend_voices() -> None:
    op.add_column("catalogue_voices", _edited_at())
    op.create_check_constraint(
        "gender", "catalogue_voices", "gender IN ('female', 'male', 'neutral')"
    )


def _create_managed_skus() -> None:
    op.create_table(
        "managed_skus",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("best_for", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("features", ARRAY(sa.Text), nullable=False),
        sa.Column("stt_provider", sa.Text, nullable=False),
        sa.Column("stt_model", sa.Text, nullable=False),
        sa.Column("llm_provider", sa.Text, nullable=False),
        sa.Column("llm_model", sa.Text, nullable=False),
        sa.Column("tts_provider", sa.Text, nullable=False),
        sa.Column("tts_model", sa.Text, nullable=False),
        sa.Column("voice", sa.Text, nullable=False),
        sa.Column("supported_languages", ARRAY(sa.Text), nullable=False),
        sa.Column("sort_order", sa.Integer, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        _edited_at(),
    )
    share_with_all_tenants("managed_skus")


def _create_provider_capabilities() -> None:
    op.create_table(
        "provider_capabilities",
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("channels", ARRAY(sa.Text), nullable=False),
        sa.Column("realtime", sa.Boolean, nullable=False),
    )
    share_with_all_tenants("provider_capabilities")


def _create_catalogue_loads() -> None:
    op.create_table(
        "catalogue_loads",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column(
            "loaded_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
    )
    make_append_only("catalogue_loads")
    share_with_all_tenants("catalogue_loads")


def _let_operators_edit() -> None:
    """Tenants' requests read the catalogue; only the operator's requests, in the system role, write
    it."""
    for table in ("catalogue_models", "catalogue_voices", "managed_skus"):
        op.execute(f"GRANT INSERT, UPDATE ON {table} TO {SYSTEM_ROLE}")
    op.execute(f"GRANT INSERT ON price_rows TO {SYSTEM_ROLE}")
