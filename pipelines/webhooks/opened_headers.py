"""The secret headers of a tool, as its server gets them."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.sealing import CannotOpen, Sealer
from contracts.tool_bindings import CallWebhook, Mcp, SealedText


def opened_headers(tool: CallWebhook | Mcp, keys: tuple[str, ...]) -> dict[str, str]:
    """
    Args:
        keys: see ``ProviderSettings.encryption_keys``.

    Raises:
        CannotOpen: with none of the keys.
    """
    if not tool.headers:
        return {}
    if not keys:
        raise CannotOpen
    sealer = Sealer(keys)
    return {
        name: sealer.open(value.sealed) if isinstance(value, SealedText) else value
        for name, value in tool.headers.items()
    }


def secrets_in(headers: Iterable[str]) -> set[str]:
    """The values of headers, and the token behind a word such as ``Bearer``."""
    return {part for value in headers for part in (value, *value.split()[-1:])}
