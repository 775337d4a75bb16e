"""Opening accounts, as the operator of the installation."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import text

from control_plane.app import create_app
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, TenantClient


async def test_a_new_tenant_has_an_owner_a_key_and_the_welcome_credit(
    http: httpx2.AsyncClient, database: Database
) -> None:
    answer = await http.post(
        "/v1/operator/tenants",
        headers=OPERATOR,
        json={"name": "Bright Smiles", "owner_email": " Mia@Example.COM "},
    )

    assert answer.status_code == 201
    made = answer.json()
    assert set(made) == {"tenant_id", "owner_user_id", "api_key"}
    async with database.tenant_session(UUID(made["tenant_id"])) as session:
        [owner] = await session.execute(
            text("SELECT id, email, role FROM users JOIN memberships ON user_id = id")
        )
        credit = await session.scalar(
            text("SELECT sum(free_micros + purchased_micros) FROM ledger_entries")
        )
    assert tuple(owner) == (UUID(made["owner_user_id"]), "mia@example.com", "owner")
    assert credit == 10_000_000
    key = {"Authorization": f"Bearer {made['api_key']}"}
    assert (await http.get("/v1/agents", headers=key)).json()["total"] == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"owner_email": "a@b.c"}, "name"),
        ({"name": "x"}, "owner_email"),
        ({"name": "x", "owner_email": "nobody"}, "owner_email"),
        ({"name": "x" * 201, "owner_email": "a@b.c"}, "name"),
    ],
)
async def test_a_wrong_account_is_400(
    http: httpx2.AsyncClient, body: dict[str, Any], field: str
) -> None:
    answer = await http.post("/v1/operator/tenants", headers=OPERATOR, json=body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


async def test_without_an_operator_token_the_route_is_closed(
    settings: ControlPlaneSettings, tenant: TenantClient
) -> None:
    app = create_app(settings.model_copy(update={"operator_token": None}))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http:
        for headers in (OPERATOR, {}, {"Authorization": "Bearer None"}, tenant.headers):
            answer = await http.post(
                "/v1/operator/tenants",
                headers=headers,
                json={"name": "x", "owner_email": "a@b.c"},
            )
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
