"""Secrets in the headers of tool bindings: sealed when stored, a mask when read.

A mask that comes back unchanged keeps the stored secret, so a client can read an agent, edit its
tools and send all of them back. The secret stays bound to the server it was entered for: a tool
that now calls another server needs the secret again. Otherwise anybody who may edit agents could
have secrets sent to a server of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from contracts.sealing import CannotOpen, Sealer
from contracts.tool_bindings import CallWebhook, Mcp, SealedText, ToolBinding
from control_plane.platform.errors import InvalidRequest

MASK = "••••"
"""Header values cannot hold this character (RFC 9110, 5.5), so a mask is never a real value."""
_SHOWN = 4
_LONG_ENOUGH_TO_SHOW = 12
_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?")
_OURS = frozenset(
    {"connection", "content-length", "content-type", "host", "te", "trailer", "transfer-encoding"}
    | {"upgrade"}
)

_WithHeaders = CallWebhook | Mcp


def sealed_tools(
    sent: Sequence[ToolBinding], stored: Sequence[ToolBinding], sealer: Sealer
) -> tuple[ToolBinding, ...]:
    """``sent`` with every header sealed; masks become the secrets of ``stored``.

    Raises:
        InvalidRequest: a value is not allowed in a header, the HTTP client sets the header
            itself, or a mask has no stored secret for the same server.
    """
    return tuple(
        _sealed(index, tool, stored, sealer) if isinstance(tool, _WithHeaders) else tool
        for index, tool in enumerate(sent)
    )


def masked_tools(tools: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Stored tools with a mask for each secret."""
    return with_secrets_as(tools, lambda sealed: MASK + sealed["hint"])


def with_secrets_as(
    tools: Sequence[dict[str, Any]], shown: Callable[[dict[str, str]], Any]
) -> list[dict[str, Any]]:
    """Stored tools with ``shown(value)`` in place of each ``SealedText``."""
    return [
        tool | {"headers": {name: shown(value) for name, value in tool["headers"].items()}}
        if "headers" in tool
        else tool
        for tool in tools
    ]


def _sealed(
    index: int, tool: _WithHeaders, stored: Sequence[ToolBinding], sealer: Sealer
) -> _WithHeaders:
    headers: dict[str, str | SealedText] = {}
    for header, value in tool.headers.items():
        field = f"tools[{index}].headers.{header}"
        if header.lower() in _OURS:
            raise InvalidRequest.at(field, "is set by the HTTP client and cannot be set here")
        if not isinstance(value, str):
            raise InvalidRequest.at(field, "must be a string")
        if value.startswith(MASK):
            headers[header] = _kept(field, tool, header, value, stored, sealer)
        elif _VALUE.fullmatch(value):
            hint = value[-_SHOWN:] if len(value) >= _LONG_ENOUGH_TO_SHOW else ""
            headers[header] = SealedText(sealed=sealer.seal(value), hint=hint)
        else:
            raise InvalidRequest.at(
                field, "must consist of visible ASCII characters, with spaces only between them"
            )
    return tool.model_copy(update={"headers": headers})


def _kept(
    field: str,
    tool: _WithHeaders,
    header: str,
    mask: str,
    stored: Sequence[ToolBinding],
    sealer: Sealer,
) -> SealedText:
    """The secret behind ``mask``: from the tool of the same name or, if the tool was renamed, the
    only one that fits."""
    fitting = {
        (known.name, name): value
        for known in stored
        if isinstance(known, _WithHeaders) and _server(known.url) == _server(tool.url)
        for name, value in known.headers.items()
        if name.lower() == header.lower()
        and isinstance(value, SealedText)
        and MASK + value.hint == mask
    }
    own = [value for (name, _), value in fitting.items() if name == tool.name]
    candidates = own or list(fitting.values())
    if candidates and len({_opened(field, value, sealer) for value in candidates}) == 1:
        return candidates[0]
    raise InvalidRequest.at(
        field, "is a mask, but no secret is stored for this server; send the secret itself"
    )


def _opened(field: str, value: SealedText, sealer: Sealer) -> str:
    try:
        return sealer.open(value.sealed)
    except CannotOpen as error:
        raise InvalidRequest.at(
            field, "was encrypted with a key that no longer exists; send the secret itself"
        ) from error


def _server(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.lower()
