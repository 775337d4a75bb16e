"""Checks and sets what a publishable key may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.api_keys.models import ApiKey
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.directories import AgentDirectory

DEFAULT_PHONE_CALLS_PER_DAY = 100
"""Anybody can read a publishable key, and phone calls cost money."""


async def set_scope(
    session: AsyncSession, key: ApiKey, sent: Mapping[str, Any], agents: AgentDirectory
) -> None:
    """Set the fields of ``KeyScope`` that were ``sent``.

    Agents that the key already names are not checked again, because a deleted agent matches no
    call.

    Raises:
        InvalidRequest: a scope for a secret key, an agent that the tenant does not have, only one
            of the channel ``phone`` and ``phone_agent_id``, or a limit on phone calls without
            ``phone``.
    """
    if key.kind == "secret" and sent:
        raise InvalidRequest.at(
            min(sent),
            "is only for publishable keys; leave it out, because a secret key has full access",
        )
    await _check_agents(session, key.tenant_id, sent, agents)
    had_phone = "phone" in (key.allowed_channels or ())
    for field, value in sent.items():
        setattr(key, field, sorted(value) if isinstance(value, set) else value)
    has_phone = "phone" in key.allowed_channels
    if has_phone and key.phone_agent_id is None:
        raise InvalidRequest.at(
            "phone_agent_id",
            "is required when allowed_channels has 'phone': send the agent for phone calls",
        )
    if key.phone_agent_id is not None and not has_phone:
        raise InvalidRequest.at(
            "phone_agent_id", "must be null unless allowed_channels has 'phone'"
        )
    if has_phone and not had_phone and "phone_calls_per_day" not in sent:
        key.phone_calls_per_day = DEFAULT_PHONE_CALLS_PER_DAY
    if not has_phone:
        _refuse_phone_limits(sent)
        key.phone_countries = key.phone_calls_per_day = None


def _refuse_phone_limits(sent: Mapping[str, Any]) -> None:
    for field in ("phone_countries", "phone_calls_per_day"):
        if sent.get(field) is not None:
            raise InvalidRequest.at(field, "must be null unless allowed_channels has 'phone'")


async def _check_agents(
    session: AsyncSession, tenant_id: UUID, sent: Mapping[str, Any], agents: AgentDirectory
) -> None:
    by_field = {
        "allowed_agent_ids": sent.get("allowed_agent_ids") or set(),
        "phone_agent_id": {sent["phone_agent_id"]} if sent.get("phone_agent_id") else set(),
    }
    wanted = set[UUID]().union(*by_field.values())
    known = await agents.existing_ids(session, tenant_id, wanted) if wanted else set()
    for field, agent_ids in by_field.items():
        if unknown := agent_ids - known:
            raise InvalidRequest.at(
                field, f"you have no agent {', '.join(sorted(map(str, unknown)))}"
            )
