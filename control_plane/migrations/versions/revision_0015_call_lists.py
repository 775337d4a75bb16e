"""Fast lists of calls, even with a million calls: an index for each filter, and stored counts.

Every step can be repeated, because the indexes are built outside the transaction.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import create_index_online, outside_transaction
from control_plane.migrations.tenancy import APPEND_ONLY, READ_ONLY, confine_to_tenant
from control_plane.platform.database import SYSTEM_ROLE

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    create_index_online("ix_calls_by_status", "calls", ["tenant_id", "status", "created_at", "id"])
    create_index_online(
        "ix_calls_of_agent_by_status",
        "calls",
        ["tenant_id", "agent_id", "status", "created_at", "id"],
    )
    if not sa.inspect(op.get_bind()).has_table("call_counts"):
        _create_counts()
        _count_changes()
    _count_what_is_there()


def _create_counts() -> None:
    """The number of calls is the sum of both tables. Requests add deltas, so that they never wait
    for one another; jobs add the deltas to the counts."""
    op.execute(
        """
        CREATE TABLE call_counts (
            tenant_id uuid NOT NULL,
            agent_id uuid NOT NULL,
            status text NOT NULL,
            calls bigint NOT NULL,
            CONSTRAINT pk_call_counts PRIMARY KEY (tenant_id, agent_id, status)
        )
        """
    )
    confine_to_tenant("call_counts", privileges=READ_ONLY)
    op.execute(f"GRANT INSERT, UPDATE ON call_counts TO {SYSTEM_ROLE}")
    # Rows come and go quickly. Vacuum by their number, before scans become slow.
    op.execute(
        """
        CREATE TABLE call_count_deltas (
            tenant_id uuid NOT NULL,
            position bigint GENERATED ALWAYS AS IDENTITY,
            agent_id uuid NOT NULL,
            status text NOT NULL,
            calls bigint NOT NULL,
            CONSTRAINT pk_call_count_deltas PRIMARY KEY (tenant_id, position)
        ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)
        """
    )
    confine_to_tenant("call_count_deltas", privileges=APPEND_ONLY)
    op.execute(f"GRANT DELETE ON call_count_deltas TO {SYSTEM_ROLE}")


def _count_changes() -> None:
    """New and deleted calls are counted once per statement. Most updates of a call do not change
    its status; they cost only the comparison in ``WHEN``."""
    for event, rows, sign in (("INSERT", "NEW", ""), ("DELETE", "OLD", "-")):
        name = f"switchboard_count_calls_on_{event.lower()}"
        op.execute(
            f"""
            CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO call_count_deltas (tenant_id, agent_id, status, calls)
                SELECT tenant_id, agent_id, status, {sign}count(*) FROM changed GROUP BY 1, 2, 3;
                RETURN NULL;
            END $$
            """
        )
        op.execute(
            f"""
            CREATE TRIGGER count_{event.lower()} AFTER {event} ON calls
            REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {name}()
            """
        )
    op.execute(
        """
        CREATE FUNCTION switchboard_count_calls_on_update() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO call_count_deltas (tenant_id, agent_id, status, calls)
            VALUES (OLD.tenant_id, OLD.agent_id, OLD.status, -1),
                (NEW.tenant_id, NEW.agent_id, NEW.status, 1);
            RETURN NULL;
        END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER count_update AFTER UPDATE OF tenant_id, agent_id, status ON calls
        FOR EACH ROW
        WHEN ((OLD.tenant_id, OLD.agent_id, OLD.status)
            IS DISTINCT FROM (NEW.tenant_id, NEW.agent_id, NEW.status))
        EXECUTE FUNCTION switchboard_count_calls_on_update()
        """
    )


def _count_what_is_there() -> None:
    """Count the existing calls. One statement sees one moment, so the calls minus the deltas are
    those that the deltas do not contain. Transactions that wrote calls before the triggers existed
    have committed, because creating the triggers waited for them; later ones add deltas."""
    with outside_transaction():
        # Row-level security applies to the owner, who must see every row here.
        op.execute(f"SET ROLE {SYSTEM_ROLE}")
        op.execute(
            """
            INSERT INTO call_counts (tenant_id, agent_id, status, calls)
            SELECT tenant_id, agent_id, status, sum(calls) FROM (
                SELECT tenant_id, agent_id, status, count(*) AS calls FROM calls GROUP BY 1, 2, 3
                UNION ALL SELECT tenant_id, agent_id, status, -calls FROM call_count_deltas
                UNION ALL SELECT tenant_id, agent_id, status, 0 FROM call_counts
            ) AS counted
            GROUP BY 1, 2, 3
            ON CONFLICT (tenant_id, agent_id, status) DO UPDATE SET calls = excluded.calls
            """
        )
        op.execute("RESET ROLE")
