"""A preview of the prompt that the language model gets and of the agent's first sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contracts.agent_config import AgentConfig
from control_plane.building.agents.knowledge.pages import Pages, fitted, texts_of_pages
from control_plane.building.agents.publishing.conversation_advice import conversation_advice
from control_plane.building.agents.publishing.schemas import BrokenText, CompiledPrompt
from pipelines.texts.agent_texts import TextFiller, unknown_variables
from pipelines.texts.prompt import described, opener, prompt_template, texts_beside_prompt

_BYTES_OF_A_TOKEN = 4
"""About right for English. For other scripts it overestimates the number of tokens."""


def prompt_preview(
    config: AgentConfig, variables: Mapping[str, Any], pages: Pages = ()
) -> CompiledPrompt:
    """Never raises, whatever the texts and variables are.

    Args:
        pages: of the knowledge base, as far as they were fetched.
    """
    template = prompt_template(config, texts_of_pages(fitted(pages)))
    whole, fill = described(config), TextFiller(variables)
    prompt = template.filled(fill)
    for field, text in texts_beside_prompt(whole, template):
        fill(field, text)
    return CompiledPrompt(
        compiled_prompt=prompt,
        opener=opener(config, variables),
        unknown_variables=list(unknown_variables(whole, variables)),
        errors=[
            BrokenText(field=fault.field, line=fault.line, message=fault.message)
            for fault in fill.faults
        ],
        warnings=list(conversation_advice(config)),
        characters=len(prompt),
        estimated_tokens=-(-len(prompt.encode("utf-8", "replace")) // _BYTES_OF_A_TOKEN),
    )
