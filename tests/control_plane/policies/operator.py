from __future__ import annotations

from uuid import UUID

from control_plane.calling.calls.events.repository import add_parked_event
from control_plane.calling.calls.parked_events.repository import page_of
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import EVERYONE, Access, Policies, Policy

OPERATORS = Policy(Access.OPERATOR, 401)

POLICIES: Policies = {
    ("GET", "/openapi.json"): EVERYONE,
    ("GET", "/healthz"): EVERYONE,
    ("GET", "/readyz"): EVERYONE,
    ("GET", "/"): Policy(Access.EVERYONE, refused_with=307),
    ("GET", "/call"): EVERYONE,
    ("GET", "/console"): EVERYONE,
    ("GET", "/console/{address:path}"): EVERYONE,
    # It leads back to the page.
    ("POST", "/console/payments"): Policy(Access.EVERYONE, 303),
    ("GET", "/docs"): EVERYONE,
    ("GET", "/confirm-email"): EVERYONE,
    ("GET", "/invitations/accept"): EVERYONE,
    ("GET", "/password-reset"): EVERYONE,
    ("GET", "/call/config.json"): EVERYONE,
    ("POST", "/v1/operator/tenants"): Policy(
        Access.OPERATOR, 401, {"name": "x", "owner_email": "x@example.com"}
    ),
    ("GET", "/v1/operator/tenants"): OPERATORS,
    ("GET", "/v1/operator/tenants/{tenant_id}"): OPERATORS,
    ("PATCH", "/v1/operator/tenants/{tenant_id}"): Policy(
        Access.OPERATOR, 401, {"tier": "enterprise"}
    ),
    ("POST", "/v1/operator/tenants/{tenant_id}/credits"): Policy(
        Access.OPERATOR, 401, {"amount_usd": 1, "description": "x"}
    ),
    ("POST", "/v1/operator/tenants/{tenant_id}/debits"): Policy(
        Access.OPERATOR, 401, {"amount_usd": 1, "reason": "x", "posted_by": "x"}
    ),
    ("POST", "/v1/operator/tenants/{tenant_id}/corrections"): Policy(
        Access.OPERATOR, 401, {"amount_usd": 1, "reason": "x", "posted_by": "x"}
    ),
    ("POST", "/v1/operator/announcements"): Policy(
        Access.OPERATOR, 401, {"title": "x", "message": "x"}
    ),
    ("POST", "/v1/operator/tenants/{tenant_id}/porting-complete"): Policy(
        Access.OPERATOR, 401, {"number": "+14155550100"}
    ),
    ("GET", "/v1/operator/plans"): OPERATORS,
    ("POST", "/v1/operator/plans"): Policy(
        Access.OPERATOR, 401, {"id": "mine", "display_name": "Mine"}
    ),
    ("GET", "/v1/operator/margin"): OPERATORS,
    ("GET", "/v1/operator/paused-agents"): OPERATORS,
    ("POST", "/v1/operator/agents/{agent_id}/pause"): Policy(Access.OPERATOR, 401, {"reason": "x"}),
    ("DELETE", "/v1/operator/agents/{agent_id}/pause"): OPERATORS,
    ("GET", "/v1/operator/parked-events"): OPERATORS,
    ("GET", "/v1/operator/parked-events/{parked_event_id}"): OPERATORS,
    ("POST", "/v1/operator/parked-events/{parked_event_id}/retry"): OPERATORS,
    ("POST", "/v1/operator/parked-events/{parked_event_id}/discard"): Policy(
        Access.OPERATOR, 401, {"reason": "x", "discarded_by": "x"}
    ),
    ("GET", "/v1/operator/workers"): OPERATORS,
    ("GET", "/v1/operator/platform"): OPERATORS,
    ("PUT", "/v1/operator/platform"): Policy(Access.OPERATOR, 401, {"calls_enabled": False}),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    async with database.system_session() as session:
        await add_parked_event(session, "1-0", "not an event", "{}")
        [parked] = await page_of(session, is_resolved=False, after=None, limit=1)
    return {"tenant_id": tenant.tenant_id, "parked_event_id": parked.id}
