"""Answers to idempotent requests, and editions of the catalogue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import confine_to_tenant, share_with_all_tenants
from control_plane.platform.database import SYSTEM_ROLE

revision = "0010"
down_revision = "0009"

_CATALOGUE = (
    "catalogue_models",
    "catalogue_voices",
    "managed_skus",
    "price_rows",
    "provider_capabilities",
)


def upgrade() -> None:
    _create_answered_requests()
    _create_catalogue_editions()


def _create_answered_requests() -> None:
    table = "answered_requests"
    op.create_table(
        table,
        sa.Column("key_digest", sa.LargeBinary, primary_key=True),
        # The operator's requests belong to no tenant.
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id")),
        sa.Column("request_digest", sa.LargeBinary, nullable=False),
        sa.Column("sealed_answer", sa.Text, nullable=False),
        sa.Column(
            "claimed_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
    )
    op.create_index(f"ix_{table}_claimed_at", table, ["claimed_at"])
    confine_to_tenant(table, privileges=("SELECT", "INSERT", "UPDATE"))
    op.execute(f"GRANT DELETE ON {table} TO {SYSTEM_ROLE}")


def _create_catalogue_editions() -> None:
    """A number that changes with the catalogue's tables, so that processes notice when their copy
    is out of date."""
    table = "catalogue_editions"
    editions = op.create_table(
        table,
        sa.Column("only_row", sa.Boolean, primary_key=True, server_default=sa.true()),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.CheckConstraint("only_row", name="only_row"),
    )
    op.bulk_insert(editions, [{"number": 1}])
    share_with_all_tenants(table)
    op.execute(f"GRANT UPDATE ON {table} TO {SYSTEM_ROLE}")
    op.execute(
        f"""
        CREATE FUNCTION switchboard_next_edition() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE {table} SET number = number + 1;
            RETURN NULL;
        END $$
        """
    )
    for each in _CATALOGUE:
        op.execute(
            f"""
            CREATE TRIGGER next_edition AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {each}
            FOR EACH STATEMENT EXECUTE FUNCTION switchboard_next_edition()
            """
        )
