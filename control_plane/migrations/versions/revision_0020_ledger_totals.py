"""Entries and reserves move the totals of their account, and nothing else does.

Triggers run as the owner of the tables. Whatever a process of the previous release writes into a
total is ignored, so it does not matter that it still writes the totals itself.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import (
    create_index_online,
    outside_transaction,
    release_locks,
)
from control_plane.migrations.tenancy import READ_ONLY, confine_to_tenant
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    _index_what_the_audit_reads()
    _refuse_credit_from_requests()
    release_locks()
    _let_the_owner_change("billing_accounts")
    release_locks()
    _create_ledger_days()
    _let_the_owner_change("ledger_days")
    _create_ledger_audits()
    _guard_accounts()
    _move_totals()


def _index_what_the_audit_reads() -> None:
    create_index_online(
        "ix_call_reserves_open",
        "call_reserves",
        ["tenant_id"],
        where="state = 'open'",
    )
    # Entries lie in the order of their time, so this index stays tiny.
    with outside_transaction():
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS ix_ledger_entries_time")
        op.execute(
            "CREATE INDEX CONCURRENTLY ix_ledger_entries_time ON ledger_entries"
            " USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on)"
        )


def _create_ledger_days() -> None:
    """What a tenant's entries of one UTC day add up to."""
    op.create_table(
        "ledger_days",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("entries", sa.BigInteger, nullable=False),
        sa.Column("free_micros", sa.BigInteger, nullable=False),
        sa.Column("purchased_micros", sa.BigInteger, nullable=False),
        sa.Column("charged_micros", sa.BigInteger, nullable=False),
        # Each charge updates a row, which then stays in its page.
        postgresql_with={"fillfactor": 70},
    )
    op.create_index(None, "ledger_days", ["day"])
    confine_to_tenant("ledger_days", privileges=READ_ONLY)


def _create_ledger_audits() -> None:
    """When the entries of each day were last compared with their totals, and with which result."""
    op.create_table(
        "ledger_audits",
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("audited_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("balanced", sa.Boolean, nullable=False),
    )
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON ledger_audits TO {SYSTEM_ROLE}")


def _let_the_owner_change(table: str) -> None:
    """Row-level security applies to the owner, as whom the triggers run."""
    op.execute(f"DROP POLICY IF EXISTS ledger_access ON {table}")
    op.execute(
        f"CREATE POLICY ledger_access ON {table} TO CURRENT_USER USING (true) WITH CHECK (true)"
    )


def _guard_accounts() -> None:
    """Locking an account needs the right to update it, so the roles have it. This trigger refuses
    the update itself. Where one login serves by assuming the roles, as in release 0.1, the update
    is let through without its totals."""
    op.execute(f"REVOKE DELETE ON billing_accounts FROM {APP_ROLE}, {SYSTEM_ROLE}")
    op.execute(
        """
        CREATE FUNCTION switchboard_guard_account() RETURNS trigger
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            IF current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID)
            THEN
                RETURN NEW;
            END IF;
            IF TG_OP = 'INSERT' THEN
                NEW.free_micros := 0;
                NEW.purchased_micros := 0;
                NEW.held_micros := 0;
                RETURN NEW;
            END IF;
            IF current_user = session_user THEN
                RAISE EXCEPTION 'an account changes only by entries and reserves'
                    USING ERRCODE = 'insufficient_privilege';
            END IF;
            NEW.free_micros := OLD.free_micros;
            NEW.purchased_micros := OLD.purchased_micros;
            NEW.held_micros := OLD.held_micros;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER guard_account BEFORE INSERT OR UPDATE ON billing_accounts
        FOR EACH ROW EXECUTE FUNCTION switchboard_guard_account()
        """
    )


def _move_totals() -> None:
    op.execute(
        """
        CREATE FUNCTION switchboard_post_entries() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            UPDATE billing_accounts AS account SET
                free_micros = account.free_micros + posted.free_micros,
                purchased_micros = account.purchased_micros + posted.purchased_micros
            FROM (
                SELECT tenant_id, sum(free_micros) AS free_micros,
                    sum(purchased_micros) AS purchased_micros
                FROM added GROUP BY tenant_id
            ) AS posted
            WHERE account.tenant_id = posted.tenant_id;
            INSERT INTO ledger_days AS kept
                (tenant_id, day, entries, free_micros, purchased_micros, charged_micros)
            SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date, count(*), sum(free_micros),
                sum(purchased_micros), coalesce(sum(-free_micros - purchased_micros)
                    FILTER (WHERE transaction_type = 'charge'), 0)
            FROM added GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (tenant_id, day) DO UPDATE SET
                entries = kept.entries + excluded.entries,
                free_micros = kept.free_micros + excluded.free_micros,
                purchased_micros = kept.purchased_micros + excluded.purchased_micros,
                charged_micros = kept.charged_micros + excluded.charged_micros;
            RETURN NULL;
        END $$
        """
    )
    op.execute(
        """
        CREATE FUNCTION switchboard_move_hold() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        DECLARE
            more bigint := 0;
        BEGIN
            IF TG_OP <> 'DELETE' AND NEW.state = 'open' THEN
                more := NEW.held_micros;
            END IF;
            IF TG_OP <> 'INSERT' AND OLD.state = 'open' THEN
                more := more - OLD.held_micros;
            END IF;
            IF more <> 0 THEN
                UPDATE billing_accounts SET held_micros = held_micros + more
                WHERE tenant_id = coalesce(NEW.tenant_id, OLD.tenant_id);
            END IF;
            RETURN NULL;
        END $$
        """
    )
    # Creating them waits for transactions that have written already.
    op.execute(
        """
        CREATE TRIGGER move_hold AFTER INSERT OR DELETE OR UPDATE OF state, held_micros, tenant_id
        ON call_reserves FOR EACH ROW EXECUTE FUNCTION switchboard_move_hold()
        """
    )
    op.execute(
        """
        CREATE TRIGGER post_entries AFTER INSERT ON ledger_entries
        REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION switchboard_post_entries()
        """
    )


def _refuse_credit_from_requests() -> None:
    op.execute("DROP POLICY IF EXISTS charges_only ON ledger_entries")
    op.execute(
        f"""
        CREATE POLICY charges_only ON ledger_entries AS RESTRICTIVE FOR INSERT TO {APP_ROLE}
        WITH CHECK (
            transaction_type = 'charge' AND free_micros <= 0 AND purchased_micros <= 0
        )
        """
    )
