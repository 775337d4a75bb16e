"""Row-level security for the tables that a migration creates: the second barrier between tenants.

For every table with tenants' records, the revision that creates it calls ``confine_to_tenant``. A
test finds tables without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from alembic import op

from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

READ_WRITE = ("SELECT", "INSERT", "UPDATE", "DELETE")
APPEND_ONLY = ("SELECT", "INSERT")
READ_ONLY = ("SELECT",)


def create_roles() -> None:
    """Create the two roles. Roles belong to the server, not to the database, so they may already
    exist. The login may assume them but does not inherit their rights: a connection that did not
    ``SET ROLE`` sees no tenant. Needs PostgreSQL 16 or later.
    """
    for role in (APP_ROLE, SYSTEM_ROLE):
        op.execute(
            f"""
            DO $$ BEGIN
                CREATE ROLE {role} NOLOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
            END $$
            """
        )
        op.execute(
            f"""
            DO $$ BEGIN
                GRANT {role} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE;
            EXCEPTION WHEN insufficient_privilege THEN
                RAISE NOTICE 'not allowed to grant {role}: the login must be a member already';
            END $$
            """
        )
        op.execute(f"GRANT USAGE ON SCHEMA public TO {role}")


def create_tenant_function() -> None:
    """``switchboard_tenant_id()`` returns the session's tenant, or NULL, which matches no row."""
    op.execute(
        """
        CREATE FUNCTION switchboard_tenant_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
        RETURN nullif(current_setting('switchboard.tenant_id', true), '')::uuid
        """
    )


def create_append_only_function() -> None:
    op.execute(
        """
        CREATE FUNCTION switchboard_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% is append-only: add a row instead', TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END $$
        """
    )


def confine_to_tenant(
    table: str, *, tenant_column: str = "tenant_id", privileges: Sequence[str] = READ_WRITE
) -> None:
    """Put row-level security on ``table``, also for its owner, and grant the two roles their
    rights. A partition needs none: its rows are reached through its parent."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(
        f"""
        CREATE POLICY tenant_isolation ON {table} TO {APP_ROLE}
        USING ({tenant_column} = switchboard_tenant_id())
        WITH CHECK ({tenant_column} = switchboard_tenant_id())
        """
    )
    op.execute(
        f"CREATE POLICY system_access ON {table} TO {SYSTEM_ROLE} USING (true) WITH CHECK (true)"
    )
    if privileges:
        grant(table, privileges)


def share_with_all_tenants(table: str) -> None:
    """Let both roles read a table without tenants' records, such as the catalogue."""
    grant(table, READ_ONLY)


def grant(table: str, privileges: Sequence[str]) -> None:
    op.execute(f"GRANT {', '.join(privileges)} ON {table} TO {APP_ROLE}, {SYSTEM_ROLE}")


def make_append_only(table: str) -> None:
    """Refuse UPDATE, DELETE and TRUNCATE to everyone, including the table's owner."""
    op.execute(
        f"""
        CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION switchboard_refuse_change()
        """
    )
    op.execute(
        f"""
        CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION switchboard_refuse_change()
        """
    )
