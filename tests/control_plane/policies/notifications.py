from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.notifying.notifications.facts import tell
from tests.control_plane.policies.policy import (
    OWN_RECORDS,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

_CHANGE = {"event_category": "agent.failed", "email_enabled": False}
# The link of a mail is wanted instead of a key.
_NO_LINK = Policy(Access.EVERYONE, 400)
_NAMELESS = Policy(Access.MEMBER, names_records=False)

# Without an end the walks would wait for the next notification.
_STREAM = Policy(Access.MEMBER, query="?follow=false", names_records=False)

POLICIES: Policies = {
    ("GET", "/mail-choices"): _NO_LINK,
    ("POST", "/mail-choices"): _NO_LINK,
    ("GET", "/v1/notifications"): OWN_RECORDS,
    ("PUT", "/v1/notifications/read-all"): _NAMELESS,
    ("PUT", "/v1/notifications/{notification_id}/read"): _NAMELESS,
    ("DELETE", "/v1/notifications/read"): _NAMELESS,
    ("DELETE", "/v1/notifications/{notification_id}"): _NAMELESS,
    ("GET", "/v1/notifications/deliveries"): OWN_RECORDS,
    ("GET", "/v1/notifications/status"): _NAMELESS,
    ("GET", "/v1/notifications/preferences"): _NAMELESS,
    ("PUT", "/v1/notifications/preferences"): Policy(
        Access.ADMIN, body=_CHANGE, names_records=False
    ),
    ("GET", "/v1/notifications/preferences/me"): Policy(Access.SESSION, 403, names_records=False),
    ("PUT", "/v1/notifications/preferences/me"): Policy(
        Access.SESSION, 403, body=_CHANGE, names_records=False
    ),
    ("GET", "/v1/notifications/stream"): _STREAM,
    ("GET", "/v1/notifications/phone"): Policy(Access.SESSION, 403, names_records=False),
    ("PUT", "/v1/notifications/phone"): Policy(
        Access.SESSION, 403, body={"number": "+14155550100"}, names_records=False
    ),
    ("PUT", "/v1/notifications/phone/confirmation"): Policy(
        Access.SESSION, 403, body={"code": "123456"}, names_records=False
    ),
    ("DELETE", "/v1/notifications/phone"): Policy(Access.SESSION, 403, names_records=False),
    ("GET", "/v1/notifications/settings"): _NAMELESS,
    ("PUT", "/v1/notifications/settings"): Policy(
        Access.ADMIN, body={"time_zone": "Europe/Berlin"}, names_records=False
    ),
    ("POST", "/v1/notifications/test"): Policy(Access.ADMIN, names_records=False),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    notification_id = await tell(database, tenant.tenant_id, title=SECRET_NAME)
    return {"notification_id": notification_id}
