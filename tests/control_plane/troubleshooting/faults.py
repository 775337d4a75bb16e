"""The faults of docs/troubleshooting.md: each makes an answer, or names an end, that people see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
from redis.asyncio import Redis

from contracts.end_reasons import EndReason
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.owned_books import change_books

Cause = Callable[["Installation"], Awaitable[httpx2.Response]]
RULES = "Upsell the whitening package.\nRoll a die first.\nEscalate after three attempts.\n"


@dataclass(frozen=True)
class Installation:
    tenant: TenantClient
    database: Database
    redis: Redis
    provider: Any
    """A stand-in of OpenAI, whose ``status`` is that of its answers; 0: it is not reached."""

    async def call(self, agent_id: object) -> httpx2.Response:
        participants = [{"transport": "webrtc", "identity": "caller"}]
        body = {"agent_id": str(agent_id), "participants": participants}
        return await self.tenant.post("/v1/calls", body)

    async def set_key(self, **body: Any) -> httpx2.Response:
        key = {"key": "sk-proj-abcdefgh-4321"} | body
        return await self.tenant.request("PUT", "/v1/provider-keys/openai", json=key)


async def wrong_key(here: Installation) -> httpx2.Response:
    headers = {"Authorization": "Bearer sb_secret_of_nobody"}
    return await here.tenant.http.get("/v1/agents", headers=headers)


async def wrong_password(here: Installation) -> httpx2.Response:
    body = {"email": "nobody@example.com", "password": "not the right one"}
    return await here.tenant.http.post("/v1/auth/login", json=body)


async def wrong_provider_key(here: Installation) -> httpx2.Response:
    here.provider.status = 401
    return await here.set_key()


async def provider_unreachable(here: Installation) -> httpx2.Response:
    here.provider.status = 0
    return await here.set_key()


async def key_is_gone(here: Installation) -> httpx2.Response:
    await here.set_key(verify=False)
    model = {"llm_provider": "openai", "llm_model": "gpt-4.1-mini"}
    agent_id = await here.tenant.published_agent(**model)
    await here.tenant.request("DELETE", "/v1/provider-keys/openai")
    return await here.call(agent_id)


async def no_worker(here: Installation) -> httpx2.Response:
    agent_id = await here.tenant.published_agent()
    await here.redis.flushall()
    return await here.call(agent_id)


async def no_credit(here: Installation) -> httpx2.Response:
    agent_id = await here.tenant.published_agent()
    await change_books(
        here.database,
        "UPDATE billing_accounts SET held_micros = free_micros WHERE tenant_id = :tenant_id",
        tenant_id=here.tenant.tenant_id,
    )
    return await here.call(agent_id)


async def not_published(here: Installation) -> httpx2.Response:
    return await here.call(await here.tenant.agent())


async def no_such_agent(here: Installation) -> httpx2.Response:
    return await here.call(uuid4())


async def not_followed(here: Installation) -> httpx2.Response:
    agent_id = await here.tenant.agent(system_prompt=RULES, persona={"name": "Mia"})
    return await here.tenant.post(f"/v1/agents/{agent_id}/publish")


ANSWERS: dict[str, Cause] = {
    "Wrong key": wrong_key,
    "Wrong password": wrong_password,
    "Wrong provider key": wrong_provider_key,
    "Provider unreachable when its key is saved": provider_unreachable,
    "The agent's model needs a key that is gone": key_is_gone,
    "No worker": no_worker,
    "No credit": no_credit,
    "The agent is not published": not_published,
    "The agent does not exist": no_such_agent,
    "Most of a prompt cannot be followed offline": not_followed,
}
"""What the API answers."""

ENDS: dict[str, tuple[str, EndReason]] = {
    "Providers unreachable in a call": ("agent", EndReason.NO_PROVIDER_CONNECTED),
    "Server stopped mid-call": ("agent", EndReason.SERVER_SHUTDOWN),
    "Connection lost mid-call": ("connection_lost", EndReason.CLIENT_DISCONNECTED),
    "A worker died mid-call": ("agent", EndReason.WORKER_ERROR),
    "Credit used up mid-call": ("agent", EndReason.INSUFFICIENT_FUNDS),
}
"""Who ended the call as the command line sees it, and the reason in the call's record. The tests of
``tests/e2e`` that stop servers and kill workers see that such calls end with these."""
