"""The caller of a request: who it is and what it may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

Role = Literal["owner", "admin", "member"]
ActorKind = Literal["secret_key", "publishable_key", "user", "operator"]


@dataclass(frozen=True)
class Actor:
    """The key or person that acts, as the audit log names it."""

    kind: ActorKind
    id: UUID | None
    label: str
    """The key's name or the user's mail address."""


@dataclass(frozen=True)
class RequestOrigin:
    """Where a request came from."""

    address: str | None = None
    user_agent: str | None = None
    request_id: str | None = None
    page: str | None = None
    """The origin of the web page that sent the request (header ``Origin``)."""


@dataclass(frozen=True)
class CallContentLimits:
    """What a call with a publishable key may bring along: strangers write it, the agent says it,
    its model reads it and the call's records keep it."""

    participants: int = 1
    variables: int = 20
    variable_characters: int = 200
    """Of each variable's name and of its value, as JSON if it is no text."""
    undeclared_variables: bool = False
    """Whether it may name variables that the agent's texts do not use."""
    metadata_bytes: int = 2_048
    """Of the metadata of the call and its participants together, as JSON."""


@dataclass(frozen=True)
class PublishableScope:
    """What a publishable key may do (API spec, "Authentication")."""

    channels: frozenset[str]
    """The kinds of calls that it may start: ``web``, ``phone``."""
    agent_ids: frozenset[UUID] | None = None
    """The agents that it may call over the web. ``None``: every agent of the tenant."""
    phone_agent_id: UUID | None = None
    """The agent of its phone calls; set if it may start them."""
    phone_countries: frozenset[str] | None = None
    """Countries (ISO 3166-1) of the numbers that it may call. ``None``: every country."""
    phone_calls_per_day: int | None = None
    """``None``: no limit."""
    call_limits: CallContentLimits = CallContentLimits()


@dataclass(frozen=True)
class Caller:
    tenant_id: UUID
    actor: Actor
    origin: RequestOrigin = RequestOrigin()
    role: Role | None = None
    """The dashboard user's role; ``None`` for a key."""
    publishable: PublishableScope | None = None
    """What a publishable key may do; ``None`` for all other callers."""

    @property
    def may_administer(self) -> bool:
        """Whether the caller may change the tenant's keys, members and other settings."""
        return self.publishable is None and self.role in (None, "admin", "owner")
