"""The HTTP request of a ``call_webhook`` tool. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from contracts.tool_bindings import METHODS_WITH_BODY, CallWebhook
from pipelines.texts import word_borders
from pipelines.texts.templates.budget import TemplateBudget
from pipelines.texts.templates.template import filled
from pipelines.texts.variables import ABSENT, look_up, prepared

_ONE_VALUE = re.compile(rf"\s*\{{\{{\s*((?:{word_borders.LETTER}|[.-])+)\s*\}}\}}\s*")
_DECLARES_MORE = ("additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf")
_NOT_IN_HEADERS = re.compile(r"[^\x20-\x7e\t]+")


@dataclass(frozen=True)
class WebhookRequest:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


def webhook_request(
    tool: CallWebhook,
    headers: Mapping[str, str],
    arguments: Mapping[str, Any],
    variables: Mapping[str, object],
) -> WebhookRequest:
    """The arguments go into the query of a GET or DELETE, and otherwise into a JSON body: as they
    are, or where ``tool.body`` names them.

    Args:
        headers: the tool's headers with their secrets opened.
        arguments: what the model filled in. What the tool does not declare is left out: a caller
            may have talked the model into it.
        variables: of the call. Headers and the body may name them, too; an argument of the same
            name comes first.

    Raises:
        httpx2.InvalidURL: the arguments are too long for a query.
    """
    arguments = _declared(arguments, tool.parameters)
    known = prepared({**variables, **arguments})
    budget = TemplateBudget()
    sent = {name: header_value(filled(value, known, budget)[0]) for name, value in headers.items()}
    if tool.method not in METHODS_WITH_BODY:
        return WebhookRequest(tool.method, _with_query(tool.url, arguments), sent, None)
    body = dict(arguments) if tool.body is None else _filled_value(tool.body, known, budget)
    document = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return WebhookRequest(
        tool.method, tool.url, {**sent, "Content-Type": "application/json"}, document
    )


def _declared(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """All of them, if the schema says more about what they are called than ``properties``."""
    if any(schema.get(keyword) for keyword in _DECLARES_MORE):
        return arguments
    properties = schema.get("properties", {})
    return {name: value for name, value in arguments.items() if name in properties}


def header_value(value: str) -> str:
    """``value`` as HTTP can send it (RFC 9110, 5.5)."""
    return _NOT_IN_HEADERS.sub(" ", value).strip()


def _with_query(url: str, arguments: Mapping[str, Any]) -> str:
    pairs = {name: _in_query(value) for name, value in arguments.items() if value is not None}
    return str(httpx2.URL(url).copy_merge_params(pairs)) if pairs else url


def _in_query(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _filled_value(value: Any, known: Mapping[str, object], budget: TemplateBudget) -> Any:
    if isinstance(value, dict):
        return {name: _filled_value(each, known, budget) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled_value(each, known, budget) for each in value]
    if not isinstance(value, str):
        return value
    if (whole := _ONE_VALUE.fullmatch(value)) is not None:
        found = look_up(whole[1], known)
        return None if found is ABSENT else found
    return filled(value, known, budget)[0]
