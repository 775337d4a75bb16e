"""A call's variables filled into its agent's texts: the prompt, and what is missing or broken."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from control_plane.calling.calls.creating.published_agent import PublishedAgent
from pipelines.texts.agent_texts import FieldFault, TextFiller
from pipelines.texts.variables import ABSENT, look_up, prepared

_MAX_NAMES = 20
_MAX_FAULTS = 20


@dataclass(frozen=True)
class FilledTexts:
    prompt: str
    """The prompt that the language model gets."""
    warnings: tuple[str, ...] = ()
    """Sentences for the call's event log. None of them makes the call fail."""


def fill_texts(agent: PublishedAgent, variables: Mapping[str, object]) -> FilledTexts:
    """Never raises: in a text that is broken, only the plain placeholders are filled in."""
    if not agent.has_placeholders:
        return FilledTexts(agent.compiled_prompt)
    fill = TextFiller(variables)
    prompt = agent.prompt.filled(fill) if agent.prompt.sections else agent.compiled_prompt
    for field, text in agent.texts_beside_prompt:
        fill(field, text)
    return FilledTexts(prompt, (*_of_faults(fill.faults), *_of_unknown(agent, variables)))


async def fill_texts_aside(agent: PublishedAgent, variables: Mapping[str, object]) -> FilledTexts:
    """As ``fill_texts``, in a thread if it takes long."""
    if agent.is_filled_at_once:
        return fill_texts(agent, variables)
    return await asyncio.to_thread(fill_texts, agent, variables)


def _of_faults(faults: Sequence[FieldFault]) -> Iterator[str]:
    for fault in faults[:_MAX_FAULTS]:
        yield f"{fault.field} is used as it is written: line {fault.line} {fault.message}"


def _of_unknown(agent: PublishedAgent, variables: Mapping[str, object]) -> Iterator[str]:
    known = prepared(variables)
    unknown = [name for name in agent.needed_variables if look_up(name, known) is ABSENT]
    if unknown:
        names = ", ".join(unknown[:_MAX_NAMES])
        yield f"The call was created without variables that the agent's texts need: {names}"
