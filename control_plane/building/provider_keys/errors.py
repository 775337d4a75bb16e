"""Errors of tenants' own provider keys."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem
from pipelines.settings import OPENAI_COMPATIBLE, VENDOR_BASE_URLS

KEYED_PROVIDERS = (*VENDOR_BASE_URLS, OPENAI_COMPATIBLE)
"""``OPENAI_COMPATIBLE`` is a server of the tenant's own, with or without a key."""


class UnknownProvider(NotFound):
    code = "unknown_provider"
    title = "No provider of this name takes a key"

    def __init__(self, provider: str) -> None:
        known = ", ".join(sorted(KEYED_PROVIDERS))
        super().__init__(f"No provider {provider!r} takes a key; choose one of {known}")


class ProviderKeyNotFound(NotFound):
    code = "provider_key_not_found"
    title = "You have not set a key for this provider"


class ProviderKeyRejected(Problem):
    """The provider was asked and rejected the key."""

    status = HTTPStatus.BAD_REQUEST
    code = "provider_key_rejected"
    title = "The provider does not accept this key"


class ProviderUnreachable(Problem):
    """The key could not be tested, so it is not stored."""

    status = HTTPStatus.FAILED_DEPENDENCY
    code = "provider_unreachable"
    title = "The provider could not be asked whether it accepts this key"


class OwnKeysNotAllowed(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "own_keys_not_allowed"
    title = "Your plan does not include your own provider keys"
