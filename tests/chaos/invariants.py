"""What must hold when the dust has settled, whatever was lost, doubled or killed on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from contracts.events import CallEnded, CallEvent, Logged, TranscriptSegment, UsageReported
from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE
from tests.chaos.played_call import PlayedCall

NEVER: dict[str, LiteralString] = {
    "call is not over": "SELECT id FROM calls WHERE ended_at IS NULL",
    "reserve is open": "SELECT call_id FROM call_reserves WHERE state = 'open'",
    "call has no reserve": """
        SELECT id FROM calls WHERE id NOT IN (SELECT call_id FROM call_reserves)
    """,
    "reserve has no call": """
        SELECT call_id FROM call_reserves WHERE call_id NOT IN (SELECT id FROM calls)
    """,
    "account still holds credit": "SELECT tenant_id FROM billing_accounts WHERE held_micros <> 0",
    "balance is not the ledger's sum": """
        SELECT a.tenant_id FROM billing_accounts a
        LEFT JOIN ledger_entries e ON e.tenant_id = a.tenant_id GROUP BY a.tenant_id
        HAVING (a.plan_micros, a.free_micros, a.purchased_micros) IS DISTINCT FROM
            (coalesce(sum(e.plan_micros), 0), coalesce(sum(e.free_micros), 0),
            coalesce(sum(e.purchased_micros), 0))
    """,
    "call was charged something else than it costs, or twice": """
        SELECT c.id FROM calls c LEFT JOIN ledger_entries e
            ON e.call_id = c.id AND e.transaction_type = 'charge'
        GROUP BY c.id, c.total_cost_micros
        HAVING c.total_cost_micros
            <> coalesce(-sum(e.plan_micros + e.free_micros + e.purchased_micros), 0)
            OR count(e.id) > 1
    """,
    "call ended twice, or not in its log": """
        SELECT c.id FROM calls c LEFT JOIN call_log_entries l
            ON l.call_id = c.id AND l.message LIKE 'Call ended:%'
        GROUP BY c.id HAVING count(l.id) <> 1
    """,
    "call started twice": """
        SELECT call_id FROM call_log_entries WHERE message = 'Call started'
        GROUP BY call_id HAVING count(*) > 1
    """,
    "participant is still in a call that is over": """
        SELECT id FROM call_participants WHERE status <> 'completed'
    """,
    "count of calls is wrong": """
        SELECT tenant_id, agent_id, status FROM (
            SELECT tenant_id, agent_id, status, calls FROM call_counts
            UNION ALL SELECT tenant_id, agent_id, status, calls FROM call_count_deltas
            UNION ALL SELECT tenant_id, agent_id, status, -1 FROM calls
        ) AS counted GROUP BY 1, 2, 3 HAVING sum(calls) <> 0
    """,
}
"""Queries that find nothing."""
PARKED: LiteralString = "SELECT id FROM parked_events"
"""No tenant may read them."""


def broken_invariants(
    psycopg_url: str,
    created: Mapping[UUID, Iterable[UUID]],
    played: Mapping[UUID, PlayedCall],
    *,
    only_tenant: UUID | None = None,
) -> list[str]:
    """One line for each thing that is wrong, with all tenants or with one of several."""
    with psycopg.connect(psycopg_url, autocommit=True, row_factory=dict_row) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        faults = [f"event could not be applied: {row}" for row in connection.execute(PARKED)]
        if only_tenant is not None:
            connection.execute(f"SET ROLE {APP_ROLE}")
            connection.execute(
                "SELECT set_config('switchboard.tenant_id', %s, false)", (str(only_tenant),)
            )
        faults += [
            f"{name}: {row}"
            for name, query in NEVER.items()
            for row in connection.execute(query).fetchall()
        ]
        calls = {row["id"]: row for row in connection.execute("SELECT * FROM calls")}
        expected = {call_id for ids in created.values() for call_id in ids}
        faults += [f"made, but not there: {call_id}" for call_id in expected - calls.keys()]
        faults += [f"there, but not made: {call_id}" for call_id in calls.keys() - expected]
        said = _by_call(connection, "SELECT call_id, sequence AS item FROM transcript_segments")
        logged = _by_call(
            connection,
            "SELECT call_id, message AS item FROM call_log_entries WHERE message LIKE 'line %'",
        )
        ended_before = _by_call(
            connection,
            "SELECT call_id, level AS item FROM call_log_entries"
            " WHERE message LIKE 'The worker reported the end after the call was over%'",
        )
    for call_id, call in played.items():
        row = calls.get(call_id)
        if row is not None:
            faults += _faults_of(call, row, said.get(call_id), logged.get(call_id))
            if call_id not in ended_before:
                faults += _faults_of_end(call, row)
    return faults


def _by_call(
    connection: psycopg.Connection[dict[str, Any]], query: LiteralString
) -> dict[UUID, Counter[Any]]:
    found: dict[UUID, Counter[Any]] = {}
    for row in connection.execute(query):
        found.setdefault(row["call_id"], Counter())[row["item"]] += 1
    return found


def _faults_of(
    call: PlayedCall,
    row: Mapping[str, Any],
    said: Counter[Any] | None,
    logged: Counter[Any] | None,
) -> Iterator[str]:
    """Exactly the events up to the cursor were applied, each once."""
    name = f"call {row['id']} ({call.death})"
    applied = call.journal[: row["applied_seq"]]
    if row["applied_seq"] > len(call.journal):
        yield f"{name}: more was applied than happened"
    if call.is_shipped and len(applied) != len(call.journal):
        yield f"{name}: {len(call.journal) - len(applied)} events were not applied"
    if (said or Counter()) != Counter(_sequences(applied)):
        yield f"{name}: the transcript holds {said}"
    if (logged or Counter()) != Counter(_lines(applied)):
        yield f"{name}: the log holds {logged}"
    if row["usage"] != _usage(applied):
        yield f"{name}: the usage is {row['usage']}"


def _faults_of_end(call: PlayedCall, row: Mapping[str, Any]) -> Iterator[str]:
    """An end that came in time is the one that counts."""
    for event in call.journal[: row["applied_seq"]]:
        if isinstance(event.body, CallEnded):
            reported = (event.body.end_reason.value, event.body.connected_ms)
            counted = (row["end_reason"], row["connected_ms"])
            if counted != reported:
                yield f"call {row['id']} ({call.death}): {counted}, but {reported} was reported"


def _sequences(events: Iterable[CallEvent]) -> list[int]:
    return [e.body.sequence for e in events if isinstance(e.body, TranscriptSegment)]


def _lines(events: Iterable[CallEvent]) -> list[str]:
    return [e.body.message for e in events if isinstance(e.body, Logged)]


def _usage(events: Iterable[CallEvent]) -> dict[str, dict[str, int]]:
    return {
        f"{e.body.channel}/{e.body.provider}/{e.body.model}": e.body.model_dump(
            exclude={"type", "channel", "provider", "model"}
        )
        for e in events
        if isinstance(e.body, UsageReported)
    }
