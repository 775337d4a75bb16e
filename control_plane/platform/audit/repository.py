"""Every query on the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.page_repository import page_of


@dataclass(frozen=True)
class AuditFilter:
    """Filters of the list. ``None`` means no filter."""

    action: str | None = None
    """An action (``agent.published``) or a record's kind (``agent``)."""
    actor_id: UUID | None = None
    target_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_entries(
    session: AsyncSession, tenant_id: UUID, wanted: AuditFilter, *, limit: int, offset: int
) -> tuple[Sequence[AuditEntry], int]:
    """One page, newest first, and the total."""
    conditions = [AuditEntry.tenant_id == tenant_id, *_conditions(wanted)]
    newest_first = select(AuditEntry).where(*conditions).order_by(AuditEntry.id.desc())
    return await page_of(session, newest_first, limit=limit, offset=offset)


def _conditions(wanted: AuditFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.action is not None:
        whole = AuditEntry.action == wanted.action
        conditions.append(
            whole | AuditEntry.action.startswith(f"{wanted.action}.", autoescape=True)
        )
    if wanted.actor_id is not None:
        conditions.append(AuditEntry.actor_id == wanted.actor_id)
    if wanted.target_id is not None:
        conditions.append(AuditEntry.target_id == wanted.target_id)
    if wanted.since is not None:
        conditions.append(AuditEntry.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(AuditEntry.created_at < wanted.until)
    return conditions
