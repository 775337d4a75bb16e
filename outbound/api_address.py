"""The address of requests to an endpoint that speaks OpenAI's API. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import httpx2


@dataclass(frozen=True)
class ApiAddress:
    root: httpx2.URL
    """Without a query, and without a slash at its end."""
    query: bytes | None
    """Belongs to each request."""


def api_address(url: str, path: str) -> ApiAddress:
    """Split what a tenant has entered: the root of the API, or the whole address of its requests.

    Args:
        path: of the requests below the root, such as ``/chat/completions``.
    """
    parsed = httpx2.URL(url)
    root = str(parsed.copy_with(query=None, fragment=None)).rstrip("/").removesuffix(path)
    return ApiAddress(httpx2.URL(root.rstrip("/")), parsed.query or None)
