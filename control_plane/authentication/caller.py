"""Who is calling: the API key of a request, resolved."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from control_plane.api_keys.secrets import KeyKind


@dataclass(frozen=True)
class Caller:
    tenant_id: UUID
    key_id: UUID
    kind: KeyKind
    channels: frozenset[str]
    """What a publishable key may start: ``web``, ``phone``. A secret key may do everything."""
    agent_ids: frozenset[UUID] | None
    """Agents that a publishable key may call; ``None`` is every agent of the tenant."""

    def may_use_channel(self, channel: str) -> bool:
        return self.kind == "secret" or channel in self.channels

    def may_call_agent(self, agent_id: UUID) -> bool:
        return self.kind == "secret" or self.agent_ids is None or agent_id in self.agent_ids
