"""A call's variables in its agent's texts: the prompt, and what they leave open or broken. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from control_plane.calling.calls.creating.published_agent import PublishedAgent
from pipelines.texts.agent_texts import FieldFault, fill_agent
from pipelines.texts.prompt import written_prompt
from pipelines.texts.variables import ABSENT, look_up, prepared

_MAX_NAMES = 20
_MAX_FAULTS = 20


@dataclass(frozen=True)
class FilledTexts:
    prompt: str
    """What a language model gets."""
    warnings: tuple[str, ...] = ()
    """Sentences for the call's event log. None of it fails the call."""


def fill_texts(agent: PublishedAgent, variables: Mapping[str, object]) -> FilledTexts:
    """Never raises: of a text that cannot be filled in, only the plain placeholders are."""
    if agent.constant_prompt is not None:
        return FilledTexts(agent.constant_prompt)
    filled = fill_agent(agent.described, variables)
    return FilledTexts(
        written_prompt(filled.agent),
        (*_of_faults(filled.faults), *_of_unknown(agent, variables)),
    )


def _of_faults(faults: tuple[FieldFault, ...]) -> Iterator[str]:
    for fault in faults[:_MAX_FAULTS]:
        yield f"{fault.field} is used as it is written: line {fault.line} {fault.message}"


def _of_unknown(agent: PublishedAgent, variables: Mapping[str, object]) -> Iterator[str]:
    known = prepared(variables)
    unknown = [name for name in agent.needed_variables if look_up(name, known) is ABSENT]
    if unknown:
        names = ", ".join(unknown[:_MAX_NAMES])
        yield f"The call was created without variables that the agent's texts need: {names}"
