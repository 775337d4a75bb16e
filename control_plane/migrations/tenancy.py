"""The second wall between tenants, for the tables that a migration creates.

Every table with tenants' records calls ``confine_to_tenant`` in the revision that creates it; the
test suite finds a table that does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from alembic import op

from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

READ_WRITE = ("SELECT", "INSERT", "UPDATE", "DELETE")
APPEND_ONLY = ("SELECT", "INSERT")
READ_ONLY = ("SELECT",)


def create_roles() -> None:
    """Roles live in the server, not in the database, so they may exist already.

    The login may assume them but does not inherit from them: a connection that forgot to
    ``SET ROLE`` sees no tenant at all. PostgreSQL 16 or later.
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
    """``switchboard_tenant_id()``: the session's tenant, or NULL, which no row matches."""
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
    """Row-level security on ``table``, for its owner too, and what the two roles may do with it."""
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
    grant(table, privileges)


def share_with_all_tenants(table: str) -> None:
    """A table without tenants' records, such as the catalogue: both roles read it."""
    grant(table, READ_ONLY)


def grant(table: str, privileges: Sequence[str]) -> None:
    op.execute(f"GRANT {', '.join(privileges)} ON {table} TO {APP_ROLE}, {SYSTEM_ROLE}")


def make_append_only(table: str) -> None:
    """Refuse UPDATE, DELETE and TRUNCATE for everyone, the table's owner included."""
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
