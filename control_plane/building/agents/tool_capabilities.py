"""Which tools an agent can use on the stack that it would get now. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, Field

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedStack
from contracts.tool_bindings import TOOL_TYPES, CallWebhook, ToolBinding, ToolType, Transfer
from contracts.versions import read_object
from control_plane.building.agents.models import Agent
from control_plane.building.agents.stacks import StackReport, report_stacks
from pipelines.playbook.slot_tools import arguments_without_slot
from pipelines.stack import AvailableKeys, StackCatalogue
from pipelines.stack.worker_capabilities import PLAYBOOK_TOOLS, RUNNABLE_TOOLS


class LanguageModelView(BaseModel):
    """A language model that would call the tools in one language."""

    language: str
    provider: str
    model: str
    role: str = Field(description="`primary` or `fallback`.")
    supports_tools: bool


class ToolTypeView(BaseModel):
    type: ToolType
    can_run: bool
    reasons: list[str] = Field(description="Sentences that say why it cannot run. Empty if it can.")


class BoundToolView(ToolTypeView):
    index: int = Field(description="The tool's index in the agent's `tools`.")
    name: str


class ToolCapabilities(BaseModel):
    """A tool can run if the primary model can run it in every language of the agent."""

    agent_id: str
    language_models: list[LanguageModelView]
    tool_types: list[ToolTypeView]
    tools: list[BoundToolView]


def tool_capabilities(
    agent: Agent, catalogue: StackCatalogue, keys: AvailableKeys
) -> ToolCapabilities:
    config = read_object(AgentConfig, agent.config)
    report = report_stacks(config, catalogue, keys)
    models = list(_language_models(report, catalogue))
    reasons = _reasons_by_type(models, report)
    return ToolCapabilities(
        agent_id=str(agent.id),
        language_models=models,
        tool_types=[
            ToolTypeView(type=kind, can_run=not reasons[kind], reasons=reasons[kind])
            for kind in TOOL_TYPES
        ],
        tools=_bound(config, reasons, models),
    )


def bound_tools(
    config: AgentConfig, report: StackReport, catalogue: StackCatalogue
) -> list[BoundToolView]:
    """The agent's own tools on the stacks of ``report``."""
    models = list(_language_models(report, catalogue))
    return _bound(config, _reasons_by_type(models, report), models)


def _bound(
    config: AgentConfig, reasons: Mapping[ToolType, list[str]], models: list[LanguageModelView]
) -> list[BoundToolView]:
    views = []
    for index, tool in enumerate(config.tools):
        why_not = [*reasons[tool.type], *_without_slots(tool, config, models), *_not_dialed(tool)]
        views.append(
            BoundToolView(
                type=tool.type, can_run=not why_not, reasons=why_not, index=index, name=tool.name
            )
        )
    return views


def _without_slots(
    tool: ToolBinding, config: AgentConfig, models: list[LanguageModelView]
) -> Iterator[str]:
    slots = {slot.name for slot in config.playbook.required_slots}
    if not isinstance(tool, CallWebhook) or not (lacking := arguments_without_slot(tool, slots)):
        return
    for model in models:
        if model.role == "primary" and not model.supports_tools:
            yield (
                f"The language model {model.provider}/{model.model}, which serves "
                f"{model.language}, fills a tool's arguments from playbook.requiredSlots, which "
                f"has no slot named {' and none named '.join(lacking)}: add it, or choose a "
                "language model that can call tools."
            )


def _not_dialed(tool: ToolBinding) -> Iterator[str]:
    if isinstance(tool, Transfer) and not tool.is_to_a_phone:
        yield (
            f"Phones are called by number only, and {tool.to} is a SIP address: give the number "
            "with its country code, such as +14155550142."
        )


def _reasons_by_type(
    models: list[LanguageModelView], report: StackReport
) -> dict[ToolType, list[str]]:
    return {kind: list(_reasons(kind, models, report)) for kind in TOOL_TYPES}


def _language_models(report: StackReport, catalogue: StackCatalogue) -> Iterator[LanguageModelView]:
    calls_tools = {
        (entry.provider, entry.model): entry.supports_tools for entry in catalogue.models
    }
    for locale, stack in report.stacks.items():
        for role, choice in _choices(stack):
            yield LanguageModelView(
                language=locale,
                provider=choice.provider,
                model=choice.model,
                role=role,
                # A tenant's own endpoint speaks OpenAI's protocol, which includes tools.
                supports_tools=calls_tools.get((choice.provider, choice.model), True),
            )


def _choices(stack: ResolvedStack) -> Iterator[tuple[str, ProviderChoice]]:
    yield "primary", stack.llm.primary
    if stack.llm.fallback is not None:
        yield "fallback", stack.llm.fallback


def _reasons(kind: ToolType, models: list[LanguageModelView], report: StackReport) -> Iterator[str]:
    if kind not in RUNNABLE_TOOLS:
        yield f"The media workers of this installation do not run {kind} tools."
    if kind not in PLAYBOOK_TOOLS:
        yield from dict.fromkeys(
            f"The language model {model.provider}/{model.model}, which serves {model.language}, "
            "cannot call tools."
            for model in models
            if model.role == "primary" and not model.supports_tools
        )
    for locale, problem in report.problems.items():
        yield f"{locale} cannot be served: {problem.reason}"
