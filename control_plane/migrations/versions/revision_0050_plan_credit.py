"""A third bucket, plan credit, and holds that know their buckets.

A process of the previous release names none of the new columns. What it holds counts as held in the
purchased bucket, which keeps the sums right, and what it charges comes from the two old buckets.
"""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import outside_transaction, release_locks
from control_plane.platform.database import APP_ROLE

revision = "0050"
down_revision = "0041"

TRANSACTION_TYPES = (
    "grant",
    "charge",
    "debit",
    "correction",
    "topup",
    "bonus",
    "refund",
    "dispute",
    "expiry",
)


def upgrade() -> None:
    _add_columns()
    release_locks()
    _allow_transaction_types()
    _let_settings_change()
    _move_totals()
    release_locks()
    _follow_holds()
    release_locks()
    _allow_expiry_of_requests()
    release_locks()
    op.execute(
        "CREATE INDEX IF NOT EXISTS ix_billing_accounts_watched ON billing_accounts (tenant_id)"
        " WHERE watch_below_micros IS NOT NULL"
    )


def _add_columns() -> None:
    zero = "bigint NOT NULL DEFAULT 0"
    op.execute(f"ALTER TABLE ledger_entries ADD COLUMN IF NOT EXISTS plan_micros {zero}")
    release_locks()
    op.execute(f"ALTER TABLE ledger_days ADD COLUMN IF NOT EXISTS plan_micros {zero}")
    release_locks()
    op.execute(
        f"""
        ALTER TABLE call_reserves
            ADD COLUMN IF NOT EXISTS held_plan_micros {zero},
            ADD COLUMN IF NOT EXISTS held_free_micros {zero},
            ADD COLUMN IF NOT EXISTS carried_micros {zero},
            ADD COLUMN IF NOT EXISTS plan_period date
        """
    )
    release_locks()
    op.execute(
        f"""
        ALTER TABLE billing_accounts
            ADD COLUMN IF NOT EXISTS plan_micros {zero},
            ADD COLUMN IF NOT EXISTS held_plan_micros {zero},
            ADD COLUMN IF NOT EXISTS held_free_micros {zero},
            ADD COLUMN IF NOT EXISTS plan_period date,
            ADD COLUMN IF NOT EXISTS extra_usage boolean NOT NULL DEFAULT true,
            ADD COLUMN IF NOT EXISTS watch_below_micros bigint
        """
    )


def _allow_transaction_types() -> None:
    """The new constraint allows everything that the old one does, so it may replace it before the
    rows are checked, which takes long and is done without a lock that stops others."""
    types = ", ".join(f"'{each}'" for each in TRANSACTION_TYPES)
    name = "ck_ledger_entries_transaction_type"
    op.execute(f"ALTER TABLE ledger_entries DROP CONSTRAINT IF EXISTS {name}")
    op.execute(
        f"ALTER TABLE ledger_entries ADD CONSTRAINT {name}"
        f" CHECK (transaction_type IN ({types})) NOT VALID"
    )
    with outside_transaction():
        op.execute(f"ALTER TABLE ledger_entries VALIDATE CONSTRAINT {name}")


def _let_settings_change() -> None:
    """As in revision 0020, for three buckets, and for updates of these columns alone: others are
    settings, such as whether extra usage is allowed."""
    op.execute(
        """
        CREATE OR REPLACE FUNCTION switchboard_guard_account() RETURNS trigger
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            IF current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID)
            THEN
                RETURN NEW;
            END IF;
            IF TG_OP = 'INSERT' THEN
                NEW.plan_micros := 0;
                NEW.free_micros := 0;
                NEW.purchased_micros := 0;
                NEW.held_micros := 0;
                NEW.held_plan_micros := 0;
                NEW.held_free_micros := 0;
                RETURN NEW;
            END IF;
            IF current_user = session_user THEN
                RAISE EXCEPTION 'an account changes only by entries and reserves'
                    USING ERRCODE = 'insufficient_privilege';
            END IF;
            NEW.plan_micros := OLD.plan_micros;
            NEW.free_micros := OLD.free_micros;
            NEW.purchased_micros := OLD.purchased_micros;
            NEW.held_micros := OLD.held_micros;
            NEW.held_plan_micros := OLD.held_plan_micros;
            NEW.held_free_micros := OLD.held_free_micros;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        """
        CREATE OR REPLACE TRIGGER guard_account BEFORE INSERT OR UPDATE OF tenant_id, is_active,
            plan_micros, free_micros, purchased_micros, held_micros, held_plan_micros,
            held_free_micros
        ON billing_accounts FOR EACH ROW EXECUTE FUNCTION switchboard_guard_account()
        """
    )


def _move_totals() -> None:
    op.execute(
        """
        CREATE OR REPLACE FUNCTION switchboard_post_entries() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            UPDATE billing_accounts AS account SET
                plan_micros = account.plan_micros + posted.plan_micros,
                free_micros = account.free_micros + posted.free_micros,
                purchased_micros = account.purchased_micros + posted.purchased_micros
            FROM (
                SELECT tenant_id, sum(plan_micros) AS plan_micros,
                    sum(free_micros) AS free_micros, sum(purchased_micros) AS purchased_micros
                FROM added GROUP BY tenant_id
            ) AS posted
            WHERE account.tenant_id = posted.tenant_id;
            INSERT INTO ledger_days AS kept (tenant_id, day, entries, plan_micros, free_micros,
                purchased_micros, charged_micros)
            SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date, count(*), sum(plan_micros),
                sum(free_micros), sum(purchased_micros),
                coalesce(sum(-plan_micros - free_micros - purchased_micros)
                    FILTER (WHERE transaction_type = 'charge'), 0)
            FROM added GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (tenant_id, day) DO UPDATE SET
                entries = kept.entries + excluded.entries,
                plan_micros = kept.plan_micros + excluded.plan_micros,
                free_micros = kept.free_micros + excluded.free_micros,
                purchased_micros = kept.purchased_micros + excluded.purchased_micros,
                charged_micros = kept.charged_micros + excluded.charged_micros;
            RETURN NULL;
        END $$
        """
    )


def _follow_holds() -> None:
    """The previous release lowers what a reserve holds and leaves the new columns as they are, so
    the part of each bucket counts at most as far as the whole hold goes."""
    op.execute(
        """
        CREATE OR REPLACE FUNCTION switchboard_move_hold() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        DECLARE
            more bigint := 0;
            more_plan bigint := 0;
            more_free bigint := 0;
            of_plan bigint;
        BEGIN
            IF TG_OP <> 'DELETE' AND NEW.state = 'open' THEN
                of_plan := least(NEW.held_plan_micros, NEW.held_micros);
                more := NEW.held_micros;
                more_plan := of_plan;
                more_free := least(NEW.held_free_micros, NEW.held_micros - of_plan);
            END IF;
            IF TG_OP <> 'INSERT' AND OLD.state = 'open' THEN
                of_plan := least(OLD.held_plan_micros, OLD.held_micros);
                more := more - OLD.held_micros;
                more_plan := more_plan - of_plan;
                more_free := more_free - least(OLD.held_free_micros, OLD.held_micros - of_plan);
            END IF;
            IF more <> 0 OR more_plan <> 0 OR more_free <> 0 THEN
                UPDATE billing_accounts SET
                    held_micros = held_micros + more,
                    held_plan_micros = held_plan_micros + more_plan,
                    held_free_micros = held_free_micros + more_free
                WHERE tenant_id = coalesce(NEW.tenant_id, OLD.tenant_id);
            END IF;
            RETURN NULL;
        END $$
        """
    )
    op.execute(
        """
        CREATE OR REPLACE TRIGGER move_hold AFTER INSERT OR DELETE
        OR UPDATE OF state, held_micros, held_plan_micros, held_free_micros, tenant_id
        ON call_reserves FOR EACH ROW EXECUTE FUNCTION switchboard_move_hold()
        """
    )


def _allow_expiry_of_requests() -> None:
    """What a call gives back of an earlier month's plan credit expires with its settlement."""
    op.execute("DROP POLICY IF EXISTS charges_only ON ledger_entries")
    op.execute(
        f"""
        CREATE POLICY charges_only ON ledger_entries AS RESTRICTIVE FOR INSERT TO {APP_ROLE}
        WITH CHECK (
            transaction_type IN ('charge', 'expiry')
            AND plan_micros <= 0 AND free_micros <= 0 AND purchased_micros <= 0
        )
        """
    )
