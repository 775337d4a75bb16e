"""The demo's account, made through the public API and kept in ``demo.json`` for the next run."""

from __future__ import annotations

import hashlib
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from switchboard.caller.dialogue_policy import Rule
from switchboard_client import ApiError, AsyncSwitchboard

_FILE = "demo.json"
_LEAST_CREDIT_USD = 0.5
_RULES = TypeAdapter(tuple[Rule, ...])


class DemoAccount(BaseModel):
    """``demo.json``, readable by its owner only."""

    model_config = ConfigDict(frozen=True)

    tenant_id: str
    secret_key: str = Field(repr=False)
    publishable_key: str
    """May only start web calls to the demo agent, because it is part of the call page's address."""
    agent_id: str
    agent_name: str
    agent_digest: str
    """Digest of the definition that the agent was made from."""


def read_account(data_dir: Path) -> DemoAccount | None:
    """``None`` before the first demo, or when another version wrote the file."""
    try:
        return DemoAccount.model_validate_json((data_dir / _FILE).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def write_account(data_dir: Path, account: DemoAccount) -> None:
    staged = data_dir / f"{_FILE}.new"
    staged.unlink(missing_ok=True)
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(account.model_dump_json(indent=2) + "\n")
    staged.replace(data_dir / _FILE)


def agent_body() -> dict[str, Any]:
    """The demo agent as its owner would send it to ``POST /v1/agents``."""
    body: dict[str, Any] = json.loads(_resource("dental_clinic.json"))
    return body


def caller_rules() -> tuple[Rule, ...]:
    """The synthetic caller's answers to the demo agent."""
    return _RULES.validate_json(_resource("dental_caller.json"))


async def is_usable(api_url: str, account: DemoAccount) -> bool:
    """Whether the account can place the demo's call: its key is valid, its agent is published and
    made from the current definition, and its credit lasts for a few minutes.

    Raises:
        SwitchboardError: the API could not answer that.
    """
    if account.agent_digest != _digest(agent_body()):
        return False
    async with AsyncSwitchboard(api_url, account.secret_key) as api:
        try:
            agent = await api.agents.show(account.agent_id)
            balance = await api.billing.balance()
        except ApiError as refused:
            if refused.status in (401, 403, 404):
                return False
            raise
    return agent.published_version is not None and balance.balance_usd >= _LEAST_CREDIT_USD


async def create_account(
    api_url: str, operator_token: str, tenant_name: str = "Demo"
) -> DemoAccount:
    """A tenant, its keys and the published agent, each through its public route.

    Raises:
        SwitchboardError: a step failed.
    """
    async with AsyncSwitchboard(api_url, operator_token) as operator:
        tenant = await operator.request(
            "POST",
            "/v1/operator/tenants",
            body={"name": tenant_name, "owner_email": "owner@demo.example"},
        )
    async with AsyncSwitchboard(api_url, tenant["api_key"]) as api:
        agent = agent_body()
        agent_id = (await api.agents.create(agent)).id
        await api.agents.publish(agent_id)
        publishable = await api.api_keys.create(
            {
                "name": "Call page",
                "kind": "publishable",
                "allowed_channels": ["web"],
                "allowed_agent_ids": [agent_id],
            }
        )
    return DemoAccount(
        tenant_id=tenant["tenant_id"],
        secret_key=tenant["api_key"],
        publishable_key=publishable.key,
        agent_id=str(agent_id),
        agent_name=agent["name"],
        agent_digest=_digest(agent),
    )


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _resource(name: str) -> str:
    return files("switchboard.demo").joinpath(name).read_text(encoding="utf-8")
