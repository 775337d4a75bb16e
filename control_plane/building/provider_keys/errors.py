"""What can go wrong with a tenant's own provider keys."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem
from pipelines.settings import VENDOR_BASE_URLS


class UnknownProvider(NotFound):
    code = "unknown_provider"
    title = "No provider of this name takes a key"

    def __init__(self, provider: str) -> None:
        known = ", ".join(sorted(VENDOR_BASE_URLS))
        super().__init__(f"No provider {provider!r} takes a key; there are {known}")


class ProviderKeyNotFound(NotFound):
    code = "provider_key_not_found"
    title = "You have set no key for this provider"


class ProviderKeyRejected(Problem):
    """The provider was asked, and said no."""

    status = HTTPStatus.BAD_REQUEST
    code = "provider_key_rejected"
    title = "The provider does not accept this key"


class ProviderUnreachable(Problem):
    """A key that could not be tested is not stored."""

    status = HTTPStatus.FAILED_DEPENDENCY
    code = "provider_unreachable"
    title = "The provider could not be asked about this key"


class OwnKeysNotAllowed(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "own_keys_not_allowed"
    title = "Your plan does not include keys of your own"
