"""With whose keys a tenant can use which providers, and what its tier allows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from contracts.call_plan import KeySource

_TIERS = ("free", "enterprise")


@dataclass(frozen=True)
class AvailableKeys:
    """Which providers one tenant can use now, and with whose key."""

    platform: frozenset[str]
    """Providers with a key of the installation's, and those that need none, such as ``local``."""
    own: frozenset[str] = frozenset()
    """Providers for which the tenant has brought its own key (BYOK). These win."""
    tier: str = "free"

    @property
    def providers(self) -> frozenset[str]:
        return self.platform | self.own

    @property
    def without_own(self) -> AvailableKeys:
        return replace(self, own=frozenset())

    def source(self, provider: str) -> KeySource:
        """Whose key pays a provider that is one of ``providers``."""
        return "own" if provider in self.own else "platform"

    def reaches(self, tier: str | None) -> bool:
        """Whether the tenant's tier is ``tier`` or above."""
        return tier is None or _level(self.tier) >= _level(tier)


def _level(tier: str) -> int:
    return _TIERS.index(tier) if tier in _TIERS else len(_TIERS)
