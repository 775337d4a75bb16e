"""A tenant's keys and sessions share one turn; who proves nothing shares that of an address."""

from __future__ import annotations

from collections.abc import Awaitable

import httpx2
import pytest
from fastapi import FastAPI, Request

from control_plane.identity.api_keys.secrets import PREFIXES
from control_plane.identity.request_limits.fair_turns import FairTurnsMiddleware, note_owner
from control_plane.platform.processor.turns import Turns
from tests.control_plane.conftest import OPERATOR, TenantClient

SECRET = f"{PREFIXES['secret']}abc"
OTHER_SECRET = f"{PREFIXES['secret']}other"
PUBLISHABLE = f"{PREFIXES['publishable']}abc"
ADDRESS = "203.0.113.5"


class NotedTurns(Turns):
    """Notes who runs, as the application sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.clients: list[str] = []

    def run(self, client: str, work: Awaitable[None]) -> Awaitable[None]:
        self.clients.append(client)
        return super().run(client, work)


class Api:
    """Knows the owners of its secret keys."""

    def __init__(self) -> None:
        self.owners = {f"Bearer {SECRET}": "tenant 1", f"Bearer {OTHER_SECRET}": "tenant 1"}
        self.turns = NotedTurns()
        app = FastAPI()
        app.add_middleware(FairTurnsMiddleware, turns=self.turns)

        @app.get("/")
        async def route(request: Request) -> None:
            owner = self.owners.get(request.headers.get("authorization", ""))
            if owner is not None:
                note_owner(request, owner)

        self._app = app

    async def client_of(self, token: str | None, address: str = ADDRESS) -> str:
        """Whose turns a request takes."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        transport = httpx2.ASGITransport(self._app, client=(address, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://api") as http:
            assert (await http.get("/", headers=headers)).is_success
        return self.turns.clients[-1]


@pytest.fixture
def api() -> Api:
    return Api()


async def test_credentials_of_a_tenant_share_its_turns_from_anywhere(api: Api) -> None:
    for token in (SECRET, OTHER_SECRET):
        await api.client_of(token)
    assert await api.client_of(SECRET) == "tenant 1"
    assert await api.client_of(OTHER_SECRET, "203.0.113.6") == "tenant 1"


async def test_a_new_credential_takes_the_turns_of_its_address(api: Api) -> None:
    assert await api.client_of(SECRET) == f"address {ADDRESS}"
    assert await api.client_of(SECRET) == "tenant 1"


async def test_without_a_valid_credential_an_address_shares_its_turns(api: Api) -> None:
    for token in (None, PUBLISHABLE, "a guess", "another guess"):
        for _ in range(2):
            assert await api.client_of(token) == f"address {ADDRESS}"
    assert await api.client_of(None, "203.0.113.6") == "address 203.0.113.6"
    assert await api.client_of(None, "2001:db8::1") == await api.client_of(None, "2001:db8::2")


async def test_the_api_knows_whose_credentials_are_valid(
    app: FastAPI, tenant: TenantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[str] = []
    run = Turns.run

    def noted(turns: Turns, client: str, work: Awaitable[None]) -> Awaitable[None]:
        clients.append(client)
        return run(turns, client, work)

    monkeypatch.setattr(Turns, "run", noted)
    page = await tenant.publishable_key()
    requests = {
        "secret key": ("/v1/agents", tenant.headers),
        "publishable key": ("/v1/agents", page),
        "operator": ("/v1/operator/tenants", OPERATOR),
        "guess": ("/v1/operator/tenants", {"Authorization": "Bearer guess"}),
    }
    found = {}
    transport = httpx2.ASGITransport(app, client=(ADDRESS, 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http:
        for name, (path, headers) in requests.items():
            for _ in range(2):
                await http.get(path, headers=headers)
            found[name] = clients[-1]
    assert found == {
        "secret key": f"tenant {tenant.tenant_id}",
        "publishable key": f"address {ADDRESS}",
        "operator": "operator",
        "guess": f"address {ADDRESS}",
    }
