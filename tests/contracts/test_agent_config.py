"""What an agent's configuration takes, and what null means in it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from contracts.agent_config import AgentConfig, Persona

EMPTY = AgentConfig(name="Desk")


def agent(**fields: Any) -> AgentConfig:
    return AgentConfig.model_validate({"name": "Desk"} | fields, by_alias=True, by_name=False)


@pytest.mark.parametrize(
    "fields",
    [
        {name: None}
        for name in (
            *("system_prompt", "llm_provider", "llm_model", "stt_fallback_provider", "tools"),
            *("custom_llm_url", "persona", "playbook", "advanced", "features", "post_call"),
            "managed_sku_id",
        )
    ]
    + [
        {"persona": {"companyName": None, "knowledgeBase": None, "voiceConfig": None}},
        {"playbook": {"opener": None, "scripts": None}},
        {"advanced": {"stt_keywords": None, "pronunciations": None}},
        {"post_call": {"summary": {"prompt": None}, "evaluation": None}},
    ],
)
def test_null_clears_what_has_no_default(fields: dict[str, Any]) -> None:
    assert agent(**fields) == EMPTY


@pytest.mark.parametrize(
    "fields",
    [
        {name: None}
        for name in (
            *("name", "voice", "language", "supported_languages", "agent_kind"),
            "custom_voice_mode",
        )
    ]
    + [
        {"persona": {"voiceConfig": {"bargeInEnabled": None}}},
        {"advanced": {"maxCallDuration": None}},
        {"advanced": {"prompt_mode": None}},
        {"features": {"require_consent": None}},
        {"post_call": {"summary": {"enabled": None}}},
    ],
)
def test_null_is_refused_where_there_is_a_default(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        agent(**fields)


def test_the_names_of_attributes_are_not_names_on_the_wire() -> None:
    with pytest.raises(ValidationError, match="company_name"):
        agent(persona={"company_name": "Bright Smiles"})
    assert Persona(company_name="Bright Smiles").company_name == "Bright Smiles"


@pytest.mark.parametrize(
    ("supported", "languages"),
    [
        ([], ("en-GB",)),
        (["fr-FR"], ("en-GB", "fr-FR")),
        (["FR-fr", "en-gb", "fr-FR"], ("fr-FR", "en-GB")),
    ],
)
def test_the_primary_language_is_one_of_the_supported(
    supported: list[str], languages: tuple[str, ...]
) -> None:
    assert agent(language="en-GB", supported_languages=supported).languages == languages


def test_a_hundred_pronunciations_are_enough() -> None:
    word = {"word": "GIF", "say_as": "jif"}
    assert len(agent(advanced={"pronunciations": [word] * 100}).advanced.pronunciations) == 100
    with pytest.raises(ValidationError, match="100"):
        agent(advanced={"pronunciations": [word] * 101})


def test_the_longest_call_is_not_limited_here() -> None:
    for seconds in (1, 29, 7201, 100_000):
        config = agent(advanced={"maxCallDuration": seconds})
        assert config.advanced.max_call_duration_seconds == seconds


@pytest.mark.parametrize(
    ("kind", "sku", "is_right"),
    [
        ("custom", None, True),
        ("managed", "starter", True),
        ("managed", None, False),
        ("custom", "starter", False),
    ],
)
def test_a_managed_agent_and_no_other_has_a_sku(kind: str, sku: str | None, is_right: bool) -> None:
    if is_right:
        assert agent(agent_kind=kind, managed_sku_id=sku).managed_sku_id == sku
    else:
        with pytest.raises(ValidationError) as refused:
            agent(agent_kind=kind, managed_sku_id=sku)
        assert refused.value.errors()[0]["loc"] == ("managed_sku_id",)
