"""Calls by the thousand, straight into the database: only columns that revision 0002 gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString
from uuid import UUID

import psycopg

from control_plane.platform.database import SYSTEM_ROLE

_CALLS: LiteralString = """
    INSERT INTO calls (id, tenant_id, agent_id, room_name, status, end_reason, created_at,
        started_at, ended_at, connected_ms, billable_seconds, total_cost_micros, metadata, plan)
    SELECT gen_random_uuid(), %(tenant_id)s,
        (%(agent_ids)s::uuid[])[
            least(1 + floor(-log(2.0, random()::numeric + 1e-9))::int, %(agents)s::int)
        ],
        'call-' || n, status,
        CASE WHEN status NOT IN ('queued', 'in_progress') THEN 'normal_hangup' END,
        at, at,
        CASE WHEN status NOT IN ('queued', 'in_progress') THEN at + interval '1 minute' END,
        60000, 60, 120000, jsonb_build_object('order', n, 'channel', 'web'),
        jsonb_build_object('agent', jsonb_build_object('name', 'Reception'),
            'limits', '{}'::jsonb, 'padding', repeat(md5(n::text), %(plan_bytes)s::int / 32))
    FROM (
        SELECT n, now() - n * interval '1 second' AS at,
            CASE n %% 100 WHEN 0 THEN 'in_progress' WHEN 1 THEN 'queued' WHEN 2 THEN 'busy'
                WHEN 3 THEN 'no_answer' WHEN 4 THEN 'canceled' WHEN 5 THEN 'failed'
                ELSE 'completed' END AS status
        FROM generate_series(%(first)s::int, %(last)s::int) n
    ) AS numbered
"""
_PARTICIPANTS: LiteralString = """
    INSERT INTO call_participants
        (id, tenant_id, call_id, position, role, transport, identity, status, metadata)
    SELECT gen_random_uuid(), tenant_id, id, 0, 'caller', 'webrtc', 'ada', 'completed', '{}'
    FROM calls WHERE tenant_id = %(tenant_id)s
    ON CONFLICT (call_id, position) DO NOTHING
"""


_DETAILS: tuple[LiteralString, ...] = (
    """
    INSERT INTO transcript_segments
        (call_id, sequence, id, tenant_id, speaker, text, started_at_ms, ended_at_ms, interrupted)
    SELECT id, 0, gen_random_uuid(), tenant_id, 'user', 'Hello, do you have a table for two?',
        0, 900, false
    FROM calls WHERE tenant_id = %(tenant_id)s ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO turn_latencies (call_id, sequence, tenant_id, end_to_end_ms)
    SELECT id, 0, tenant_id, 600 FROM calls WHERE tenant_id = %(tenant_id)s ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO call_log_entries (id, tenant_id, call_id, level, source, message, created_at)
    SELECT gen_random_uuid(), tenant_id, id, 'info', 'lifecycle', 'Call created', created_at
    FROM calls WHERE tenant_id = %(tenant_id)s
    """,
    """
    INSERT INTO outbox_events (id, tenant_id, event, data, occurred_at)
    SELECT gen_random_uuid(), tenant_id, 'call.completed', jsonb_build_object('call_id', id),
        created_at
    FROM calls WHERE tenant_id = %(tenant_id)s
    """,
)
"""One row for each call; the last one since revision 0003."""


def add_details(connection: psycopg.Connection, tenant_id: UUID) -> None:
    """For each call of the tenant one segment with its latencies, one line of the event log and one
    webhook event. The connection is as for ``add_calls``."""
    connection.execute(f"SET ROLE {SYSTEM_ROLE}")
    for statement in _DETAILS:
        connection.execute(statement, {"tenant_id": tenant_id})
    connection.execute("RESET ROLE")


def add_calls(
    connection: psycopg.Connection,
    tenant_id: UUID,
    agent_ids: Sequence[UUID],
    count: int,
    *,
    plan_bytes: int = 64,
    at_once: int = 50_000,
) -> None:
    """``count`` calls, one a second into the past, most of them completed, each with one caller.

    Args:
        connection: in autocommit mode, as the login.
        agent_ids: the first has half of the calls, each next half of the rest.
        plan_bytes: about how much of each call's plan is kept.
    """
    connection.execute(f"SET ROLE {SYSTEM_ROLE}")
    for first in range(1, count + 1, at_once):
        connection.execute(
            _CALLS,
            {
                "tenant_id": tenant_id,
                "agent_ids": list(agent_ids),
                "agents": len(agent_ids),
                "plan_bytes": plan_bytes,
                "first": first,
                "last": min(first + at_once - 1, count),
            },
        )
    connection.execute(_PARTICIPANTS, {"tenant_id": tenant_id})
    connection.execute("RESET ROLE")
