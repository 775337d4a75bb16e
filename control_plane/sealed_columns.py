"""Every column that holds tenants' secrets, and how to encrypt them with a new key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.orm import InstrumentedAttribute

from control_plane.building.agents.header_secrets import with_secrets_as
from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.agents.publishing.snapshot import digest_of, read_snapshot
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.calling.calls.models import Call
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.calling.chat_sessions.models import ChatSession
from control_plane.calling.erasure.models import Erasure
from control_plane.calling.sharing.models import ShareLink, Tester
from control_plane.money.payments.models import PaymentMethod
from control_plane.notifying.webhooks.models import Webhook
from control_plane.platform.idempotency.models import AnsweredRequest

Reseal = Callable[[str], str]


@dataclass(frozen=True)
class SealedColumn:
    """``reseal_all`` returns the column's value with ``reseal`` applied to every secret in it."""

    column: InstrumentedAttribute[Any]
    reseal_all: Callable[[Any, Reseal], Any]
    computed: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Other columns of the row that are computed from the value, by name."""
    while_null: InstrumentedAttribute[Any] | None = None
    """The secrets of a row in which this column is set are not needed any more."""

    def __str__(self) -> str:
        return f"{self.column.class_.__tablename__}.{self.column.key}"


def text(value: str, reseal: Reseal) -> str:
    return reseal(value)


def answer(value: str, reseal: Reseal) -> str:
    """A stored answer; empty while its request is carried out."""
    return reseal(value) if value else value


def optional(value: str | None, reseal: Reseal) -> str | None:
    """Whose data is being erased, or a webhook's secret before the last rotation."""
    return None if value is None else reseal(value)


def agent_config(value: dict[str, Any], reseal: Reseal) -> dict[str, Any]:
    """An agent's configuration: the headers of its tools are sealed."""

    def resealed(header: dict[str, str]) -> dict[str, str]:
        return header | {"sealed": reseal(header["sealed"])}

    return value | {"tools": with_secrets_as(value["tools"], resealed)}


def snapshot(value: str, reseal: Reseal) -> str:
    """A published version's text: only its configuration holds secrets."""
    before = read_snapshot(value)
    return replace(before, config=agent_config(before.config, reseal)).text


def plan(value: dict[str, Any], reseal: Reseal) -> dict[str, Any]:
    """A call's plan: the tenant's own keys, and the headers of its agents' tools."""
    keys = value.get("sealed_provider_keys", {})

    def agent_in(planned: dict[str, Any]) -> dict[str, Any]:
        agent = planned["agent"]
        return planned | {"agent": agent_config(agent, reseal) if "tools" in agent else agent}

    others = {"handoffs": [agent_in(each) for each in value.get("handoffs", ())]}
    return (
        agent_in(value)
        | {"sealed_provider_keys": {provider: reseal(key) for provider, key in keys.items()}}
        | (others if "handoffs" in value else {})
    )


SEALED_COLUMNS: tuple[SealedColumn, ...] = (
    SealedColumn(ProviderKey.sealed_key, text),
    SealedColumn(CarrierAccountRecord.sealed_credentials, text),
    SealedColumn(Agent.config, agent_config),
    SealedColumn(AgentVersion.snapshot, snapshot, {"digest": digest_of}),
    SealedColumn(ChatSession.agent, agent_config),
    SealedColumn(AnsweredRequest.sealed_answer, answer),
    SealedColumn(Erasure.sealed_caller, optional),
    SealedColumn(ShareLink.sealed_token, text),
    SealedColumn(Tester.sealed_token, text),
    SealedColumn(Webhook.sealed_secret, text),
    SealedColumn(Webhook.sealed_previous_secret, optional),
    SealedColumn(PaymentMethod.sealed_token, text),
    SealedColumn(Call.plan, plan, while_null=Call.ended_at),
)
"""A call that waits for its phone may start in a week, and runs with the keys of its plan."""
