"""Whether an agent could run at all: on some build, if every provider had a key. Pure."""

from __future__ import annotations

from contracts.agent_config import AgentConfig
from control_plane.building.agents.stacks import every_key, report_stacks
from control_plane.platform.errors import InvalidRequest
from pipelines.stack import StackCatalogue, StackProblem


def unservable_locales(config: AgentConfig, catalogue: StackCatalogue) -> dict[str, StackProblem]:
    """By locale, why the catalogue has no stack for it."""
    return report_stacks(config, catalogue.on_any_worker, every_key(catalogue)).problems


def refuse_unservable(
    config: AgentConfig, catalogue: StackCatalogue, before: AgentConfig | None = None
) -> None:
    """
    Args:
        before: the agent before the update. A language that could not be served even then is no
            reason to refuse the update, so drafts stay editable, and so do agents whose model has
            left the catalogue.

    Raises:
        InvalidRequest: with one error for each locale that the catalogue has no stack for.
    """
    problems = unservable_locales(config, catalogue)
    known = unservable_locales(before, catalogue) if problems and before is not None else {}
    errors = [
        {"field": _field(config, locale, problem), "message": sentence(locale, problem)}
        for locale, problem in problems.items()
        if known.get(locale) != problem
    ]
    if errors:
        raise InvalidRequest(errors=errors)


def sentence(locale: str, problem: StackProblem) -> str:
    return f"{locale} cannot be served: {problem.reason}"


def _field(config: AgentConfig, locale: str, problem: StackProblem) -> str:
    """The field to change: the provider or model that the agent names, else its languages."""
    if getattr(config, problem.field, None):
        return problem.field
    return "supported_languages" if locale in config.supported_languages else "language"
