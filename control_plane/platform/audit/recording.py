"""Writing to the audit log, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.tenancy.caller import Actor, Caller, RequestOrigin

_LONGEST_USER_AGENT = 400
OPERATOR = Actor("operator", None, "operator")


def record_change(
    session: AsyncSession,
    caller: Caller,
    action: str,
    *,
    target_id: UUID | str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> None:
    """Record that ``caller`` did ``action``.

    Args:
        action: the record's kind and a verb in the past tense, such as ``agent.published``.
        changes: JSON values without secrets, such as ``{"role": ["member", "admin"]}``.
    """
    record_act(
        session,
        caller.tenant_id,
        caller.actor,
        caller.origin,
        action,
        target_id=target_id,
        changes=changes,
    )


def record_act(
    session: AsyncSession,
    tenant_id: UUID,
    actor: Actor,
    origin: RequestOrigin,
    action: str,
    *,
    target_id: UUID | str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> None:
    """Like ``record_change``, for a login, which has no caller yet, and for the operator."""
    session.add(
        AuditEntry(
            tenant_id=tenant_id,
            actor_kind=actor.kind,
            actor_id=actor.id,
            actor_label=actor.label,
            action=action,
            target_id=None if target_id is None else str(target_id),
            changes=dict(changes or {}),
            address=origin.address,
            user_agent=(origin.user_agent or "")[:_LONGEST_USER_AGENT] or None,
            request_id=origin.request_id,
        )
    )
