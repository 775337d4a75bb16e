"""``switchboard agents``."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from switchboard.cli import app
from switchboard.commands.agent.file import read_agent_file
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


PUBLISHABLE_KEY = {
    "id": "0b6c0de1-52a9-4d59-8f0e-6a7f8c9d0e1f",
    "name": "Call page: Bella",
    "kind": "publishable",
    "hint": "sb_publishable_…1",
    "allowed_channels": ["web"],
    "allowed_origins": None,
    "allowed_agent_ids": [ID],
    "phone_agent_id": None,
    "phone_countries": None,
    "phone_calls_per_day": None,
    "call_limits": None,
    "created_at": "2026-01-05T09:30:00Z",
    "last_used_at": None,
    "overlap_ends_at": None,
    "revoked_at": None,
    "status": "created",
    "key": "sb_publishable_1",
}


def can_create(api: StandInApi) -> None:
    api.will("POST", "/v1/agents/generate", 200, GENERATED)
    api.will("POST", "/v1/agents", 201, {"status": "created", "id": ID})
    api.will("POST", f"/v1/agents/{ID}/publish", 200, PUBLISHED)
    api.will("POST", "/v1/api-keys", 201, PUBLISHABLE_KEY)


def test_an_agent_is_made_from_one_sentence(terminal: Terminal, api: StandInApi) -> None:
    can_create(api)
    result = terminal.type("agents", "create", "--prompt", "Take bookings.", "--no-publish")
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


def test_a_new_agent_is_published_and_has_an_address_for_a_browser(
    terminal: Terminal, api: StandInApi
) -> None:
    can_create(api)
    result = terminal.type("agents", "create", "--prompt", "x", "--name", "Napoli")
    assert result.exit_code == 0, result.output
    assert [asked.path for asked in api.asked] == [
        "/v1/agents/generate",
        "/v1/agents",
        f"/v1/agents/{ID}/publish",
        "/v1/api-keys",
    ]
    assert api.asked[1].body == DRAFT | {"name": "Napoli"}
    assert api.asked[3].body == {
        "name": "Call page: Napoli",
        "kind": "publishable",
        "allowed_channels": ["web"],
        "allowed_agent_ids": [ID],
    }
    assert "Published version 1." in result.stdout
    assert f"{api.url}/call?agent={ID}#key=sb_publishable_1" in result.stdout
    assert f"switchboard call --agent {ID}" in result.stdout


def test_the_next_command_begins_as_this_one_did(
    terminal: Terminal, api: StandInApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After `make up`, the shell does not find a program that is called `switchboard`."""
    monkeypatch.setattr(sys, "argv", [".venv/bin/switchboard"])
    monkeypatch.setattr(shutil, "which", lambda name: None)
    can_create(api)
    result = terminal.type("agents", "create", "--prompt", "x")
    assert f" .venv/bin/switchboard call --agent {ID}" in result.stdout


def test_json_is_one_document_on_standard_output(terminal: Terminal, api: StandInApi) -> None:
    can_create(api)
    result = terminal.type("agents", "create", "--prompt", "x", "--publish", "--json")
    assert json.loads(result.stdout) == {
        "id": ID,
        "draft": DRAFT,
        "source": "local",
        "warnings": GENERATED["warnings"],
        "published": PUBLISHED,
        "call_page": f"{api.url}/call?agent={ID}#key=sb_publishable_1",
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


@pytest.mark.parametrize("step", [f"/v1/agents/{ID}/publish", "/v1/api-keys"])
def test_json_names_a_saved_agent_also_if_it_cannot_be_published(
    terminal: Terminal, api: StandInApi, step: str
) -> None:
    can_create(api)
    api.refuse("POST", step, 409, code="agent_not_publish_ready", detail="Not yet.")
    result = terminal.type("agents", "create", "--prompt", "x", "--json")
    assert result.exit_code == 1
    made = json.loads(result.stdout)
    assert (made["id"], made["call_page"]) == (ID, None)
    assert made["published"] == (None if step.endswith("publish") else PUBLISHED)


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


def test_an_agent_is_made_from_a_file(terminal: Terminal, api: StandInApi, tmp_path: Path) -> None:
    can_create(api)
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(DRAFT))
    result = terminal.type("agents", "create", "--file", str(file))
    assert result.exit_code == 0, result.output
    assert api.asked[0] == Asked("POST", "/v1/agents", DRAFT, KEY)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"{", "not JSON: line 1"), (b"[]", "one JSON object"), (b"\xff", "UTF-8"), (None, "No such")],
)
def test_a_file_that_is_no_agent_is_named(
    terminal: Terminal, api: StandInApi, tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "agent.json"
    if content is not None:
        file.write_bytes(content)
    result = terminal.type("agents", "create", "--file", str(file))
    assert result.exit_code == 1
    assert str(file) in result.stderr
    assert said in result.stderr
    assert api.asked == []


def test_an_agent_is_changed_and_published(
    terminal: Terminal, api: StandInApi, tmp_path: Path
) -> None:
    file = tmp_path / "changes.json"
    file.write_text('{"language": "en-GB"}')
    updated = {"status": "updated"}
    api.will("PATCH", f"/v1/agents/{ID}", 200, updated)
    api.will("POST", f"/v1/agents/{ID}/publish", 200, PUBLISHED)
    words = ["agents", "update", ID, "--file", str(file), "--name", "Nora"]
    assert "Published version 1." in terminal.type(*words).stdout
    assert api.asked[0].body == {"language": "en-GB", "name": "Nora"}
    result = terminal.type(*words, "--no-publish")
    assert f"agents publish {ID}" in result.stdout
    assert len(api.asked) == 3


def test_an_update_without_changes_is_refused(terminal: Terminal, api: StandInApi) -> None:
    result = terminal.type("agents", "update", ID)
    assert result.exit_code == 1
    assert "nothing to change" in result.stderr
    assert api.asked == []


def test_an_agent_is_deleted_after_a_question(terminal: Terminal, api: StandInApi) -> None:
    api.will("GET", f"/v1/agents/{ID}", 200, WHOLE_AGENT)
    api.will("DELETE", f"/v1/agents/{ID}", 200, {"status": "deleted", "id": ID})
    refused = terminal.type("agents", "delete", ID)
    assert refused.exit_code == 1
    assert [asked.method for asked in api.asked] == ["GET"]
    result = terminal.type("agents", "delete", ID, "--yes")
    assert result.exit_code == 0, result.output
    assert f"{ID} is deleted" in result.stdout


def interrupted(*_: object, **__: object) -> str:
    """A person at the keyboard who presses Ctrl-C."""
    signal.raise_signal(signal.SIGINT)
    pytest.fail("it went on waiting for the keyboard")


def test_ctrl_c_at_a_question_ends_the_command(
    terminal: Terminal, api: StandInApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.will("GET", f"/v1/agents/{ID}", 200, WHOLE_AGENT)
    monkeypatch.setattr("typer.confirm", interrupted)
    assert terminal.type("agents", "delete", ID).exit_code == 130
    assert [asked.method for asked in api.asked] == ["GET"]


def test_ctrl_c_while_a_file_is_typed_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    async def reads() -> dict[str, Any]:
        return read_agent_file(Path("-"))

    monkeypatch.setattr("sys.stdin", SimpleNamespace(read=interrupted))
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(reads())


def test_an_agent_gets_another_address_for_a_browser(terminal: Terminal, api: StandInApi) -> None:
    api.will("GET", f"/v1/agents/{ID}", 200, WHOLE_AGENT | {"id": ID})
    api.will("POST", "/v1/api-keys", 201, PUBLISHABLE_KEY)
    result = terminal.type("agents", "link", ID)
    assert f"{api.url}/call?agent={ID}#key=sb_publishable_1" in result.stdout


def test_a_list_reads_well_at_80_columns(api: StandInApi) -> None:
    page = {"agents": [AGENT | {"name": "A name of some length"}], "total": 1}
    api.will("GET", "/v1/agents?limit=50&offset=0", 200, page | {"limit": 50, "offset": 0})
    access = ["--api-url", api.url, "--api-key", "k"]
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["agents", "list", *access])
    lines = result.stdout.splitlines()
    assert lines[0] == ID
    assert lines[1] == "  A name of some length  ·  en-US  ·  hibari  ·  local"
