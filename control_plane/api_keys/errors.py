"""What can go wrong with API keys."""

from __future__ import annotations

from control_plane.errors import NotFound


class ApiKeyNotFound(NotFound):
    code = "api_key_not_found"
    title = "API key not found"
