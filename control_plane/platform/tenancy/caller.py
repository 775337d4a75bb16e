"""Who is calling: a key or a dashboard session, resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

Role = Literal["owner", "admin", "member"]
ActorKind = Literal["secret_key", "publishable_key", "user", "operator"]


@dataclass(frozen=True)
class Actor:
    """Whoever acts, as the audit log names them."""

    kind: ActorKind
    id: UUID | None
    label: str
    """The key's name or the user's mail address."""


@dataclass(frozen=True)
class RequestOrigin:
    """From where a request came."""

    address: str | None = None
    user_agent: str | None = None
    request_id: str | None = None
    page: str | None = None
    """The origin of the web page that sent it (header ``Origin``)."""


@dataclass(frozen=True)
class PublishableScope:
    """What a publishable key may do (API spec, "Authentication")."""

    channels: frozenset[str]
    """What it may start: ``web``, ``phone``."""
    agent_ids: frozenset[UUID] | None = None
    """Agents that it may call over the web; ``None`` is every agent of the tenant."""
    phone_agent_id: UUID | None = None
    """The agent of its phone calls; set when it may start those."""


@dataclass(frozen=True)
class Caller:
    tenant_id: UUID
    actor: Actor
    origin: RequestOrigin = RequestOrigin()
    role: Role | None = None
    """Of a dashboard user; ``None`` for a key."""
    publishable: PublishableScope | None = None
    """What confines a publishable key; ``None`` for everyone else."""

    @property
    def may_administer(self) -> bool:
        """Whether keys, members and other settings of the tenant are the caller's to change."""
        return self.publishable is None and self.role in (None, "admin", "owner")
