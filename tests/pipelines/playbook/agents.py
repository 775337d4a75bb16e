"""Agents that the dialogues are held with."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from contracts.agent_config import AgentConfig
from pipelines.playbook.dialogue_plan import dialogue_plan
from pipelines.playbook.policy import Policy
from pipelines.playbook.values.recognition import Place

FRIDAY = date(2026, 11, 20)
_DEMO = Path(__file__).parents[3] / "switchboard" / "demo"


def dental_clinic() -> AgentConfig:
    """The demo's agent, as it is posted to the API."""
    return AgentConfig.model_validate_json((_DEMO / "dental_clinic.json").read_text())


def dental_caller() -> list[dict[str, object]]:
    rules: list[dict[str, object]] = json.loads((_DEMO / "dental_caller.json").read_text())
    return rules


def restaurant() -> AgentConfig:
    """Every kind of slot, a closing that is a question, off-limits topics, a script."""
    return AgentConfig.model_validate(
        {
            "name": "Table bot",
            "persona": {"companyName": "Chez {{ owner }}"},
            "playbook": {
                "opener": "Welcome to Chez {{ owner }}. What can I do for you?",
                "requiredSlots": [
                    {"name": "party_size"},
                    {"name": "booking", "description": "Date and time"},
                    {"name": "phone_number"},
                    {"name": "email", "required": False},
                    {"name": "occasion", "description": "such as birthday, wedding or business"},
                    {"name": "allergies", "description": "Whether anybody has allergies"},
                    {"name": "wishes", "description": "Special wishes"},
                ],
                "scripts": [
                    {
                        "title": "Menu",
                        "when": "asks about vegan food",
                        "content": "Yes, we cook vegan.",
                    }
                ],
                "closingCTA": "Shall I book the table?",
                "fallbackCTA": "Please try our website.",
            },
            "advanced": {"offLimitsTopics": "politics, the owner's divorce"},
        }
    )


def policy(agent: AgentConfig, **variables: object) -> Policy:
    return Policy(dialogue_plan(agent, variables), Place(FRIDAY, "US"))
