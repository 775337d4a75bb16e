from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    ("GET", "/v1/provider-keys"): Policy(Access.ADMIN, names_records=False),
    # Before the stranger has set a key of its own.
    ("DELETE", "/v1/provider-keys/{provider}"): ADMINS_FOREIGN_IS_404,
    # Each tenant has its own keys under the same names: a stranger sets its own.
    ("PUT", "/v1/provider-keys/{provider}"): Policy(
        Access.ADMIN, body={"key": "a-key-of-a-stranger", "verify": False}
    ),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    answer = await tenant.request(
        "PUT", "/v1/provider-keys/cartesia", json={"key": "a-key-of-the-victim", "verify": False}
    )
    assert answer.status_code == 200, answer.text
    return {"provider": "cartesia"}
