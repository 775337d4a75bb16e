"""The tools that the playbook calls: those whose arguments are slots."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.agent_config import AgentConfig
from contracts.tool_bindings import CallWebhook

_BOOLEANS = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class ToolUse:
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SlotTool:
    name: str
    types: Mapping[str, object]
    """The JSON type of each argument; ``None`` where the schema names none."""
    required: frozenset[str]
    filler: str

    def use(self, slots: Mapping[str, str]) -> ToolUse | None:
        """The call with these values, which are canonical; ``None`` if one is missing."""
        if not self.required <= slots.keys():
            return None
        known = {name: kind for name, kind in self.types.items() if name in slots}
        arguments = {name: _typed(slots[name], kind) for name, kind in known.items()}
        return ToolUse(self.name, arguments)


def slot_tools(agent: AgentConfig) -> tuple[SlotTool, ...]:
    """The tools of ``agent`` that need nothing but its slots."""
    slots = {slot.name for slot in agent.playbook.required_slots}
    return tuple(
        SlotTool(
            tool.name,
            _types(tool),
            frozenset(_required(tool)),
            (tool.speak_while or "").strip(),
        )
        for tool in agent.tools
        if isinstance(tool, CallWebhook) and not arguments_without_slot(tool, slots)
    )


def arguments_without_slot(tool: CallWebhook, slots: Collection[str]) -> list[str]:
    """The arguments that ``tool`` needs and no slot has the name of."""
    return [name for name in _required(tool) if name not in slots]


def _types(tool: CallWebhook) -> dict[str, object]:
    properties = tool.parameters.get("properties")
    if not isinstance(properties, dict):
        return {}
    return {
        name: schema.get("type") if isinstance(schema, dict) else None
        for name, schema in properties.items()
    }


def _required(tool: CallWebhook) -> list[str]:
    required = tool.parameters.get("required")
    return [str(name) for name in required] if isinstance(required, list) else []


def _typed(value: str, json_type: object) -> Any:
    """``value`` as the schema wants it. What does not fit stays as it is, and is refused."""
    try:
        match json_type:
            case "integer":
                return int(value)
            case "number":
                return float(value)
            case "boolean":
                return _BOOLEANS.get(value, value)
    except ValueError:
        pass
    return value
