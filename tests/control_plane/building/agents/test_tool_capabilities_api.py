"""``GET /v1/agents/{agent_id}/tool-capabilities``: honest about what runs."""

from __future__ import annotations

from contracts.tool_bindings import TOOL_TYPES
from control_plane.platform.settings import ControlPlaneSettings
from pipelines.stack.worker_capabilities import PLAYBOOK_TOOLS, RUNNABLE_TOOLS
from tests.control_plane.conftest import TenantClient
from tests.control_plane.provider_keys import api_with_keys

WEBHOOK = {
    "type": "call_webhook",
    "name": "look_up",
    "description": "Look the order up.",
    "url": "https://api.example.com/orders",
}
MCP = {"type": "mcp", "name": "crm", "url": "https://mcp.example.com/"}


async def test_each_kind_and_each_bound_tool_says_whether_it_runs_and_why_not(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.agent(tools=[{"type": "end_call"}, WEBHOOK])
    found = (await tenant.get(f"/v1/agents/{agent_id}/tool-capabilities")).json()

    by_type = {kind["type"]: kind for kind in found["tool_types"]}
    assert tuple(by_type) == TOOL_TYPES
    assert {kind for kind, shown in by_type.items() if shown["can_run"]} == PLAYBOOK_TOOLS
    assert all(shown["can_run"] is (shown["reasons"] == []) for shown in by_type.values())
    assert [(t["index"], t["name"], t["type"], t["can_run"]) for t in found["tools"]] == [
        (0, "end_call", "end_call", True),
        (1, "look_up", "call_webhook", True),
    ]
    for kind in TOOL_TYPES:
        not_built = f"The media workers of this installation do not run {kind} tools."
        assert (not_built in by_type[kind]["reasons"]) is (kind not in RUNNABLE_TOOLS)


async def test_the_offline_engine_calls_no_tools_and_still_hangs_up(tenant: TenantClient) -> None:
    found = (await tenant.get(f"/v1/agents/{await tenant.agent()}/tool-capabilities")).json()
    [model] = [m for m in found["language_models"] if m["role"] == "primary"]
    assert (model["language"], model["provider"], model["supports_tools"]) == (
        "en-US",
        "local",
        False,
    )
    by_type = {kind["type"]: kind for kind in found["tool_types"]}
    assert by_type["end_call"]["can_run"] is True
    assert any("cannot call tools." in reason for reason in by_type["mcp"]["reasons"])


async def test_the_offline_engine_fills_a_webhook_s_arguments_from_slots(
    tenant: TenantClient,
) -> None:
    needs = {"type": "object", "required": ["day", "guests"], "properties": {"day": {}}}
    agent_id = await tenant.agent(
        tools=[{**WEBHOOK, "parameters": needs}],
        playbook={"requiredSlots": [{"name": "day"}]},
    )
    found = (await tenant.get(f"/v1/agents/{agent_id}/tool-capabilities")).json()
    [bound] = found["tools"]
    assert bound["can_run"] is False
    [reason] = bound["reasons"]
    assert "has no slot named guests" in reason
    assert "day" not in reason


async def test_with_a_model_that_calls_tools_webhooks_and_mcp_servers_run(
    tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    agent_id = await tenant.agent(tools=[WEBHOOK, MCP])
    async with api_with_keys(tenant, settings, "openai") as http:
        found = (await http.get(f"/v1/agents/{agent_id}/tool-capabilities")).json()
    assert [(bound["name"], bound["can_run"], bound["reasons"]) for bound in found["tools"]] == [
        ("look_up", True, []),
        ("crm", True, []),
    ]


async def test_without_a_stack_nothing_runs(tenant: TenantClient) -> None:
    agent_id = await tenant.draft(language="hi-IN")
    found = (await tenant.get(f"/v1/agents/{agent_id}/tool-capabilities")).json()
    assert found["language_models"] == []
    for kind in found["tool_types"]:
        assert kind["can_run"] is False
        assert any("hi-IN" in reason for reason in kind["reasons"])
