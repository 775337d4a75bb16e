"""A call can be paid by another tenant than its own: by a tester, from an account of their own.

A reserve belongs to the tenant who pays, so its key can no longer lead to a call of the same
tenant. A trigger checks instead that the call is paid by the reserve's tenant. Requests run as one
tenant, and create no call that another one pays.
"""

from __future__ import annotations

from alembic import op

from control_plane.migrations.online import release_locks
from control_plane.platform.database import APP_ROLE

revision = "0090"
down_revision = "0089"


def upgrade() -> None:
    op.execute("ALTER TABLE calls ADD COLUMN IF NOT EXISTS payer_tenant_id uuid")
    op.execute("DROP POLICY IF EXISTS pays_itself ON calls")
    op.execute(
        f"""
        CREATE POLICY pays_itself ON calls AS RESTRICTIVE FOR INSERT TO {APP_ROLE}
        WITH CHECK (payer_tenant_id IS NULL)
        """
    )
    release_locks()
    op.execute(
        """
        CREATE OR REPLACE FUNCTION switchboard_check_payer() RETURNS trigger
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            IF NOT EXISTS (
                SELECT FROM calls
                WHERE id = NEW.call_id AND coalesce(payer_tenant_id, tenant_id) = NEW.tenant_id
            ) THEN
                RAISE EXCEPTION 'tenant % pays for no call %', NEW.tenant_id, NEW.call_id
                    USING ERRCODE = 'foreign_key_violation';
            END IF;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        """
        CREATE OR REPLACE TRIGGER check_payer
        BEFORE INSERT OR UPDATE OF call_id, tenant_id ON call_reserves
        FOR EACH ROW EXECUTE FUNCTION switchboard_check_payer()
        """
    )
    op.execute(
        "ALTER TABLE call_reserves"
        " DROP CONSTRAINT IF EXISTS fk_call_reserves_tenant_id_call_id_calls"
    )
