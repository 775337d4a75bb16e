"""Validating, publishing and previewing over the API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from control_plane.building.agents.models import AgentVersion
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient

BROKEN: dict[str, Any] = {"playbook": {"opener": "Hi {{ name"}}
PARTICIPANTS = [{"transport": "webrtc", "identity": "ann"}]


async def published(database: Database, tenant: TenantClient) -> tuple[int, int, int]:
    """How many versions, events and audit entries of publishing there are."""
    async with database.tenant_session(tenant.tenant_id) as session:
        versions = (await session.scalars(select(AgentVersion))).all()
        events = await session.scalars(
            select(OutboxEvent).where(OutboxEvent.event == "agent.published")
        )
        entries = await session.scalars(
            select(AuditEntry).where(AuditEntry.action == "agent.published")
        )
        return len(versions), len(events.all()), len(entries.all())


async def test_publishing_answers_with_the_version_and_warnings(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    answer = await tenant.post(f"/v1/agents/{agent_id}/publish")

    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["id"], body["version"]) == ("published", str(agent_id), 1)
    assert body["published_at"].endswith("Z")
    assert "opener_missing" in [warning["code"] for warning in body["warnings"]]
    assert await published(database, tenant) == (1, 1, 1)


async def test_the_event_and_the_audit_log_name_the_version(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    async with database.tenant_session(tenant.tenant_id) as session:
        event = await session.scalar(
            select(OutboxEvent).where(OutboxEvent.event == "agent.published")
        )
        entry = await session.scalar(
            select(AuditEntry).where(AuditEntry.action == "agent.published")
        )
    assert event is not None
    assert event.data["metadata"] == {"agent_id": str(agent_id), "version": 1}
    assert entry is not None
    assert (entry.target_id, entry.changes) == (str(agent_id), {"version": 1})


async def test_publishing_what_is_published_makes_another_version_of_the_same_content(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    again = (await tenant.post(f"/v1/agents/{agent_id}/publish")).json()
    assert again["version"] == 2
    async with database.tenant_session(tenant.tenant_id) as session:
        digests = (await session.scalars(select(AgentVersion.digest))).all()
    assert len(digests) == 2
    assert len(set(digests)) == 1


async def test_blockers_are_answered_with_the_whole_report_and_nothing_changes(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent(**BROKEN)
    before = (await tenant.get(f"/v1/agents/{agent_id}")).json()

    refused = await tenant.post(f"/v1/agents/{agent_id}/publish")
    report = await tenant.post("/v1/agents/validate-publish", {"agent_id": str(agent_id)})

    assert (refused.status_code, refused.json()["code"]) == (409, "agent_not_publish_ready")
    body = refused.json()
    assert {name: body[name] for name in ("ready", "blockers", "warnings")} == report.json()
    [blocker] = body["blockers"]
    assert (blocker["code"], blocker["field"]) == ("template_broken", "playbook.opener")
    assert await published(database, tenant) == (0, 0, 0)
    assert (await tenant.get(f"/v1/agents/{agent_id}")).json() == before


async def test_a_stale_etag_is_refused(tenant: TenantClient, database: Database) -> None:
    agent_id = await tenant.agent()
    answer = await tenant.http.post(
        f"/v1/agents/{agent_id}/publish", headers=tenant.headers | {"If-Match": '"0"'}
    )
    assert answer.status_code == 412
    assert await published(database, tenant) == (0, 0, 0)


async def test_a_call_needs_a_published_version(tenant: TenantClient) -> None:
    agent_id = await tenant.agent()
    wanted = {"agent_id": str(agent_id), "participants": PARTICIPANTS}
    answer = await tenant.post("/v1/calls", wanted)
    assert (answer.status_code, answer.json()["code"]) == (409, "agent_not_publish_ready")
    assert answer.json()["blockers"][0]["code"] == "never_published"


@pytest.mark.parametrize("route", ["validate-publish", "compile-prompt"])
async def test_a_new_agent_needs_no_id_and_nothing_is_saved(
    tenant: TenantClient, route: str
) -> None:
    answer = await tenant.post(f"/v1/agents/{route}", {"name": "Mia", "voice": "Aoede"})
    assert answer.status_code == 200
    assert (await tenant.get("/v1/agents")).json()["total"] == 0


async def test_a_broken_text_that_jinja_gives_no_line_is_shown_with_one(
    tenant: TenantClient,
) -> None:
    opener = "{% autoescape true %}Hi{% endautoescape %}"
    agent = {"name": "Mia", "playbook": {"opener": opener}}
    answer = await tenant.post("/v1/agents/compile-prompt", agent)
    assert answer.status_code == 200, answer.text
    assert [broken["line"] for broken in answer.json()["errors"]] == [1]


async def test_what_is_sent_is_merged_into_the_stored_agent(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(playbook={"opener": "Hi {{ x", "endCallMessage": "Bye."})
    before = (await tenant.get(f"/v1/agents/{agent_id}")).json()

    answer = await tenant.post(
        "/v1/agents/validate-publish",
        {"agent_id": str(agent_id), "playbook": {"opener": "Hi"}, "persona": {"role": "clerk"}},
    )

    assert answer.json()["ready"] is True
    codes = [warning["code"] for warning in answer.json()["warnings"]]
    assert "end_message_missing" not in codes
    assert "nothing_to_say" not in codes
    assert (await tenant.get(f"/v1/agents/{agent_id}")).json() == before


async def test_an_agent_without_a_name_is_told_so(tenant: TenantClient) -> None:
    report = (await tenant.post("/v1/agents/validate-publish", {})).json()
    assert [blocker["code"] for blocker in report["blockers"]] == ["name_missing"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"language": "hi-IN"}, "language_not_served"),
        ({"agent_kind": "managed", "managed_sku_id": "none"}, "language_not_served"),
        ({"custom_llm_url": "https://93.184.216.34/v1"}, "tier_required"),
        ({"custom_llm_url": "https://127.0.0.1/v1"}, "address_refused"),
    ],
)
async def test_what_the_account_cannot_use_now_is_a_blocker(
    tenant: TenantClient, fields: dict[str, Any], code: str
) -> None:
    answer = await tenant.post("/v1/agents/validate-publish", {"name": "Mia"} | fields)
    assert answer.status_code == 200
    assert code in [blocker["code"] for blocker in answer.json()["blockers"]]


@pytest.mark.parametrize("route", ["validate-publish", "compile-prompt"])
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"agent_id": "x"}, "agent_id"),
        ({"colour": "red"}, "colour"),
        ({"name": None}, "name"),
        ({"persona": {"role": 5}}, "persona.role"),
        ({"playbook": {"requiredSlots": [{}]}}, "playbook.requiredSlots[0].name"),
    ],
)
async def test_a_wrong_field_is_named(
    tenant: TenantClient, route: str, body: dict[str, Any], field: str
) -> None:
    answer = await tenant.post(f"/v1/agents/{route}", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


@pytest.mark.parametrize("route", ["validate-publish", "compile-prompt", "{}/publish"])
async def test_an_agent_that_is_not_there_is_404(tenant: TenantClient, route: str) -> None:
    body = None if "{}" in route else {"agent_id": str(uuid4())}
    answer = await tenant.post(f"/v1/agents/{route.format(uuid4())}", body)
    assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")


async def test_a_prompt_is_previewed_with_variables(tenant: TenantClient) -> None:
    answer = await tenant.post(
        "/v1/agents/compile-prompt",
        {
            "persona": {"name": "Mia", "companyName": "{{ company }}"},
            "playbook": {
                "opener": "Hi {{ customer.name }}, hi {{ nobody }}.",
                "closingCTA": "one\n{% if %}",
            },
            "variables": {"company": "Bright Smiles", "customer": {"name": "Ann"}},
        },
    )
    assert answer.status_code == 200
    preview = answer.json()
    assert preview["opener"] == "Hi Ann, hi."
    assert "You are Mia at Bright Smiles." in preview["compiled_prompt"]
    assert preview["unknown_variables"] == ["nobody"]
    assert [(error["field"], error["line"]) for error in preview["errors"]] == [
        ("playbook.closingCTA", 2)
    ]
    assert preview["characters"] == len(preview["compiled_prompt"])
    assert preview["estimated_tokens"] == -(-len(preview["compiled_prompt"].encode()) // 4)


async def test_variables_must_be_an_object(tenant: TenantClient) -> None:
    answer = await tenant.post("/v1/agents/compile-prompt", {"name": "x", "variables": []})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "variables"


async def test_texts_that_variables_do_not_fill_in_warn_in_the_call_s_log_and_fail_nothing(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.published_agent(
        playbook={"opener": "Hi {{ name }} {% if age < 18 %}young one{% endif %}"}
    )
    wanted = {
        "agent_id": str(agent_id),
        "participants": PARTICIPANTS,
        "variables": {"age": "unknown"},
    }
    created = await tenant.post("/v1/calls", wanted)
    assert created.status_code == 201, created.text

    log = await tenant.get(f"/v1/calls/{created.json()['id']}/events")
    warnings = [line["message"] for line in log.json()["events"] if line["level"] == "warning"]
    assert warnings == [
        "playbook.opener is used as it is written: line 1 cannot be filled in with these "
        "variables: '<' not supported between instances of 'str' and 'int'",
        "The call was created without variables that the agent's texts need: name",
    ]


async def test_a_new_prompt_replaces_what_came_from_the_former_one(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(system_prompt="You are Mia. Ask for their name.")
    await tenant.request(
        "PATCH", f"/v1/agents/{agent_id}", json={"system_prompt": "You are Bo. Ask for their age."}
    )
    agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    assert agent["persona"]["name"] == "Bo"
    assert [slot["name"] for slot in agent["playbook"]["requiredSlots"]] == ["age"]
    assert "Mia" not in agent["compiled_prompt"]


async def test_a_new_prompt_leaves_alone_what_was_edited_and_is_appended(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.agent(system_prompt="You are Mia. Ask for their name.")
    path = f"/v1/agents/{agent_id}"
    await tenant.request("PATCH", path, json={"persona": {"role": "clerk"}})
    await tenant.request("PATCH", path, json={"system_prompt": "Ask for their age."})
    agent = (await tenant.get(path)).json()
    assert (agent["persona"]["name"], agent["persona"]["role"]) == ("Mia", "clerk")
    assert "Ask for their age." in agent["compiled_prompt"]


async def test_what_the_offline_engine_cannot_follow_is_published_only_if_accepted(
    tenant: TenantClient,
) -> None:
    rules = "Upsell the whitening package.\nRoll a die first.\nEscalate after three attempts.\n"
    agent_id = await tenant.agent(system_prompt=rules, persona={"name": "Mia"})
    place = f"/v1/agents/{agent_id}/publish"

    refused = await tenant.post(place)
    accepted = await tenant.post(place, {"accept_limited": True})

    assert refused.status_code == 409
    [blocker] = refused.json()["blockers"]
    assert blocker["code"] == "offline_engine_follows_too_little"
    assert "Upsell the whitening package." in blocker["message"]
    assert accepted.status_code == 200
    assert blocker["code"] in [warning["code"] for warning in accepted.json()["warnings"]]
    check = {"agent_id": str(agent_id), "accept_limited": True}
    assert (await tenant.post("/v1/agents/validate-publish", check)).json()["ready"]
