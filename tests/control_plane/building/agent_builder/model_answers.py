"""Answers of a language model that follows its instructions."""

from __future__ import annotations

from typing import Any


def drafted_agent(**changes: Any) -> dict[str, Any]:
    """An agent as the model has to send it. ``persona__name="Mia"`` sets a nested field."""
    agent: dict[str, Any] = {
        "name": "Bella Napoli reservations",
        "language": "en-US",
        "offLimitsTopics": "",
        "persona": {
            "name": "Mia",
            "role": "reservation assistant",
            "audienceDescription": "",
            "toneOverride": "Warm",
            "companyName": "Bella Napoli",
            "companyDescription": "Bella Napoli is an Italian restaurant.",
            "knowledgeBase": ["We are open every day from 5 pm."],
            "successCriteria": [],
        },
        "playbook": {
            "opener": "Hello, this is Mia, the automated assistant of Bella Napoli.",
            "qualificationFlow": [],
            "requiredSlots": [
                {"name": "name", "description": "The caller's name", "required": True},
                {"name": "party_size", "description": "", "required": True},
            ],
            "objectionHandlers": [],
            "scripts": [],
            "closingCTA": "Your table is noted.",
            "fallbackCTA": "",
            "escalationRule": "",
            "endCallMessage": "Goodbye.",
        },
    }
    for path, value in changes.items():
        *parents, name = path.split("__")
        place = agent
        for parent in parents:
            place = place[parent]
        place[name] = value
    return agent


def answer(agent: dict[str, Any] | None = None, *questions: str) -> dict[str, Any]:
    return {"clarifying_questions": list(questions), "agent": agent}
