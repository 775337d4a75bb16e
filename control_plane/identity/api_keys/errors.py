"""Problems with API keys."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class ApiKeyNotFound(NotFound):
    code = "api_key_not_found"
    title = "API key not found"


class ApiKeyRevokedAlready(Problem):
    status = HTTPStatus.CONFLICT
    code = "api_key_revoked"
    title = "The API key is revoked for good"
