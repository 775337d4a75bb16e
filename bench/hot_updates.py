"""How many updates during calls stay in their page (HOT), by table.

An update that does not find room in its row's page writes the row to another one and adds an entry
to every index of the table.

python -m bench.hot_updates [--calls 5000] [--revision head]
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
from rich.console import Console
from rich.table import Table
from sqlalchemy import create_engine

from control_plane.migrate import apply_revisions
from control_plane.platform.database import SYSTEM_ROLE
from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer

LIVE_CALLS = 500
METER_READINGS = 12
"""Per call: one every five seconds of a minute."""
PLAN_BYTES = 3000
"""Short enough to stand in the row itself when compressed, where it takes most of the room."""

_NEW = (
    "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan) VALUES"
    " (%(id)s, %(tenant)s, %(agent)s, 'call-' || %(id)s, 'connecting',"
    " jsonb_build_object('prompt', %(prompt)s::text))",
    "INSERT INTO call_participants (id, tenant_id, call_id, position, role, transport, identity,"
    " status) VALUES (gen_random_uuid(), %(tenant)s, %(id)s, 0, 'caller', 'webrtc', 'ada',"
    " 'joining')",
    "INSERT INTO call_reserves (call_id, tenant_id, held_micros) VALUES (%(id)s, %(tenant)s, 1)",
)
_STARTED = (
    "UPDATE calls SET dispatched_at = now(), dispatch_entry_id = '1-1' WHERE id = %(id)s",
    "UPDATE calls SET claimed_at = now(), worker_id = 'w', applied_seq = 1 WHERE id = %(id)s",
    "UPDATE calls SET status = 'in_progress', started_at = now(), applied_seq = 2"
    " WHERE id = %(id)s",
    "UPDATE call_participants SET status = 'joined', joined_at = now() WHERE call_id = %(id)s",
)
_METERED = (
    "UPDATE calls SET applied_seq = applied_seq + 5, metered_ms = coalesce(metered_ms, 0) + 5000"
    " WHERE id = %(id)s",
    "UPDATE call_reserves SET held_micros = held_micros + 1 WHERE call_id = %(id)s",
    "UPDATE billing_accounts SET held_micros = held_micros + 1 WHERE tenant_id = %(tenant)s",
)
_ENDED = (
    "UPDATE calls SET status = 'completed', end_reason = 'normal_hangup', ended_at = now(),"
    " connected_ms = 60000 WHERE id = %(id)s",
    "UPDATE call_participants SET status = 'completed', left_at = now() WHERE call_id = %(id)s",
    "UPDATE call_reserves SET state = 'settled', resolved_at = now() WHERE call_id = %(id)s",
    "UPDATE calls SET intelligence_status = 'completed', total_cost_micros = 1 WHERE id = %(id)s",
)
_COUNTED = """
    SELECT relname, n_tup_upd, n_tup_hot_upd, pg_total_relation_size(relid) FROM pg_stat_user_tables
    WHERE n_tup_upd > 0 AND relname IN
        ('calls', 'call_participants', 'call_reserves', 'billing_accounts')
    ORDER BY relname
"""


def run(calls: int, revision: str, console: Console) -> None:
    with tempfile.TemporaryDirectory(prefix="switchboard-hot-") as name:
        directory = Path(name)
        directory.chmod(0o711)  # PostgreSQL's unprivileged user must be able to enter
        server = PostgresServer(directory / "postgres")
        with running(server, directory / "postgres.log"):
            plain = server.url.replace("postgresql+psycopg://", "postgresql://")
            with psycopg.connect(plain, autocommit=True) as connection:
                connection.execute("CREATE DATABASE hot")
            database_url = server.database_url("hot")
            engine = create_engine(database_url)
            with engine.connect() as previous:
                apply_revisions(previous, revision)
            engine.dispose()
            login = database_url.replace("postgresql+psycopg://", "postgresql://")
            with psycopg.connect(login, autocommit=True) as connection:
                connection.execute(f"SET ROLE {SYSTEM_ROLE}")
                _carry(connection, calls)
                connection.execute("SELECT pg_stat_force_next_flush()")
                rows = connection.execute(_COUNTED).fetchall()
    table = Table("Table", "Updates", "HOT", "Size", title=f"{calls:,} calls, schema {revision}")
    for relation, updates, hot, size in rows:
        table.add_row(relation, f"{updates:,}", f"{hot / updates:.1%}", f"{size / 2**20:.1f} MiB")
    console.print(table)


def _carry(connection: psycopg.Connection, calls: int) -> None:
    """Calls that begin and end while ``LIVE_CALLS`` others run, with readings in any order."""
    tenant, agent, dice = uuid4(), uuid4(), random.Random(1)
    connection.execute("INSERT INTO tenants (id, name) VALUES (%s, 'Tenant')", (tenant,))
    connection.execute("INSERT INTO billing_accounts (tenant_id) VALUES (%s)", (tenant,))
    left: dict[UUID, int] = {}
    begun = 0

    def send(statements: tuple[str, ...], call_id: UUID) -> None:
        for statement in statements:
            prompt = dice.randbytes(PLAN_BYTES // 2).hex()
            values = {"id": call_id, "tenant": tenant, "agent": agent, "prompt": prompt}
            connection.execute(statement.encode(), values)

    while begun < calls or left:
        while begun < calls and len(left) < LIVE_CALLS:
            call_id = uuid4()
            with connection.transaction():
                send(_NEW, call_id)
            send(_STARTED, call_id)
            left[call_id] = METER_READINGS
            begun += 1
        for call_id in dice.sample(list(left), min(50, len(left))):
            left[call_id] -= 1
            with connection.transaction():
                send(_METERED if left[call_id] > 0 else _ENDED, call_id)
            if left[call_id] == 0:
                del left[call_id]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=5_000)
    parser.add_argument("--revision", default="head")
    arguments = parser.parse_args()
    run(arguments.calls, arguments.revision, Console())


if __name__ == "__main__":
    main()
