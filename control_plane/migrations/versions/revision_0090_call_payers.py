"""A call can be paid by another tenant than its own: by a tester, from an account of their own.

Its reserve moves what the payer's account holds. Requests run as one tenant: they create no call
and see no reserve that another one pays.
"""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import release_locks
from control_plane.platform.database import APP_ROLE

revision = "0090"
down_revision = "0089"


def upgrade() -> None:
    for table, access in (("calls", "INSERT"), ("call_reserves", "ALL")):
        op.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS payer_tenant_id uuid")
        op.execute(f"DROP POLICY IF EXISTS pays_itself ON {table}")
        seen = "USING (payer_tenant_id IS NULL)" if access == "ALL" else ""
        op.execute(
            f"CREATE POLICY pays_itself ON {table} AS RESTRICTIVE FOR {access} TO {APP_ROLE}"
            f" {seen} WITH CHECK (payer_tenant_id IS NULL)"
        )
        release_locks()
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
                WHERE tenant_id = coalesce(NEW.payer_tenant_id, NEW.tenant_id,
                    OLD.payer_tenant_id, OLD.tenant_id);
            END IF;
            RETURN NULL;
        END $$
        """
    )
