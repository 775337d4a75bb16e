"""Persona and playbook from an agent's free-text prompt."""

from __future__ import annotations

from dataclasses import dataclass

from contracts.agent_config import Persona, Playbook, Script


@dataclass(frozen=True, slots=True)
class Extraction:
    persona: Persona
    playbook: Playbook


def extract_from_prompt(system_prompt: str, agent_name: str) -> Extraction:
    """What ``system_prompt`` says, field by field; what fits no field becomes a script."""
    script = Script(title="Instructions", content=system_prompt)
    return Extraction(Persona(), Playbook(scripts=(script,) if system_prompt.strip() else ()))
