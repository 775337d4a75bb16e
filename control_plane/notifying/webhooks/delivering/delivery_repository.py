"""The queries of the delivering process. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, DateTime, Text, Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import webhook_channel_repository
from control_plane.notifying.webhooks.delivering.fairness import SLOTS_OF_ENDPOINT, Due
from control_plane.notifying.webhooks.delivering.retry_schedule import DEAD_AFTER, TRIES
from control_plane.notifying.webhooks.event_names import NOTIFICATION_EVENTS
from control_plane.platform.outbox.facts import Fact

CLAIM_SECONDS = 8
"""Longer than a try and its recording. A delivery whose process died is tried again after it."""

_IDS = ARRAY(Uuid)


@dataclass(frozen=True)
class Claimed:
    """A delivery that this process alone tries now, with its webhook."""

    id: UUID
    tenant_id: UUID
    webhook_id: UUID
    event_id: UUID
    event: str
    occurred_at: datetime
    tries_left: int
    """This one included."""
    url: str
    sealed_secret: str
    sealed_previous_secret: str | None
    previous_secret_until: datetime | None
    redaction_level: str
    failing_since: datetime | None


@dataclass(frozen=True)
class Recorded:
    """The result of a try; its fields are those of ``webhook_deliveries`` and ``webhook_tries``."""

    id: UUID
    webhook_id: UUID
    event: str
    status: str
    tries_left: int
    next_try_at: datetime | None
    finished_at: datetime | None
    started_at: datetime
    duration_ms: int
    status_code: int | None
    error: str | None
    answer: str | None


async def add_deliveries(session: AsyncSession, facts: Sequence[Fact]) -> int:
    """One for each fact and webhook that subscribes to its event; returns how many are new."""
    added = await session.scalars(
        text(
            """
            INSERT INTO webhook_deliveries (id, tenant_id, webhook_id, event_id, event, occurred_at,
                status, tries_left, next_try_at)
            SELECT gen_random_uuid(), fact.tenant_id, webhook.id, fact.id, fact.event,
                fact.occurred_at, 'pending', :tries, now()
            FROM unnest(:ids, :tenant_ids, :events, :times)
                AS fact (id, tenant_id, event, occurred_at)
            JOIN webhooks AS webhook ON webhook.tenant_id = fact.tenant_id
                AND fact.event = ANY (webhook.events)
                AND webhook.created_at <= fact.occurred_at
            ON CONFLICT DO NOTHING
            RETURNING id
            """
        ).bindparams(
            bindparam("ids", [fact.id for fact in facts], _IDS),
            bindparam("tenant_ids", [fact.tenant_id for fact in facts], _IDS),
            bindparam("events", [fact.event for fact in facts], ARRAY(Text)),
            bindparam("times", [fact.occurred_at for fact in facts], ARRAY(DateTime(True))),
        ),
        {"tries": TRIES},
    )
    return len(added.all())


async def due(
    session: AsyncSession,
    limit: int,
    *,
    without_webhooks: Collection[UUID],
    without_tenants: Collection[UUID],
    without: Collection[UUID],
) -> Sequence[Due]:
    """Deliveries whose time has come, the longest first: of each endpoint as many as may be under
    way at once, so that the backlog of one is not in the way of the others; and as many replays, so
    that those are not in the way of what is new.

    Args:
        without: those that this process is trying or recording.
    """
    rows = await session.execute(
        text(
            """
            WITH RECURSIVE endpoint (id) AS (
                (SELECT webhook_id FROM webhook_deliveries
                WHERE status = 'pending' ORDER BY webhook_id LIMIT 1)
                UNION ALL
                SELECT (SELECT webhook_id FROM webhook_deliveries
                    WHERE status = 'pending' AND webhook_id > endpoint.id
                    ORDER BY webhook_id LIMIT 1)
                FROM endpoint WHERE endpoint.id IS NOT NULL
            )
            SELECT delivery.id, webhook.tenant_id, webhook.id AS webhook_id,
                webhook.failing_since IS NOT NULL AS is_to_failing_endpoint,
                webhook.failing_since IS NOT NULL
                    AND webhook.failing_since <= now() - CAST(:dead_after AS interval)
                    AS is_to_dead_endpoint,
                kind.is_replay
            FROM endpoint
            JOIN webhooks AS webhook ON webhook.id = endpoint.id
            CROSS JOIN (VALUES (false), (true)) AS kind (is_replay)
            CROSS JOIN LATERAL (
                SELECT id, next_try_at FROM webhook_deliveries
                WHERE webhook_id = endpoint.id AND is_replay = kind.is_replay
                    AND status = 'pending' AND next_try_at <= now() AND id <> ALL (:without)
                ORDER BY next_try_at LIMIT :of_endpoint
            ) AS delivery
            WHERE webhook.id <> ALL (:without_webhooks)
                AND webhook.tenant_id <> ALL (:without_tenants)
            ORDER BY delivery.next_try_at
            LIMIT :limit
            """
        ).bindparams(
            bindparam("without_webhooks", list(without_webhooks), _IDS),
            bindparam("without_tenants", list(without_tenants), _IDS),
            bindparam("without", list(without), _IDS),
        ),
        {"limit": limit, "of_endpoint": SLOTS_OF_ENDPOINT, "dead_after": DEAD_AFTER},
    )
    return [Due(**row) for row in rows.mappings()]


async def seconds_until_due(session: AsyncSession) -> float | None:
    """Until the next delivery is due, less than 0 if one is already; ``None`` without one."""
    seconds = await session.scalar(
        text(
            "SELECT extract(epoch FROM min(next_try_at) - now()) FROM webhook_deliveries"
            " WHERE status = 'pending'"
        )
    )
    return None if seconds is None else float(seconds)


async def claim(session: AsyncSession, ids: Sequence[UUID]) -> Sequence[Claimed]:
    """Those of ``ids`` that no other process has claimed."""
    rows = await session.execute(
        text(
            """
            UPDATE webhook_deliveries AS delivery
            SET next_try_at = now() + make_interval(secs => :claim_seconds)
            FROM webhooks AS webhook
            WHERE delivery.id = ANY (:ids) AND webhook.id = delivery.webhook_id
                AND delivery.status = 'pending' AND delivery.next_try_at <= now()
            RETURNING delivery.id, delivery.tenant_id, delivery.webhook_id, delivery.event_id,
                delivery.event, delivery.occurred_at, delivery.tries_left, webhook.url,
                webhook.sealed_secret, webhook.sealed_previous_secret,
                webhook.previous_secret_until, webhook.redaction_level, webhook.failing_since
            """
        ).bindparams(bindparam("ids", list(ids), _IDS)),
        {"claim_seconds": CLAIM_SECONDS},
    )
    return [Claimed(**row) for row in rows.mappings()]


async def facts_of(
    session: AsyncSession, named: Collection[tuple[UUID, datetime]]
) -> Mapping[UUID, tuple[dict[str, Any], str]]:
    """``data`` and ``origin`` of the facts that are still there.

    Args:
        named: the facts' ids and times.
    """
    rows = await session.execute(
        text(
            "SELECT id, data, origin FROM outbox_events"
            " WHERE id = ANY (:ids) AND occurred_at = ANY (:times)"
        )
        .bindparams(
            bindparam("ids", [event_id for event_id, _ in named], _IDS),
            bindparam("times", [moment for _, moment in named], ARRAY(DateTime(True))),
        )
        .columns(data=JSONB)
    )
    return {row.id: (row.data, row.origin) for row in rows}


async def record(session: AsyncSession, results: Sequence[Recorded]) -> Sequence[Recorded]:
    """Write down tries, and what they mean for their deliveries.

    Returns those that count. A process that stalled for longer than its claim comes too late if
    another has finished the delivery meanwhile; then only a success still counts, after a failure.
    """
    columns: dict[str, tuple[Any, list[Any]]] = {
        "ids": (_IDS, [each.id for each in results]),
        "statuses": (ARRAY(Text), [each.status for each in results]),
        "lefts": (ARRAY(Text), [str(each.tries_left) for each in results]),
        "nexts": (ARRAY(DateTime(True)), [each.next_try_at for each in results]),
        "finishes": (ARRAY(DateTime(True)), [each.finished_at for each in results]),
        "starts": (ARRAY(DateTime(True)), [each.started_at for each in results]),
        "durations": (ARRAY(Text), [str(each.duration_ms) for each in results]),
        "codes": (
            ARRAY(Text),
            [None if each.status_code is None else str(each.status_code) for each in results],
        ),
        "errors": (ARRAY(Text), [each.error for each in results]),
        "answers": (ARRAY(Text), [each.answer for each in results]),
    }
    statement = text(
        """
        WITH result AS MATERIALIZED (
            SELECT * FROM unnest(:ids, :statuses, CAST(:lefts AS integer[]), :nexts, :finishes,
                :starts, CAST(:durations AS integer[]), CAST(:codes AS integer[]), :errors,
                :answers) AS given (id, status, tries_left, next_try_at, finished_at, started_at,
                duration_ms, status_code, error, answer)
        ), changed AS (
            UPDATE webhook_deliveries AS delivery
            SET status = result.status, tries = delivery.tries + 1,
                tries_left = result.tries_left, next_try_at = result.next_try_at,
                finished_at = result.finished_at
            FROM result WHERE delivery.id = result.id AND (delivery.status = 'pending'
                OR delivery.status = 'failed' AND result.status = 'delivered')
            RETURNING delivery.id, delivery.tenant_id, delivery.tries
        )
        INSERT INTO webhook_tries (delivery_id, number, tenant_id, started_at, duration_ms,
            status_code, error, answer)
        SELECT changed.id, changed.tries, changed.tenant_id, result.started_at,
            result.duration_ms, result.status_code, result.error, result.answer
        FROM changed JOIN result ON result.id = changed.id
        RETURNING delivery_id
        """
    ).bindparams(*(bindparam(name, values, kind) for name, (kind, values) in columns.items()))
    changed = set(await session.scalars(statement))
    counted = [each for each in results if each.id in changed]
    await _note_health(session, counted)
    if notified := [each for each in counted if each.event in NOTIFICATION_EVENTS]:
        tries = [(each.id, each.status, each.error) for each in notified]
        await webhook_channel_repository.note_tries(session, tries)
    return counted


async def expire(session: AsyncSession, ids: Sequence[UUID]) -> None:
    """What they would tell was erased."""
    await session.execute(
        text(
            "UPDATE webhook_deliveries SET status = 'expired', next_try_at = NULL,"
            " finished_at = now() WHERE id = ANY (:ids)"
        ).bindparams(bindparam("ids", list(ids), _IDS))
    )


async def claim_alert(session: AsyncSession, webhook_id: UUID) -> bool:
    """Whether an alert about the webhook is due: nobody else has sent one within the hour."""
    due_now = await session.scalar(
        text(
            "UPDATE webhooks SET alerted_at = now() WHERE id = :id AND alert_email IS NOT NULL"
            " AND (alerted_at IS NULL OR alerted_at <= now() - interval '1 hour') RETURNING id"
        ),
        {"id": webhook_id},
    )
    return due_now is not None


async def delete_expired(session: AsyncSession, before: datetime, *, most: int) -> int:
    """Delete deliveries of facts from before ``before``, and return how many, which are ``most`` at
    most."""
    deleted = await session.scalars(
        text(
            """
            DELETE FROM webhook_deliveries WHERE id IN (
                SELECT id FROM webhook_deliveries WHERE occurred_at < :before
                ORDER BY occurred_at LIMIT :most
            ) RETURNING id
            """
        ),
        {"before": before, "most": most},
    )
    return len(deleted.all())


async def _note_health(session: AsyncSession, results: Sequence[Recorded]) -> None:
    answered = {each.webhook_id for each in results if each.error is None}
    failed_at: dict[UUID, datetime] = {}
    for each in results:
        if each.error is not None and each.webhook_id not in answered:
            failed_at.setdefault(each.webhook_id, each.started_at)
    for webhook_id, moment in sorted(failed_at.items()):
        await session.execute(
            text(
                "UPDATE webhooks SET failing_since = :moment"
                " WHERE id = :id AND failing_since IS NULL"
            ),
            {"id": webhook_id, "moment": moment},
        )
    if answered:
        await session.execute(
            text(
                "UPDATE webhooks SET failing_since = NULL"
                " WHERE id = ANY (:ids) AND failing_since IS NOT NULL"
            ).bindparams(bindparam("ids", sorted(answered), _IDS))
        )
