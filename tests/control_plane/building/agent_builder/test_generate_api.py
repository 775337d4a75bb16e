"""``POST /v1/agents/generate`` without a language model. Source: API spec, "Agents"."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.control_plane.conftest import TenantClient

BELLA = (
    "An agent that takes table bookings for my Italian restaurant Bella Napoli. "
    "Ask for name, party size, day and time."
)


async def generate(tenant: TenantClient, **body: Any) -> dict[str, Any]:
    answer = await tenant.post("/v1/agents/generate", {"prompt": BELLA} | body)
    assert answer.status_code == 200, answer.text
    generated: dict[str, Any] = answer.json()
    return generated


async def test_a_draft_is_a_body_that_creates_an_agent(tenant: TenantClient) -> None:
    generated = await generate(tenant)

    assert generated["generated"] is True
    assert {"name", "voice", "llm_provider", "persona", "playbook"} <= set(generated["draft"])
    assert (generated["source"], generated["warnings"]) == ("local", [])
    created = await tenant.post("/v1/agents", generated["draft"])
    assert created.status_code == 201, created.text
    stored = (await tenant.get(f"/v1/agents/{created.json()['id']}")).json()
    assert stored["persona"]["companyName"] == "Bella Napoli"
    assert stored["compiled_prompt"] == generated["compiled_prompt_preview"]


async def test_nothing_is_saved(tenant: TenantClient) -> None:
    await generate(tenant)
    assert (await tenant.get("/v1/agents")).json()["total"] == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "prompt"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": "  \n "}, "prompt"),
        ({"prompt": None}, "prompt"),
        ({"prompt": 7}, "prompt"),
        ({"prompt": "x" * 20_001}, "prompt"),
        ({"prompt": "x", "mode": "delete"}, "mode"),
        ({"prompt": "x", "mode": None}, "mode"),
        ({"prompt": "x", "mode": "edit"}, "current_config"),
        ({"prompt": "x", "mode": "edit", "current_config": []}, "current_config"),
        (
            {"prompt": "x", "mode": "edit", "current_config": {"playbook": {"opener": 1}}},
            "current_config.playbook.opener",
        ),
        (
            {"prompt": "x", "mode": "edit", "current_config": {"nonsense": 1}},
            "current_config.nonsense",
        ),
        ({"prompt": "x", "options": {"speed": "fast"}}, "options.speed"),
        ({"prompt": "x", "surprise": 1}, "surprise"),
    ],
)
async def test_a_wrong_body_is_400_and_names_the_field(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    answer = await tenant.post("/v1/agents/generate", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


async def test_without_a_key_it_is_401(http: httpx2.AsyncClient) -> None:
    assert (await http.post("/v1/agents/generate", json={"prompt": "x"})).status_code == 401


async def test_a_publishable_key_is_403(tenant: TenantClient) -> None:
    headers = await tenant.publishable_key()
    answer = await tenant.http.post("/v1/agents/generate", headers=headers, json={"prompt": "x"})
    assert (answer.status_code, answer.json()["code"]) == (403, "secret_key_required")


async def test_a_thin_prompt_is_answered_with_questions_where_they_are_allowed(
    tenant: TenantClient,
) -> None:
    asked = await generate(tenant, prompt="help my customers", allow_clarifying_questions=True)
    drafted = await generate(tenant, prompt="help my customers")
    told_enough = await generate(tenant, allow_clarifying_questions=True)

    assert asked["generated"] is False
    assert any("What should the agent do" in text for text in asked["clarifying_questions"])
    assert asked["quality_gates"]["blockers"]
    assert asked["quality_gates"]["warnings"] == ["The prompt names no business."]
    assert drafted["generated"] is True
    assert told_enough["generated"] is True


async def test_hints_that_the_catalogue_has_are_taken(tenant: TenantClient) -> None:
    options = {"voice": "HIBARI", "llm_provider": "local", "llm_model": "playbook"}
    draft = (await generate(tenant, options=options))["draft"]
    assert (draft["voice"], draft["llm_provider"], draft["llm_model"]) == (
        "hibari",
        "local",
        "playbook",
    )


async def test_hints_that_it_does_not_have_are_left_out_with_a_warning(
    tenant: TenantClient,
) -> None:
    options = {"voice": "nobody", "llm_provider": "acme", "llm_model": "giant-9"}
    generated = await generate(tenant, options=options)
    assert generated["draft"]["llm_provider"] == "local"
    assert "llm_model" not in generated["draft"]
    for hint in options.values():
        assert any(hint in warning for warning in generated["warnings"])


async def test_templates_and_markup_of_a_prompt_do_not_reach_the_draft(
    tenant: TenantClient,
) -> None:
    prompt = (
        "<script>alert(1)</script>Books tables for Bella {% for x in range(9) %}Napoli{% endfor %}."
        ' Greet with "Hello {{ first_name }}, this is {{ cycler.__init__ }}<b>Bella</b>!"'
    )
    draft = (await generate(tenant, prompt=prompt))["draft"]
    text = str(draft)
    assert "{%" not in text
    assert "<" not in text
    assert "cycler" not in text
    assert "{{ first_name }}" in draft["playbook"]["opener"]


async def test_an_edit_changes_what_it_names_and_keeps_the_rest(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(
        name="Front desk",
        persona={"name": "Mia", "companyName": "Bella Napoli", "knowledgeBase": ["We cook vegan."]},
        playbook={
            "opener": "Hello, this is Mia of Bella Napoli.",
            "requiredSlots": [{"name": "name"}, {"name": "phone_number"}],
            "closingCTA": "See you.",
        },
    )
    stored = (await tenant.get(f"/v1/agents/{agent_id}")).json()

    generated = await generate(
        tenant,
        mode="edit",
        current_config=stored,
        prompt="Call her Julia, make it more formal, also ask for an email address and don't ask "
        "for the phone number. Please also paint the walls blue.",
    )

    draft = generated["draft"]
    assert draft["persona"]["name"] == "Julia"
    assert draft["persona"]["toneOverride"] == "More formal"
    assert draft["persona"]["knowledgeBase"] == ["We cook vegan."]
    assert draft["playbook"]["opener"] == "Hello, this is Julia of Bella Napoli."
    assert draft["playbook"]["closingCTA"] == "See you."
    assert [slot["name"] for slot in draft["playbook"]["requiredSlots"]] == ["name", "email"]
    assert any("paint the walls blue" in warning for warning in generated["warnings"])
    updated = await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=draft)
    assert updated.status_code == 200, updated.text
    assert (await tenant.post("/v1/agents", draft)).status_code == 201


async def test_an_edit_that_is_not_understood_changes_nothing_and_says_so(
    tenant: TenantClient,
) -> None:
    config = {"name": "Front desk", "playbook": {"opener": "Hi."}}
    body = {"mode": "edit", "current_config": config, "prompt": "Jazz it up a notch"}
    generated = await generate(tenant, **body)
    asked = await generate(tenant, **body, allow_clarifying_questions=True)
    assert generated["draft"]["playbook"]["opener"] == "Hi."
    assert any("Jazz it up a notch" in warning for warning in generated["warnings"])
    assert asked["generated"] is False
    assert asked["clarifying_questions"]


async def test_an_unservable_language_is_left_out_with_a_warning(tenant: TenantClient) -> None:
    """No provider of the catalogue speaks Xhosa."""
    config = {"name": "Front desk", "supported_languages": ["en-US", "de-DE", "xh-ZA"]}
    generated = await generate(
        tenant, mode="edit", current_config=config, prompt="Change the greeting to: Good day."
    )
    assert generated["draft"]["supported_languages"] == ["en-US", "de-DE"]
    assert generated["warnings"][0].startswith("xh-ZA was left out: ")
    assert generated["warnings"][-1].startswith("de-DE cannot be served yet: ")
    created = await tenant.post("/v1/agents/draft", generated["draft"])
    assert created.status_code == 201, created.text
