"""``switchboard agents``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import Asked, StandInApi

ID = "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f"
DRAFT = {
    "name": "Bella Napoli booking assistant",
    "voice": "hibari",
    "language": "en-US",
    "persona": {"companyName": "Bella Napoli", "knowledgeBase": ["Open from 5 pm."]},
    "playbook": {
        "opener": "Hello, this is Bella Napoli. [bold]How[/bold] can I help?",
        "requiredSlots": [{"name": "party size"}, {"name": "day"}],
    },
}
GENERATED = {
    "generated": True,
    "draft": DRAFT,
    "compiled_prompt_preview": "…",
    "source": "local",
    "warnings": ["The prompt gives no address."],
}
PUBLISHED = {
    "status": "published",
    "id": ID,
    "version": 1,
    "published_at": "2026-01-05T09:30:00Z",
    "warnings": [],
}
WHOLE_AGENT = json.loads((Path(__file__).parent / "agent.json").read_text())
"""An agent as ``GET /v1/agents/:id`` answers it."""
AGENT = {
    "id": ID,
    "name": "Bella",
    "language": "en-US",
    "voice": "hibari",
    "llm_provider": "local",
    "llm_model": None,
    "agent_kind": "custom",
    "created_at": "2026-01-05T09:30:00Z",
}


def can_create(api: StandInApi) -> None:
    api.will("POST", "/v1/agents/generate", 200, GENERATED)
    api.will("POST", "/v1/agents", 201, {"status": "created", "id": ID})
    api.will("POST", f"/v1/agents/{ID}/publish", 200, PUBLISHED)


def test_an_agent_is_made_from_one_sentence(terminal: Terminal, api: StandInApi) -> None:
    can_create(api)
    result = terminal.type("agents", "create", "--prompt", "Take bookings.")
    assert result.exit_code == 0, result.output
    assert api.asked == [
        Asked("POST", "/v1/agents/generate", {"prompt": "Take bookings."}, KEY),
        Asked("POST", "/v1/agents", DRAFT, KEY),
    ]
    for shown in (ID, "Bella Napoli", "[bold]How[/bold]", "party size, day", "Open from 5 pm."):
        assert shown in result.stdout
    assert f"switchboard agents publish {ID}" in result.stdout
    assert "The prompt gives no address." in result.stderr


KEY = "Bearer sb_secret_of_the_tests"


def test_with_a_name_and_publish_both_are_done(terminal: Terminal, api: StandInApi) -> None:
    can_create(api)
    result = terminal.type("agents", "create", "--prompt", "x", "--name", "Napoli", "--publish")
    assert result.exit_code == 0, result.output
    assert [asked.path for asked in api.asked] == [
        "/v1/agents/generate",
        "/v1/agents",
        f"/v1/agents/{ID}/publish",
    ]
    assert api.asked[1].body == DRAFT | {"name": "Napoli"}
    assert "Published version 1." in result.stdout
    assert f"switchboard call --agent {ID}" in result.stdout


def test_json_is_one_document_on_standard_output(terminal: Terminal, api: StandInApi) -> None:
    can_create(api)
    result = terminal.type("agents", "create", "--prompt", "x", "--publish", "--json")
    assert json.loads(result.stdout) == {
        "id": ID,
        "draft": DRAFT,
        "source": "local",
        "warnings": GENERATED["warnings"],
        "published": PUBLISHED,
    }


def test_a_prompt_that_says_too_little_makes_nothing(terminal: Terminal, api: StandInApi) -> None:
    api.will(
        "POST",
        "/v1/agents/generate",
        200,
        {
            "generated": False,
            "clarifying_questions": ["What should the agent do on a call?"],
            "quality_gates": {"blockers": [], "warnings": []},
            "source": "local",
        },
    )
    result = terminal.type("agents", "create", "--prompt", "x")
    assert result.exit_code == 1
    assert "What should the agent do on a call?" in result.stderr
    assert len(api.asked) == 1


@pytest.mark.parametrize(
    "blocker",
    [
        "The language tlh cannot be served.",
        {"field": "language", "message": "tlh cannot be served.", "fix": "Choose en-US."},
    ],
)
def test_what_stands_in_the_way_of_publishing_is_said_with_its_remedy(
    terminal: Terminal, api: StandInApi, blocker: Any
) -> None:
    can_create(api)
    api.refuse(
        "POST",
        f"/v1/agents/{ID}/publish",
        409,
        code="agent_not_publish_ready",
        detail="Not yet.",
        blockers=[blocker],
        warnings=["It has no opener."],
    )
    for words in (["publish", ID], ["create", "--prompt", "x", "--publish"]):
        result = terminal.type("agents", *words)
        assert result.exit_code == 1
        assert "tlh cannot be served." in result.stderr
        assert "It has no opener." in result.stderr
        if isinstance(blocker, dict):
            assert "language: tlh" in result.stderr
            assert "Choose en-US." in result.stderr
    # The agent is there all the same, and this is its id.
    assert ID in result.stdout


def test_another_refusal_of_publishing_is_said_in_the_servers_words(
    terminal: Terminal, api: StandInApi
) -> None:
    api.refuse("POST", f"/v1/agents/{ID}/publish", 404, code="agent_not_found", detail="No agent.")
    result = terminal.type("agents", "publish", ID)
    assert result.exit_code == 1
    assert "No agent." in result.stderr
    assert "list" in result.stderr


def test_agents_are_listed_with_whole_ids(terminal: Terminal, api: StandInApi) -> None:
    page = {"agents": [AGENT], "total": 3, "offset": 1, "limit": 1}
    api.will("GET", "/v1/agents?limit=1&offset=1", 200, page)
    words = ("agents", "list", "--limit", "1", "--offset", "1")
    result = terminal.type(*words)
    assert result.exit_code == 0, result.output
    assert ID in result.stdout
    assert "Bella" in result.stdout
    assert "1 of 3" in result.stderr
    assert json.loads(terminal.type(*words, "--json").stdout) == page


def test_an_account_without_agents_is_told_how_to_make_one(
    terminal: Terminal, api: StandInApi
) -> None:
    empty = {"agents": [], "total": 0, "offset": 0, "limit": 50}
    api.will("GET", "/v1/agents?limit=50&offset=0", 200, empty)
    result = terminal.type("agents", "list")
    assert result.exit_code == 0
    assert "switchboard agents create" in result.stderr


def test_one_agent_is_shown(terminal: Terminal, api: StandInApi) -> None:
    agent = WHOLE_AGENT | {"published_version": 4, "system_prompt": "Be brief. " * 100}
    api.will("GET", f"/v1/agents/{ID}", 200, agent)
    result = terminal.type("agents", "show", ID)
    assert result.exit_code == 0, result.output
    for shown in (ID, "version 4", "party size, day", "…"):
        assert shown in result.stdout
    assert json.loads(terminal.type("agents", "show", ID, "--json").stdout) == agent


def test_an_id_never_becomes_another_path(terminal: Terminal, api: StandInApi) -> None:
    terminal.type("agents", "show", "../api-keys?x=")
    assert api.asked[0].path == "/v1/agents/..%2Fapi-keys%3Fx%3D"


def test_versions_are_listed(terminal: Terminal, api: StandInApi) -> None:
    base = {"published_at": "2026-01-05T09:30:00Z", "digest": "a" * 64}
    page = {
        "versions": [
            base | {"version": 3, "restored_from": 1, "is_served": True},
            base | {"version": 2, "restored_from": None, "is_served": False},
        ],
        "total": 2,
        "offset": 0,
        "limit": 50,
        "agent_id": ID,
    }
    api.will("GET", f"/v1/agents/{ID}/versions?limit=50&offset=0", 200, page)
    result = terminal.type("agents", "versions", ID)
    assert result.exit_code == 0, result.output
    assert "served, repeats 1" in result.stdout
    assert "2026-01-05" in result.stdout


def test_an_earlier_version_is_served_again(terminal: Terminal, api: StandInApi) -> None:
    answer = PUBLISHED | {
        "status": "rolled_back",
        "version": 4,
        "restored_from": 2,
        "digest": "a" * 64,
        "warnings": ["The key is gone."],
    }
    api.will("POST", f"/v1/agents/{ID}/versions/2/roll-back", 200, answer)
    result = terminal.type("agents", "roll-back", ID, "2", "--restore-draft")
    assert result.exit_code == 0, result.output
    assert api.asked[0].body == {"restore_draft": True}
    assert "New calls run version 4, which repeats version 2." in result.stdout
    assert "The key is gone." in result.stderr


def test_wrong_words_on_the_command_line_are_exit_code_2(terminal: Terminal) -> None:
    for words in (["create"], ["list", "--limit", "0"], ["roll-back", ID, "none"], ["fly"]):
        assert terminal.type("agents", *words).exit_code == 2
