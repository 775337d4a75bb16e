"""The texts of an agent that may contain variables: all that is spoken or in the prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from pydantic import BaseModel

from contracts.agent_config import AgentConfig
from contracts.tool_bindings import CallWebhook, ToolBinding
from pipelines.texts.templates.budget import TemplateBudget
from pipelines.texts.templates.template import filled, names_in, template_fault, used_names_in
from pipelines.texts.variables import ABSENT, look_up, prepared

_Model = TypeVar("_Model", bound=BaseModel)
_Change = Callable[[str, str], str]
"""``(field, text)`` → the text to put there."""
_CHOOSES_THE_VOICE = "voice_config"
_SAID_OF_TOOLS = ("description", "message", "speak_while")


@dataclass(frozen=True, slots=True)
class FieldFault:
    """``field`` is the path of the text on the wire; ``line`` is counted from 1 within the text."""

    field: str
    line: int
    message: str


class TextFiller:
    """Fills the variables of one call into texts. Never raises: in a text that is broken, only the
    plain placeholders are filled in.
    """

    def __init__(self, variables: Mapping[str, object]) -> None:
        self._known = prepared(variables)
        self._budget = TemplateBudget()
        self.faults: list[FieldFault] = []
        """The broken texts so far."""

    def __call__(self, field: str, text: str) -> str:
        said, fault = filled(text, self._known, self._budget)
        if fault is not None:
            self.faults.append(FieldFault(field, fault.line, fault.message))
        return said


def fill_agent(agent: AgentConfig, variables: Mapping[str, object]) -> AgentConfig:
    """``agent`` with ``variables`` filled into every text. Never raises."""
    return _changed_agent(agent, TextFiller(variables))


def texts_of(agent: AgentConfig) -> Iterator[tuple[str, str]]:
    """The field and the unfilled text of each: ``("playbook.opener", "Hi {{ name }}.")``."""
    found: list[tuple[str, str]] = []

    def note(field: str, text: str) -> str:
        found.append((field, text))
        return text

    _changed_agent(agent, note)
    return iter(found)


def template_faults(agent: AgentConfig) -> tuple[FieldFault, ...]:
    """The texts that are broken whatever the variables are."""
    budget = TemplateBudget()
    faults = ((field, template_fault(text, budget)) for field, text in texts_of(agent))
    return tuple(FieldFault(field, fault.line, fault.message) for field, fault in faults if fault)


def needed_variables(agent: AgentConfig) -> dict[str, str]:
    """The variables that the texts need, each with the first field that uses it."""
    needed: dict[str, str] = {}
    budget = TemplateBudget()
    for field, text in texts_of(agent):
        for name in names_in(text, budget):
            needed.setdefault(name, field)
    return needed


def declared_variables(agent: AgentConfig) -> frozenset[str]:
    """The variables that the texts use, and what tools send; also those that they can do without.
    Of dotted names the first part."""
    budget = TemplateBudget()
    texts = chain((text for _, text in texts_of(agent)), _sent_by_tools(agent))
    return frozenset(
        name.partition(".")[0] for text in texts for name in used_names_in(text, budget)
    )


def _sent_by_tools(agent: AgentConfig) -> Iterator[str]:
    """The strings in the bodies of webhooks. Values of headers are sealed, so they are not here."""
    left: list[Any] = [tool.body for tool in agent.tools if isinstance(tool, CallWebhook)]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            left += value.values()
        elif isinstance(value, list):
            left += value


def unknown_variables(agent: AgentConfig, variables: Mapping[str, object]) -> tuple[str, ...]:
    """Names that the agent's texts need and ``variables`` lacks, in the order of the texts."""
    known = prepared(variables)
    return tuple(name for name in needed_variables(agent) if look_up(name, known) is ABSENT)


def _changed_agent(agent: AgentConfig, change: _Change) -> AgentConfig:
    advanced = agent.advanced
    prompt = agent.system_prompt
    return agent.model_copy(
        update={
            "persona": _changed(agent.persona, "persona", change),
            "playbook": _changed(agent.playbook, "playbook", change),
            "advanced": advanced.model_copy(
                update={
                    name: change(f"advanced.{advanced.__class__.model_fields[name].alias}", text)
                    for name in ("off_limits_topics", "prohibited_claims")
                    if (text := getattr(advanced, name))
                }
            ),
            "system_prompt": change("system_prompt", prompt) if prompt else prompt,
            "tools": tuple(
                _changed_tool(tool, f"tools[{index}]", change)
                for index, tool in enumerate(agent.tools)
            ),
        }
    )


def _changed_tool(tool: ToolBinding, path: str, change: _Change) -> ToolBinding:
    """Changes what the model reads and the caller hears, but not what the tool does or calls."""
    return tool.model_copy(
        update={
            name: change(f"{path}.{name}", text)
            for name in _SAID_OF_TOOLS
            if (text := getattr(tool, name, None))
        }
    )


def _changed(model: _Model, path: str, change: _Change) -> _Model:
    fields = type(model).model_fields
    changes = {
        name: _changed_value(getattr(model, name), f"{path}.{fields[name].alias or name}", change)
        for name in fields
        if name != _CHOOSES_THE_VOICE
    }
    return model.model_copy(update=changes)


def _changed_value(value: Any, path: str, change: _Change) -> Any:
    if isinstance(value, str):
        return change(path, value)
    if isinstance(value, BaseModel):
        return _changed(value, path, change)
    if isinstance(value, tuple):
        return tuple(_changed_value(part, f"{path}[{i}]", change) for i, part in enumerate(value))
    return value
