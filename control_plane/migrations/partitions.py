"""Partitioning a table by month while it is in use.

The table becomes the first partition of a new table that takes its name. What is slow happens
before that, without a lock that stops others: a constraint that says which rows the old table holds
is added ``NOT VALID`` and then validated, so that attaching it reads nothing.

Rows of a call are partitioned by the time in their call's id (UUID version 7). Those of older
calls, and of calls with random ids, stay in the old table. Only the partitions have primary keys:
the time is not a part of them, and a row's key always leads to one and the same partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import sqlalchemy as sa
from alembic import op

from control_plane.migrations.online import LOCK_TIMEOUT_MS, outside_transaction, release_locks
from control_plane.migrations.tenancy import confine_to_tenant
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

MONTHS_AHEAD = 3


@dataclass(frozen=True)
class Partitioned:
    """
    Args:
        key: ``call_id``, or the name of a column with a time.
        primary_key: the columns of the primary key.
        indexes: what follows the table in the statement that creates each other index.
        sequence_column: a column that is numbered by a sequence.
        row_triggers: the old table's triggers for each row. They go, because as a partition it
            gets those of the new table.
        guard: called with the new table's name; creates the triggers and policies that the old
            table had.
    """

    table: str
    key: str
    primary_key: str
    privileges: Sequence[str]
    indexes: Sequence[str] = ()
    sequence_column: str | None = None
    row_triggers: Sequence[str] = ()
    guard: Callable[[str], None] | None = None

    @property
    def before(self) -> str:
        """The old table."""
        return f"{self.table}_before"

    @property
    def months(self) -> str:
        """Whose partitions are the months."""
        return f"{self.table}_by_month" if self.key == "call_id" else self.table

    @property
    def other(self) -> str:
        """The partition for rows of no month that has one, so that no insert fails."""
        return f"{self.table}_other"


_HAS_VERSION_7 = "(get_byte(uuid_send(call_id), 6) >> 4) = 7"
_SOON = timedelta(hours=1)
"""Longer than it takes to partition a table."""


def first_month_of(table: Partitioned, now: datetime) -> datetime | None:
    """When rows with a time go into partitions, and no longer into the old table: at the next
    beginning of a month that is at least four days away. ``None`` for the rows of calls."""
    if table.key == "call_id":
        return None
    months = now.year * 12 + now.month - 1 + (1 if now.day <= 24 else 2)
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def partition_online(table: Partitioned, first_month: datetime | None) -> None:
    """Partition the table. It can be repeated, and does nothing if it was completed.

    ``switchboard_make_partitions`` must exist by then.
    """
    if _is_partitioned(table.table):
        return
    # In the words of the partition's own bounds, so that PostgreSQL need not check it again.
    if first_month is None:
        by = f"({_HAS_VERSION_7} AND call_id >= '{_first_id(table)}'::uuid)"
        holds = f"{by} IS NOT NULL AND {by} = false"
    else:
        by = table.key
        holds = f"{by} IS NOT NULL AND {by} < '{first_month}'::timestamptz"
    constraint = f"ck_{table.table}_before"
    # An interrupted attempt may have left one with another moment.
    op.execute(f"ALTER TABLE {table.table} DROP CONSTRAINT IF EXISTS {constraint}")
    op.execute(f"ALTER TABLE {table.table} ADD CONSTRAINT {constraint} CHECK ({holds}) NOT VALID")
    with outside_transaction():
        op.execute(f"ALTER TABLE {table.table} VALIDATE CONSTRAINT {constraint}")
    _create_new_table(table, by, constraint)
    # Before the new table is used, so that no row of a month is in the default partition.
    make_partitions()
    _swap(table, first_month)
    release_locks()
    make_partitions()


def _first_id(table: Partitioned) -> UUID:
    """The least id of a call whose rows go into a month. If calls with ids of version 7 have rows
    in the old table already, it is a moment that is still to come."""
    with outside_transaction():
        # Row-level security applies to the owner, who must see every row here.
        op.execute(f"SET ROLE {SYSTEM_ROLE}")
        has_some = op.get_bind().scalar(
            sa.text(f"SELECT EXISTS (SELECT FROM {table.table} WHERE {_HAS_VERSION_7})")
        )
        op.execute("RESET ROLE")
    if not has_some:
        return UUID(int=0)
    return UUID(int=int((datetime.now(UTC) + _SOON).timestamp() * 1000) << 80)


def _create_new_table(table: Partitioned, by: str, constraint: str) -> None:
    new = f"{table.table}_new"
    method = "LIST" if table.key == "call_id" else "RANGE"
    op.execute(
        f"CREATE TABLE {new} (LIKE {table.table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)"
        f" PARTITION BY {method} ({by})"
    )
    op.execute(f"ALTER TABLE {new} DROP CONSTRAINT {constraint}")
    confine_to_tenant(new, privileges=table.privileges)
    for index in table.indexes:
        op.execute(f"CREATE INDEX ON {new} {index}")
    months = new
    if table.key == "call_id":
        months = table.months
        op.execute(
            f"CREATE TABLE {months} PARTITION OF {new} FOR VALUES IN (true)"
            " PARTITION BY RANGE (call_id)"
        )
        confine_to_tenant(months, privileges=())
    op.execute(f"CREATE TABLE {table.other} PARTITION OF {months} DEFAULT")
    op.execute(f"ALTER TABLE {table.other} ADD PRIMARY KEY ({table.primary_key})")
    confine_to_tenant(table.other, privileges=())
    if table.guard is not None:
        table.guard(new)


def _swap(table: Partitioned, first_month: datetime | None) -> None:
    """Only this part needs a lock that stops others, and it reads and writes no rows."""
    op.execute(f"LOCK TABLE {table.table} IN ACCESS EXCLUSIVE MODE")
    for trigger in table.row_triggers:
        op.execute(f"DROP TRIGGER {trigger} ON {table.table}")
    if table.sequence_column is not None:
        _share_sequence(table, table.sequence_column)
    op.execute(f"ALTER TABLE {table.table} RENAME TO {table.before}")
    op.execute(f"ALTER TABLE {table.table}_new RENAME TO {table.table}")
    bounds = "IN (false)" if first_month is None else f"FROM (MINVALUE) TO ('{first_month}')"
    op.execute(f"ALTER TABLE {table.table} ATTACH PARTITION {table.before} FOR VALUES {bounds}")


def _share_sequence(table: Partitioned, column: str) -> None:
    """Number the rows of all partitions by one sequence, which goes on where the old one is."""
    sequence = f"{table.table}_{column}_shared_seq"
    old = op.get_bind().scalar(
        sa.text("SELECT pg_get_serial_sequence(:table, :column)"),
        {"table": table.table, "column": column},
    )
    last = op.get_bind().scalar(sa.text(f"SELECT last_value FROM {old}"))
    op.execute(f"CREATE SEQUENCE {sequence} START {last + 1}")
    op.execute(f"GRANT USAGE ON SEQUENCE {sequence} TO {APP_ROLE}, {SYSTEM_ROLE}")
    op.execute(f"ALTER TABLE {table.table} ALTER COLUMN {column} DROP IDENTITY")
    for each in (table.table, f"{table.table}_new"):
        op.execute(
            f"ALTER TABLE {each} ALTER COLUMN {column} SET DEFAULT nextval('{sequence}'::regclass)"
        )


def _is_partitioned(table: str) -> bool:
    query = "SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass(:table)"
    return bool(op.get_bind().scalar(sa.text(query), {"table": table}))


def create_partition_maker(tables: Sequence[Partitioned]) -> None:
    """``switchboard_make_partitions(ahead)`` creates the partitions of this month and of ``ahead``
    more that do not exist yet, and returns their names. It runs with the rights of the tables'
    owner, because jobs may not create tables.

    A month that has rows in the default partition already is left out with a warning; its rows go
    on into the default partition.
    """
    rows = ", ".join(
        f"('{table.table}', '{table.months}', '{table.key}', '{table.primary_key}')"
        for table in tables
    )
    op.execute(
        f"""
        CREATE OR REPLACE FUNCTION switchboard_make_partitions(ahead integer) RETURNS SETOF text
        LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '{LOCK_TIMEOUT_MS}ms'
        SET timezone = 'UTC' AS $$
        DECLARE
            parent record;
            begins timestamptz;
            from_value text;
            to_value text;
            child text;
        BEGIN
            FOR parent IN
                SELECT * FROM (VALUES {rows})
                AS listed (name, months, key, primary_key)
            LOOP
                FOR ahead_by IN 0..ahead LOOP
                    begins := date_trunc('month', now()) + make_interval(months => ahead_by);
                    child := format('%s_%s', parent.name, to_char(begins, 'YYYY_MM'));
                    CONTINUE WHEN to_regclass(format('public.%I', child)) IS NOT NULL
                        OR NOT EXISTS (
                            SELECT FROM pg_partitioned_table
                            WHERE partrelid = to_regclass(format('public.%I', parent.months))
                        );
                    from_value := begins::text;
                    to_value := (begins + interval '1 month')::text;
                    IF parent.key = 'call_id' THEN
                        from_value := switchboard_first_id(begins);
                        to_value := switchboard_first_id(begins + interval '1 month');
                    END IF;
                    BEGIN
                        EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)',
                            child, parent.months);
                        EXECUTE format('ALTER TABLE public.%I ADD PRIMARY KEY (%s)',
                            child, parent.primary_key);
                        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY',
                            child);
                        EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', child);
                        EXECUTE format('CREATE POLICY tenant_isolation ON public.%I TO {APP_ROLE}'
                            ' USING (tenant_id = public.switchboard_tenant_id())'
                            ' WITH CHECK (tenant_id = public.switchboard_tenant_id())', child);
                        EXECUTE format('CREATE POLICY system_access ON public.%I TO {SYSTEM_ROLE}'
                            ' USING (true) WITH CHECK (true)', child);
                        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I'
                            ' FOR VALUES FROM (%L) TO (%L)',
                            parent.months, child, from_value, to_value);
                        RETURN NEXT child;
                    EXCEPTION WHEN check_violation THEN
                        RAISE WARNING 'the default partition of % has rows of %',
                            parent.months, child;
                    WHEN invalid_object_definition THEN
                        NULL;  -- The old table holds this month.
                    END;
                END LOOP;
            END LOOP;
        END $$
        """
    )
    op.execute(
        """
        CREATE OR REPLACE FUNCTION switchboard_first_id(moment timestamptz) RETURNS text
        LANGUAGE sql STABLE SET search_path = pg_catalog
        RETURN regexp_replace(
            lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0'),
            '^(.{8})(.{4})$', '\\1-\\2-0000-0000-000000000000')
        """
    )
    op.execute("REVOKE EXECUTE ON FUNCTION switchboard_make_partitions(integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION switchboard_make_partitions(integer) TO {SYSTEM_ROLE}")


def make_partitions() -> None:
    op.execute(f"SELECT count(*) FROM switchboard_make_partitions({MONTHS_AHEAD})")
