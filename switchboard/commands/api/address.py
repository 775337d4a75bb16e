"""The address of an API, as people type it."""

from __future__ import annotations

from urllib.parse import urlsplit

from switchboard.problems import Problem


def api_address(typed: str) -> str:
    """The root of the API. What follows it, such as ``/v1`` or ``/docs``, is not part of it.

    Raises:
        Problem: it is not the address of a web server.
    """
    try:
        parts = urlsplit(typed.strip())
        _ = parts.port  # Looked at only now: it may be no number, or too high.
    except ValueError as wrong:
        raise Problem(
            f"--api-url {typed!r} is not the address of a Switchboard: {wrong}."
        ) from wrong
    if parts.scheme not in ("http", "https") or not parts.hostname:
        host = typed.strip().removeprefix("//")
        example = f"http://{host}" if host and "://" not in host else "http://127.0.0.1:8080"
        raise Problem(
            f"--api-url {typed!r} is not the address of a Switchboard.",
            f"Begin it with http:// or https://, for example: {example}",
        )
    path = parts.path.rstrip("/")
    for page in ("/v1", "/docs", "/openapi.json"):
        path = path.removesuffix(page)
    return f"{parts.scheme}://{parts.netloc}{path}"
