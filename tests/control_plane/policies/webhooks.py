from __future__ import annotations

from uuid import UUID, uuid4

from control_plane.notifying.webhooks.models import WebhookDelivery
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    FOREIGN_IS_404,
    OWN_RECORDS,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

HOOK = {
    "url": "https://8.8.8.8/hooks",
    "events": ["agent.published"],
    "secret": "a secret of a stranger",
}
_SPAN = {"from": "2026-05-03T12:00:00Z", "to": "2026-05-03T13:00:00Z"}

POLICIES: Policies = {
    ("POST", "/v1/webhooks"): Policy(Access.ADMIN, body=HOOK),
    ("GET", "/v1/webhooks"): OWN_RECORDS,
    ("GET", "/v1/webhooks/events"): Policy(Access.MEMBER, query="?cursor=0.0", names_records=True),
    ("GET", "/v1/webhooks/{webhook_id}"): FOREIGN_IS_404,
    ("PATCH", "/v1/webhooks/{webhook_id}"): Policy(
        Access.ADMIN, refused_with=404, body={"events": ["call.failed"]}
    ),
    ("DELETE", "/v1/webhooks/{webhook_id}"): ADMINS_FOREIGN_IS_404,
    ("POST", "/v1/webhooks/{webhook_id}/rotate-secret"): Policy(
        Access.ADMIN, refused_with=404, body={"secret": "another secret of a stranger"}
    ),
    ("GET", "/v1/webhooks/{webhook_id}/deliveries"): FOREIGN_IS_404,
    ("GET", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}"): FOREIGN_IS_404,
    (
        "POST",
        "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
    ): ADMINS_FOREIGN_IS_404,
    ("POST", "/v1/webhooks/{webhook_id}/replay"): Policy(
        Access.ADMIN, refused_with=404, body=_SPAN
    ),
    ("POST", "/v1/webhooks/{webhook_id}/test"): Policy(
        Access.ADMIN, refused_with=404, body={"event": "call.failed"}
    ),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    url = f"https://8.8.8.8/{SECRET_NAME.replace(' ', '-')}"
    answer = await tenant.post("/v1/webhooks", HOOK | {"url": url})
    assert answer.status_code == 201, answer.text
    webhook_id = UUID(answer.json()["id"])
    async with database.system_session() as session:
        fact = OutboxEvent(
            id=uuid4(),
            tenant_id=tenant.tenant_id,
            event="agent.published",
            data={"title": SECRET_NAME},
        )
        session.add(fact)
        await session.flush()
        await session.refresh(fact)
        delivery = WebhookDelivery(
            tenant_id=tenant.tenant_id,
            webhook_id=webhook_id,
            event_id=fact.id,
            event=fact.event,
            occurred_at=fact.occurred_at,
            status="failed",
            tries_left=0,
        )
        session.add(delivery)
        await session.flush()
    return {"webhook_id": webhook_id, "delivery_id": delivery.id}
