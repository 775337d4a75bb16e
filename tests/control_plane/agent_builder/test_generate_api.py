"""``POST /v1/agents/generate``. Source of the rules: API spec, "Agents" under Endpoints."""

from __future__ import annotations

from tests.control_plane.conftest import TenantClient

BELLA = (
    "An agent that takes table bookings for my Italian restaurant Bella Napoli. "
    "Ask for name, party size, day and time."
)


async def test_a_draft_is_a_body_that_creates_an_agent(tenant: TenantClient) -> None:
    answer = await tenant.post("/v1/agents/generate", {"prompt": BELLA})

    assert answer.status_code == 200
    generated = answer.json()
    assert generated["generated"] is True
    assert {"name", "voice", "llm_provider", "persona", "playbook"} <= set(generated["draft"])
    assert generated["source"] == "local"
    created = await tenant.post("/v1/agents", generated["draft"])
    assert created.status_code == 201, created.text
    stored = (await tenant.get(f"/v1/agents/{created.json()['id']}")).json()
    assert stored["persona"]["companyName"] == "Bella Napoli"
    assert stored["compiled_prompt"] == generated["compiled_prompt_preview"]
