"""JSON-RPC 2.0 messages of the Model Context Protocol. Pure.

Source: modelcontextprotocol.io/specification/2025-06-18, "Lifecycle" and "Base protocol".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from pipelines.engine.tools.mcp.tool_text import plain

PROTOCOL_VERSION = "2025-06-18"
"""The revision that we ask for."""
SPOKEN_VERSIONS = frozenset({"2024-11-05", "2025-03-26", PROTOCOL_VERSION, "2025-11-25"})
"""What a server may answer. The few messages that we use have the same form in all of them."""
CLIENT = {"name": "switchboard", "version": "1"}
"""The version is of this client."""
MOST_VALUES = 20_000
"""Of one message, about. Parsing 256 KB of empty lists would stop the event loop for 30 ms, and
callers hear 15."""
LONGEST_REASON = 300
"""Characters of a server's own words in an error."""
_METHOD_NOT_FOUND = -32601


class McpFault(Exception):
    """Why a server did not do what it was asked. May repeat a secret that it was sent."""


class SessionEnded(McpFault):
    """The server does not know our session any more."""


def request(number: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params)}


def notification(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method} | ({"params": dict(params)} if params else {})


def initialize(number: int) -> dict[str, Any]:
    """Declares no capabilities, so a server may ask us for nothing but a ping."""
    params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": CLIENT}
    return request(number, "initialize", params)


def is_request(message: Mapping[str, Any]) -> bool:
    return "method" in message and isinstance(message.get("id"), str | int)


def is_answer(message: Mapping[str, Any], number: int) -> bool:
    return "method" not in message and message.get("id") == number


def reply_to(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a server gets that asks us for something."""
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "ping":
        return reply | {"result": {}}
    return reply | {"error": {"code": _METHOD_NOT_FOUND, "message": "Method not found"}}


def read_message(document: bytes | str) -> dict[str, Any]:
    """
    Raises:
        McpFault: it is not one JSON object of up to ``MOST_VALUES`` values.
    """
    text = document if isinstance(document, str) else document.decode("utf-8", "replace")
    if sum(map(text.count, ",[{")) > MOST_VALUES:
        raise McpFault(f"what it answered has more than {MOST_VALUES:,} values")
    try:
        message = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise McpFault("what it answered is not JSON") from error
    if not isinstance(message, dict):
        raise McpFault("what it answered is not a JSON-RPC message")
    return message


def result_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """
    Raises:
        McpFault: the answer is an error, or has no result.
    """
    error = answer.get("error")
    if isinstance(error, dict):
        message = error.get("message")
        said = message if isinstance(message, str) else "an error without a message"
        raise McpFault(f"it answered: {plain(said)[:LONGEST_REASON]}")
    result = answer.get("result")
    if not isinstance(result, dict):
        raise McpFault("its answer has no result")
    return result


def _refuse(constant: str) -> NoReturn:
    """``NaN`` and ``Infinity`` are no JSON, and would make a language model's request invalid."""
    raise ValueError(constant)
