"""``POST /v1/agents/chat/answer``: the builder's assistant."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.control_plane.building.agent_builder.conftest import WithModel
from tests.control_plane.conftest import TenantClient
from tests.stand_ins.openai_wire import fails, says_json

BELLA: dict[str, Any] = {
    "name": "Desk",
    "persona": {"name": "Mia", "companyName": "Bella Napoli"},
    "playbook": {"opener": "Hello, this is Mia."},
}


async def ask(tenant: TenantClient, question: str, **body: Any) -> dict[str, Any]:
    answer = await tenant.post("/v1/agents/chat/answer", {"question": question} | body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_questions_about_fields_are_answered_from_the_documentation(
    tenant: TenantClient,
) -> None:
    for question, expected in (
        ("How do I transfer callers to a human?", "playbook.escalationRule"),
        ("What does playbook.requiredSlots do?", "read back"),
        ("How can I publish my agent?", "/publish"),
        ("What happens when the caller is silent?", "silencePromptDelay"),
        ("Which voices are there?", "/v1/agents/voices"),
        ("tell me a joke", "The fields are"),
    ):
        found = await ask(tenant, question)
        assert expected.replace("read back", "reads everything back") in found["answer"], question
        assert found["source"] == "local"


async def test_the_answer_shows_what_the_agent_has(tenant: TenantClient) -> None:
    found = await ask(tenant, "What is the greeting?", current_config=BELLA)
    assert "Hello, this is Mia." in found["answer"]


async def test_a_request_becomes_changes_that_can_be_applied(tenant: TenantClient) -> None:
    found = await ask(
        tenant, "Rename it to Julia and also ask for an email address", current_config=BELLA
    )
    changes = found["suggested_changes"]
    assert {change["key"] for change in changes} == {
        "persona.name",
        "playbook.opener",
        "playbook.requiredSlots",
    }
    applied = await tenant.post(
        "/v1/agents/apply-changes",
        {"currentConfig": BELLA, "changes": changes, "mode": "edit"},
    )
    assert applied.status_code == 200
    assert applied.json()["valid"] is True, applied.text


async def test_the_models_changes_are_passed_on_where_the_agent_stays_valid(
    with_model: WithModel,
) -> None:
    suggested = [
        {"key": "playbook.opener", "value": '"Hi {{ x }}there."'},
        {"key": "persona.role", "value": "waiter"},
        {"key": "persona.knowledgeBase", "value": "3"},
        {"key": "tools", "value": "[]"},
        {"key": "custom_llm_url", "value": '"https://evil.example"'},
        {"key": "persona.__class__", "value": "1"},
        {"key": "playbook.scripts", "value": "[" * 4_000},
    ]
    reply = {"answer": "<p>Do this.</p>", "suggested_changes": suggested}
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    async with with_model(says_json(reply)) as (tenant, wire):
        found = await ask(tenant, "Better?", current_config=BELLA, history=history)
    assert found == {
        "answer": "Do this.",
        "suggested_changes": [
            {"key": "playbook.opener", "value": "Hi there."},
            {"key": "persona.role", "value": "waiter"},
        ],
        "source": "llm",
    }
    assert [m["content"] for m in wire.requests[0]["messages"][1:3]] == ["Hello", "Hi"]
    assert "Bella Napoli" in json.dumps(wire.requests[0]["messages"][0])


async def test_a_failing_model_leaves_the_documentation(with_model: WithModel) -> None:
    async with with_model(fails(500, Retry_After="0")) as (tenant, _):
        found = await ask(tenant, "What is the opener?")
    assert found["source"] == "local"
    assert "playbook.opener" in found["answer"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": " "}, "question"),
        ({"question": "x" * 4_001}, "question"),
        ({"question": "x", "history": [{"role": "system", "content": "x"}]}, "history[0].role"),
        ({"question": "x", "current_config": {"persona": 1}}, "current_config.persona"),
        ({"question": "x", "more": 1}, "more"),
    ],
)
async def test_a_wrong_body_is_400(tenant: TenantClient, body: dict[str, Any], field: str) -> None:
    answer = await tenant.post("/v1/agents/chat/answer", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
