"""The outbox as a log: positions that are safe to read by, and a partition for each day.

A position alone is not safe: a transaction that takes position 7 may commit after one that took 8,
and a reader that has seen 8 would never look for 7 again. So each fact also has the id of its
transaction, and facts are read in the order of both, up to the oldest transaction that still runs:
whatever commits later has a higher id.
Source: PostgreSQL's documentation, "System Information Functions", ``pg_snapshot_xmin``.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import LOCK_TIMEOUT_MS
from control_plane.migrations.tenancy import confine_to_tenant
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

DAYS_AHEAD = 7
_NEW = "outbox_events_log"


def is_a_log() -> bool:
    columns = sa.inspect(op.get_bind()).get_columns("outbox_events")
    return any(column["name"] == "position" for column in columns)


def create_day_functions() -> None:
    """``switchboard_make_outbox_days(ahead)`` creates the partitions of today and of ``ahead`` more
    days that do not exist yet; ``switchboard_drop_outbox_days(before)`` drops those that end
    before a moment. Both return the partitions' names. They run with the rights of the table's
    owner, because jobs may not create tables.

    A day that has rows in the default partition already is left out with a warning; its rows go on
    into the default partition.
    """
    head = (
        "LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"
        f" SET lock_timeout = '{LOCK_TIMEOUT_MS}ms' SET timezone = 'UTC'"
    )
    op.execute(
        f"""
        CREATE OR REPLACE FUNCTION switchboard_make_outbox_days(ahead integer)
        RETURNS SETOF text {head} AS $$
        DECLARE
            begins timestamptz;
            child text;
        BEGIN
            FOR ahead_by IN 0..ahead LOOP
                begins := date_trunc('day', now()) + make_interval(days => ahead_by);
                child := format('outbox_events_%s', to_char(begins, 'YYYY_MM_DD'));
                CONTINUE WHEN to_regclass(format('public.%I', child)) IS NOT NULL;
                BEGIN
                    EXECUTE format('CREATE TABLE public.%I (LIKE public.outbox_events'
                        ' INCLUDING ALL)', child);
                    EXECUTE format('ALTER TABLE public.%I ADD PRIMARY KEY (id)', child);
                    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', child);
                    EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', child);
                    EXECUTE format('CREATE POLICY tenant_isolation ON public.%I TO {APP_ROLE}'
                        ' USING (tenant_id = public.switchboard_tenant_id())'
                        ' WITH CHECK (tenant_id = public.switchboard_tenant_id())', child);
                    EXECUTE format('CREATE POLICY system_access ON public.%I TO {SYSTEM_ROLE}'
                        ' USING (true) WITH CHECK (true)', child);
                    EXECUTE format('ALTER TABLE public.outbox_events ATTACH PARTITION public.%I'
                        ' FOR VALUES FROM (%L) TO (%L)',
                        child, begins::text, (begins + interval '1 day')::text);
                    RETURN NEXT child;
                EXCEPTION WHEN check_violation THEN
                    RAISE WARNING 'the default partition of outbox_events has rows of %', begins;
                END;
            END LOOP;
        END $$
        """
    )
    op.execute(
        f"""
        CREATE OR REPLACE FUNCTION switchboard_drop_outbox_days(before timestamptz)
        RETURNS SETOF text {head} AS $$
        DECLARE
            child text;
        BEGIN
            FOR child IN
                SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                WHERE inhparent = 'public.outbox_events'::regclass
                    AND relname ~ '^outbox_events_\\d{{4}}_\\d\\d_\\d\\d$'
                    AND to_date(right(relname, 10), 'YYYY_MM_DD') + 1 <= before
                ORDER BY relname
            LOOP
                EXECUTE format('DROP TABLE public.%I', child);
                RETURN NEXT child;
            END LOOP;
        END $$
        """
    )
    for function in (
        "switchboard_make_outbox_days(integer)",
        "switchboard_drop_outbox_days(timestamptz)",
    ):
        op.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {SYSTEM_ROLE}")


def create_cursors() -> None:
    """How far each reader of the log has come."""
    op.execute(
        """
        CREATE TABLE IF NOT EXISTS outbox_cursors (
            reader text PRIMARY KEY,
            transaction_id xid8 NOT NULL,
            position bigint NOT NULL,
            read_until timestamptz NOT NULL
        )
        """
    )
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON outbox_cursors TO {SYSTEM_ROLE}")


def replace_outbox() -> None:
    """Put an empty log in place of the outbox. The facts so far go with the old table: nobody could
    ask for them, and nothing has read them. Needs ``create_day_functions``."""
    op.execute("CREATE SEQUENCE outbox_positions")
    op.execute(f"GRANT USAGE ON SEQUENCE outbox_positions TO {APP_ROLE}, {SYSTEM_ROLE}")
    # Facts of one transaction get times of their own, because receivers tell events apart by them.
    op.execute(
        f"""
        CREATE TABLE {_NEW} (
            id uuid NOT NULL,
            tenant_id uuid NOT NULL,
            event text NOT NULL,
            data jsonb NOT NULL,
            origin text NOT NULL DEFAULT 'api',
            occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            position bigint NOT NULL DEFAULT nextval('outbox_positions'),
            transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id()
        ) PARTITION BY RANGE (occurred_at)
        """
    )
    confine_to_tenant(_NEW)
    for index in (
        "(transaction_id, position)",
        "(tenant_id, occurred_at)",
        "((data ->> 'call_id'))",
    ):
        op.execute(f"CREATE INDEX ON {_NEW} {index}")
    op.execute("LOCK TABLE outbox_events IN ACCESS EXCLUSIVE MODE")
    op.execute("DROP TABLE outbox_events")
    op.execute(f"ALTER TABLE {_NEW} RENAME TO outbox_events")
    op.execute("CREATE TABLE outbox_events_other PARTITION OF outbox_events DEFAULT")
    op.execute("ALTER TABLE outbox_events_other ADD PRIMARY KEY (id)")
    confine_to_tenant("outbox_events_other", privileges=())
    op.execute(f"SELECT count(*) FROM switchboard_make_outbox_days({DAYS_AHEAD})")


def adopt_restored_log(connection: sa.Connection) -> None:
    """Renumber a log that was restored from another cluster, whose transactions had higher ids than
    those of this one have: its reader would wait for them for ever. What was read stays read."""
    is_foreign = connection.scalar(
        sa.text(
            "SELECT EXISTS (SELECT FROM outbox_cursors"
            " WHERE transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))"
        )
    )
    if not is_foreign:
        return
    # Row-level security applies to the owner, who must see every row here.
    connection.execute(sa.text(f"SET LOCAL ROLE {SYSTEM_ROLE}"))
    # Ids below 3 belong to no transaction.
    connection.execute(
        sa.text(
            """
            UPDATE outbox_events AS fact SET transaction_id = CAST(
                CASE WHEN (fact.transaction_id, fact.position)
                    > (cursor.transaction_id, cursor.position) THEN '2' ELSE '0' END AS xid8)
            FROM outbox_cursors AS cursor
            WHERE fact.transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
            """
        )
    )
    connection.execute(sa.text("UPDATE outbox_cursors SET transaction_id = '1', position = 0"))
    connection.execute(sa.text("RESET ROLE"))
