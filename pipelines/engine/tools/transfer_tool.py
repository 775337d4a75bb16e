"""The tool with which an agent connects the caller to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contracts.tool_bindings import NO_ARGUMENTS, Transfer
from pipelines.engine.call_actions import CallActions
from pipelines.texts.templates.template import fill_template
from pipelines.webhooks.webhook_call import ToolResult

MOST_SUMMARY_CHARACTERS = 1_000
_SUMMARY: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {
            "type": "string",
            "description": "What the person has to know of the caller and of the matter, in two "
            "or three sentences. It is read out to the person; the caller does not hear it.",
        }
    },
    "required": ["summary"],
    "additionalProperties": False,
}


def transfer_parameters(tool: Transfer) -> Mapping[str, Any]:
    """The JSON Schema of the tool's arguments: the model sums up, unless the agent's owner has."""
    return _SUMMARY if tool.mode == "warm" and tool.summary is None else NO_ARGUMENTS


def run_transfer(
    tool: Transfer,
    arguments: Mapping[str, Any],
    variables: Mapping[str, object],
    actions: CallActions,
) -> ToolResult:
    """Begin the transfer. Without a fault nothing is returned, so that the model says nothing."""
    given = arguments.get("summary")
    written = given if tool.summary is None and isinstance(given, str) else tool.summary or ""
    filled = fill_template(written, variables) if tool.summary is not None else written
    fault = actions.transfer(tool, filled.strip()[:MOST_SUMMARY_CHARACTERS])
    return ToolResult(fault, is_error=fault is not None)
