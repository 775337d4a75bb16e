"""Which providers a tenant can use, with whose keys, and what its tier allows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from contracts.call_plan import KeySource

_TIERS = ("free", "enterprise")


@dataclass(frozen=True)
class AvailableKeys:
    """Which providers one tenant can use now, and whose keys they use."""

    platform: frozenset[str]
    """Providers that the platform has a key for or that need none, such as ``local``."""
    own: frozenset[str] = frozenset()
    """Providers that the tenant has its own key for (BYOK). These keys are preferred."""
    tier: str = "free"
    own_models: tuple[str, ...] = ()
    """The language models of the tenant's own server (``OPENAI_COMPATIBLE``), best first."""

    @property
    def providers(self) -> frozenset[str]:
        return self.platform | self.own

    @property
    def without_own(self) -> AvailableKeys:
        return replace(self, own=frozenset(), own_models=())

    def source(self, provider: str) -> KeySource:
        """Whose key pays for ``provider``, which must be one of ``providers``."""
        return "own" if provider in self.own else "platform"

    def reaches(self, tier: str | None) -> bool:
        """Whether the tenant's tier is ``tier`` or above."""
        return tier is None or _level(self.tier) >= _level(tier)


def _level(tier: str) -> int:
    return _TIERS.index(tier) if tier in _TIERS else len(_TIERS)
