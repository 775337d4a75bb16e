"""The facts that decide whether a call may be created, all read at one moment.

What is large and never changes is only named here, to be read once and kept: the agent's version
by its digest, the catalogue by its edition number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from control_plane.calling.calls.creating.call_caps import OpenCalls
from pipelines.stack import AvailableKeys


class HandoffFacts(NamedTuple):
    """Of an agent that another one hands over to. The fields mean what they mean below."""

    name: str
    pause_reason: str | None
    version: int | None
    digest: str | None


class CreationFacts(NamedTuple):
    calls_enabled: bool
    calls_message: str | None
    """What clients are told while calls are disabled."""
    agent_exists: bool
    pause_reason: str | None
    """``None``: the agent is not paused."""
    version: int | None
    """``None``: the agent has no published version."""
    digest: str | None
    tier: str
    sealed_keys: dict[str, Any]
    """The tenant's own provider keys, by provider; empty if its plan does not allow any."""
    own_server: dict[str, Any] | None
    """``base_url`` and ``models`` of the tenant's own model server; ``None`` if it has none, or its
    plan does not allow any."""
    edition: int
    """Of the catalogue."""
    calls_at_once: int | None
    """The tenant's own cap or its plan's; ``None``: as the settings say."""
    calls_not_joined: int | None
    """The same for calls that nobody has joined yet."""
    dispatch_weight: int
    counts: list[int]

    @property
    def open_calls(self) -> OpenCalls:
        return OpenCalls(*self.counts)

    def available_keys(self, platform: frozenset[str]) -> AvailableKeys:
        """
        Args:
            platform: providers that every tenant of this installation can use.
        """
        own_models = () if self.own_server is None else tuple(self.own_server["models"])
        return AvailableKeys(platform, frozenset(self.sealed_keys), self.tier, own_models)
