"""The prompts of ``prompts/``, and the two agents that each becomes: written by the built-in
builder, and saved as it is as an agent's ``system_prompt``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from contracts.agent_config import AgentConfig
from control_plane.building.agent_builder.local.composition import compose

_FOLDER = Path(__file__).parent / "prompts"
VARIABLES = {
    "customer_name": "Ann Lee",
    "first_name": "Ann",
    "patient_name": "Ann Lee",
    "invoice_number": "4711",
    "amount": "250 dollars",
    "date": "the fourth of May",
    "appointment_date": "the fourth of May",
}
"""Of the call, for prompts that use them."""


@dataclass(frozen=True)
class Prompt:
    name: str
    """``vapi/clinic``."""
    text: str
    expected: dict[str, Any]

    @property
    def built(self) -> AgentConfig:
        return compose(self.text).config

    @property
    def pasted(self) -> AgentConfig:
        return AgentConfig(name="Reception", system_prompt=self.text)


@lru_cache(maxsize=1)
def prompts() -> dict[str, Prompt]:
    found = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        for name, entry in tomllib.loads(path.read_text()).items():
            prompt = Prompt(f"{path.stem}/{name}", entry.pop("prompt").strip(), entry)
            found[prompt.name] = prompt
    return found
