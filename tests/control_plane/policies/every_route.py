"""The policies of every route, and the records that a walk leaves behind before it sets out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies import (
    accounts,
    agent_builder,
    agents,
    api_keys,
    audit,
    batches,
    billing,
    call_participants,
    calls,
    carriers,
    catalogue,
    chat_sessions,
    dialing,
    do_not_call,
    erasure,
    intelligence,
    knowledge_sources,
    live_view,
    members,
    notifications,
    numbers,
    operator,
    payments,
    provider_keys,
    publication,
    recordings,
    retention,
    sharing,
    webhooks,
)
from tests.control_plane.policies.policy import Policies

_DOMAINS = (
    accounts,
    agent_builder,
    agents,
    api_keys,
    audit,
    batches,
    billing,
    call_participants,
    calls,
    carriers,
    catalogue,
    chat_sessions,
    dialing,
    do_not_call,
    erasure,
    intelligence,
    knowledge_sources,
    live_view,
    members,
    notifications,
    numbers,
    operator,
    payments,
    provider_keys,
    publication,
    recordings,
    retention,
    sharing,
    webhooks,
)

POLICIES: Policies = {
    route: policy for domain in _DOMAINS for route, policy in domain.POLICIES.items()
}

LeaveRecords = Callable[[TenantClient, Database, dict[str, UUID]], Awaitable[dict[str, object]]]
"""A domain's ``leave_records(tenant, database, ids)``: makes one record of each kind for the
tenant, every text in it ``SECRET_NAME``, and returns the path parameters that name them. ``ids``
holds what the walk has made already, such as ``agent_id``."""


def leavers() -> list[LeaveRecords]:
    found = (getattr(domain, "leave_records", None) for domain in _DOMAINS)
    return [leave for leave in found if leave is not None]
