"""The previous release at work on its database while the next one migrates it."""

from __future__ import annotations

import gc
import random
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from uuid import UUID, uuid4

import psycopg
from sqlalchemy import make_url

from control_plane.migrate import migrate
from control_plane.platform.database import APP_ROLE

LONGEST_WAIT_SECONDS = 1.0
"""For a lock. A statement that waits longer fails."""

CLIENTS = 4
_NEW_CALL = """
    INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)
    VALUES (%s, %s, %s, 'room', 'connecting', '{}')
"""
_NEW_PARTICIPANT = """
    INSERT INTO call_participants
        (id, tenant_id, call_id, position, role, transport, identity, status)
    VALUES (%s, %s, %s, 0, 'caller', 'webrtc', 'ada', 'joining')
"""
_NEW_RESERVE = "INSERT INTO call_reserves (call_id, tenant_id, held_micros) VALUES (%s, %s, 1)"
_SETTLED = "UPDATE call_reserves SET state = 'settled', resolved_at = now() WHERE call_id = %s"
_STARTED = "UPDATE calls SET status = 'in_progress', started_at = now() WHERE id = %s"
_ENDED = """
    UPDATE calls SET status = 'completed', end_reason = 'normal_hangup', ended_at = now()
    WHERE id = %s
"""
_SAID = """
    INSERT INTO transcript_segments
        (call_id, sequence, id, tenant_id, speaker, text, started_at_ms, ended_at_ms, interrupted)
    VALUES (%s, 0, %s, %s, 'user', 'Hello', 0, 500, false)
"""
_LOGGED = """
    INSERT INTO call_log_entries (id, tenant_id, call_id, level, source, message, created_at)
    VALUES (%s, %s, %s, 'info', 'lifecycle', 'Call ended', now())
"""
_CHARGED = """
    INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, call_id, free_micros,
        purchased_micros, amount_seconds, description)
    VALUES (%s, %s, %s, 'charge', %s, 0, -1, 30, 'Call')
"""
_TOLD = """
    INSERT INTO outbox_events (id, tenant_id, event, data) VALUES (%s, %s, 'call.completed', '{}')
"""
_LISTED = """
    SELECT id, status, created_at FROM calls WHERE tenant_id = %s
    ORDER BY created_at DESC, id DESC LIMIT 50
"""


@dataclass
class Load:
    """What clients did meanwhile: calls made, and how long each of their statements took."""

    calls: int = 0
    durations_seconds: list[float] = field(default_factory=list)


def migrate_under_load(database_url: str, tenant_id: UUID) -> tuple[Load, float]:
    """Migrate to the newest schema while clients of the schema 0009 make and end calls.

    Returns:
        What the clients did, and how many seconds the migration took.

    Raises:
        psycopg.errors.LockNotAvailable: a client waited for a lock over ``LONGEST_WAIT_SECONDS``.
    """
    login = make_url(database_url).set(drivername="postgresql")
    conninfo = login.render_as_string(hide_password=False)
    load, stop = Load(), threading.Event()
    # As in an API process, the garbage collector need not look at what is loaded.
    gc.collect()
    gc.freeze()
    with ThreadPoolExecutor(CLIENTS) as clients:
        working: list[Future[None]] = [
            clients.submit(_work, conninfo, tenant_id, seed, load, stop) for seed in range(CLIENTS)
        ]
        started_at = time.monotonic()
        try:
            # In a process of its own: here, its imports and collections would stop the clients.
            with ProcessPoolExecutor(1, get_context("spawn")) as migrating:
                migrating.submit(migrate, database_url).result()
        finally:
            took_seconds = time.monotonic() - started_at
            stop.set()
        for each in working:
            each.result()
    return load, took_seconds


def _work(conninfo: str, tenant_id: UUID, seed: int, load: Load, stop: threading.Event) -> None:
    agent_id, dice = uuid4(), random.Random(seed)
    options = f"-c lock_timeout={int(LONGEST_WAIT_SECONDS * 1000)} -c role={APP_ROLE}"
    with psycopg.connect(conninfo, options=options, autocommit=True) as connection:

        def send(statement: str, *parameters: object) -> None:
            began_at = time.monotonic()
            connection.execute(statement.encode(), parameters)
            load.durations_seconds.append(time.monotonic() - began_at)

        connection.execute(
            "SELECT set_config('switchboard.tenant_id', %s, false)", (str(tenant_id),)
        )
        while not stop.is_set():
            call_id = uuid4()
            with connection.transaction():
                send(_NEW_CALL, call_id, tenant_id, agent_id)
                send(_NEW_PARTICIPANT, uuid4(), tenant_id, call_id)
                send(_NEW_RESERVE, call_id, tenant_id)
            with connection.transaction():
                send(_STARTED, call_id)
                send(_SAID, call_id, uuid4(), tenant_id)
            if dice.random() < 0.8:
                with connection.transaction():
                    send(_ENDED, call_id)
                    send(_SETTLED, call_id)
                    send(_LOGGED, uuid4(), tenant_id, call_id)
                    send(_CHARGED, uuid4(), tenant_id, str(uuid4()), call_id)
                    send(_TOLD, uuid4(), tenant_id)
            send(_LISTED, tenant_id)
            load.calls += 1
