"""Limits, what is left of them, and the header fields that report it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WINDOW_SECONDS = 60

LIMITED_PATHS = "/v1/"
"""Health checks, static files and API documentation are not limited."""

PolicyName = Literal["key", "address", "visitor"]
"""A visitor is an address that uses a publishable key."""


@dataclass(frozen=True)
class Policy:
    """``limit`` requests per ``WINDOW_SECONDS``, for each key, client address or visitor."""

    name: PolicyName
    limit: int

    @property
    def field(self) -> str:
        """A member of ``RateLimit-Policy``."""
        return f'"{self.name}";q={self.limit};w={WINDOW_SECONDS}'


@dataclass(frozen=True)
class Quota:
    """What is left of one policy after a request, and when more is available."""

    policy: Policy
    remaining: int
    reset_seconds: int

    @property
    def used(self) -> int:
        return self.policy.limit - self.remaining

    @property
    def field(self) -> str:
        """A member of ``RateLimit``."""
        return f'"{self.policy.name}";r={self.remaining};t={self.reset_seconds}'
