"""Users become people, with passwords and memberships; dashboard sessions; invitations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.tenancy import READ_WRITE, confine_to_tenant
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    _create_memberships()
    _turn_users_into_people()
    _create_sessions()
    _create_invitations()


def _time(name: str, *, nullable: bool = False) -> sa.Column[object]:
    default = None if nullable else sa.func.now()
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, server_default=default)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def _user_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "user_id",
        sa.Uuid,
        sa.ForeignKey("users.id", ondelete="CASCADE"),
        nullable=False,
        primary_key=primary_key,
    )


def _only_for_the_system(table: str) -> None:
    """A table of a person's records. A tenant's transaction sees none of them."""
    op.execute(f"GRANT {', '.join(READ_WRITE)} ON {table} TO {SYSTEM_ROLE}")


def _create_memberships() -> None:
    op.create_table(
        "memberships",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("user_id", sa.Uuid, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        _time("joined_at"),
        sa.CheckConstraint("role IN ('owner', 'admin', 'member')", name="role"),
    )
    op.create_index(None, "memberships", ["user_id"])


def _turn_users_into_people() -> None:
    """Keep one row per mail address instead of one per tenant and address: the oldest."""
    # Row-level security also applies to the owner of the tables, who must see every row here.
    op.execute("ALTER TABLE users NO FORCE ROW LEVEL SECURITY")
    op.execute(
        """
        CREATE TEMPORARY TABLE person_of_user ON COMMIT DROP AS
        SELECT id AS user_id, first_value(id) OVER (
            PARTITION BY lower(email) ORDER BY created_at, id
        ) AS person_id
        FROM users
        """
    )
    op.execute(
        """
        INSERT INTO memberships (tenant_id, user_id, role, joined_at)
        SELECT tenant_id, person_id,
            (array_agg(role ORDER BY array_position('{owner,admin,member}', role)))[1],
            min(created_at)
        FROM users JOIN person_of_user ON user_id = id
        GROUP BY tenant_id, person_id
        """
    )
    op.execute("DELETE FROM users USING person_of_user WHERE user_id = id AND user_id <> person_id")
    op.execute("UPDATE users SET email = lower(email) WHERE email <> lower(email)")
    op.execute("DROP TABLE person_of_user")
    confine_to_tenant("memberships")

    op.execute("DROP POLICY tenant_isolation ON users")
    op.drop_column("users", "tenant_id")
    op.drop_column("users", "role")
    op.add_column("users", sa.Column("name", sa.Text))
    op.add_column("users", sa.Column("password_hash", sa.Text))
    op.add_column("users", _time("email_confirmed_at", nullable=True))
    op.create_unique_constraint(None, "users", ["email"])
    op.create_check_constraint("email", "users", "email = lower(email)")
    # A tenant may read the names and mail addresses of its members, and nothing else about them.
    op.execute(
        f"""
        CREATE POLICY people_of_the_tenant ON users TO {APP_ROLE}
        USING (EXISTS (
            SELECT FROM memberships
            WHERE user_id = users.id AND tenant_id = switchboard_tenant_id()
        ))
        WITH CHECK (EXISTS (
            SELECT FROM memberships
            WHERE user_id = users.id AND tenant_id = switchboard_tenant_id()
        ))
        """
    )
    op.execute(f"REVOKE ALL ON users FROM {APP_ROLE}")
    op.execute(f"GRANT SELECT (id, email, name) ON users TO {APP_ROLE}")
    op.execute("ALTER TABLE users FORCE ROW LEVEL SECURITY")


def _create_sessions() -> None:
    op.create_table(
        "dashboard_sessions",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("token_hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("tenant_id", sa.Uuid, nullable=False),
        sa.Column("user_id", sa.Uuid, nullable=False),
        sa.Column("address", sa.Text),
        sa.Column("user_agent", sa.Text),
        _time("created_at"),
        _time("last_used_at"),
        _moment("expires_at"),
        # A session ends with its membership.
        sa.ForeignKeyConstraint(
            ["tenant_id", "user_id"],
            ["memberships.tenant_id", "memberships.user_id"],
            ondelete="CASCADE",
        ),
    )
    op.create_index(None, "dashboard_sessions", ["user_id"])
    op.create_index(None, "dashboard_sessions", ["tenant_id", "user_id"])
    op.create_index(None, "dashboard_sessions", ["expires_at"])

    op.create_table(
        "known_devices",
        _user_id(primary_key=True),
        sa.Column("token_hash", sa.LargeBinary, primary_key=True),
        _time("last_seen_at"),
    )

    op.create_table(
        "password_resets",
        _user_id(primary_key=True),
        sa.Column("token_hash", sa.LargeBinary, nullable=False, unique=True),
        _moment("expires_at"),
    )

    op.create_table(
        "attempt_counts",
        sa.Column("key_hash", sa.LargeBinary, primary_key=True),
        sa.Column("attempts", sa.BigInteger, nullable=False),
        _moment("window_ends_at"),
    )
    op.create_index(None, "attempt_counts", ["window_ends_at"])
    for table in ("dashboard_sessions", "known_devices", "password_resets", "attempt_counts"):
        _only_for_the_system(table)


def _create_invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("token_hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("invited_by", sa.Text, nullable=False),
        sa.Column("invite_sent", sa.Boolean, nullable=False, server_default=sa.false()),
        _time("created_at"),
        _moment("sent_at"),
        _moment("expires_at"),
        _time("accepted_at", nullable=True),
        _time("revoked_at", nullable=True),
        sa.CheckConstraint("role IN ('owner', 'admin', 'member')", name="role"),
        sa.CheckConstraint("accepted_at IS NULL OR revoked_at IS NULL", name="one_end"),
    )
    op.create_index(
        "uq_invitations_open",
        "invitations",
        ["tenant_id", "email"],
        unique=True,
        postgresql_where=sa.text("accepted_at IS NULL AND revoked_at IS NULL"),
    )
    op.create_index(None, "invitations", ["tenant_id", "created_at"])
    confine_to_tenant("invitations")
