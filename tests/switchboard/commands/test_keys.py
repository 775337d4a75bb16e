"""``switchboard keys``."""

from __future__ import annotations

import json
from typing import Any

from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import StandInApi

ID = "0b0f6a52-8c1e-4a39-9a3f-3a2d6a2b1c11"
KEY: dict[str, Any] = {
    "id": ID,
    "name": "Shop page",
    "kind": "publishable",
    "hint": "sb_publishable_Ab…9z",
    "allowed_channels": ["web"],
    "allowed_origins": None,
    "allowed_agent_ids": None,
    "phone_agent_id": None,
    "phone_countries": None,
    "phone_calls_per_day": None,
    "call_limits": None,
    "created_at": "2026-01-05T09:30:00Z",
    "last_used_at": None,
    "overlap_ends_at": None,
    "revoked_at": None,
}
MADE = KEY | {"status": "created", "key": "sb_publishable_AbCdEf"}


def test_a_key_is_alone_on_standard_output(terminal: Terminal, api: StandInApi) -> None:
    api.will("POST", "/v1/api-keys", 201, MADE)
    result = terminal.type("keys", "create", "--name", "Shop page")
    assert result.exit_code == 0, result.output
    assert result.stdout == "sb_publishable_AbCdEf\n"
    assert ID in result.stderr
    assert api.asked[0].body == {"name": "Shop page", "kind": "secret"}


def test_the_scope_of_a_publishable_key_is_sent(terminal: Terminal, api: StandInApi) -> None:
    api.will("POST", "/v1/api-keys", 201, MADE)
    result = terminal.type(
        *("keys", "create", "--name", "Shop", "--kind", "publishable"),
        *("--channel", "web", "--channel", "phone", "--origin", "https://shop.example"),
        *("--agent", ID, "--phone-agent", ID, "--json"),
    )
    assert json.loads(result.stdout) == MADE
    assert api.asked[0].body == {
        "name": "Shop",
        "kind": "publishable",
        "allowed_channels": ["web", "phone"],
        "allowed_origins": ["https://shop.example"],
        "allowed_agent_ids": [ID],
        "phone_agent_id": ID,
    }


def test_what_the_server_refuses_is_said_in_its_words(terminal: Terminal, api: StandInApi) -> None:
    detail = "allowed_origins: belongs to publishable keys"
    api.refuse("POST", "/v1/api-keys", 400, code="invalid_request", detail=detail)
    result = terminal.type("keys", "create", "--name", "x", "--origin", "https://a.example")
    assert result.exit_code == 1
    assert detail in result.stderr
    assert result.stdout == ""


def test_keys_are_listed_with_their_state(terminal: Terminal, api: StandInApi) -> None:
    keys = [
        KEY,
        KEY | {"revoked_at": "2026-02-05T09:30:00Z"},
        KEY | {"overlap_ends_at": "2026-03-05T09:30:00Z"},
    ]
    page = {"api_keys": keys, "total": 3, "offset": 0, "limit": 50}
    api.will("GET", "/v1/api-keys?limit=50&offset=0", 200, page)
    result = terminal.type("keys", "list")
    assert result.exit_code == 0, result.output
    assert result.stdout.count(ID) == 3
    assert json.loads(terminal.type("keys", "list", "--json").stdout) == page


def test_a_rotated_key_is_shown_with_the_end_of_the_old_secret(
    terminal: Terminal, api: StandInApi
) -> None:
    rotated = MADE | {"status": "rotated", "overlap_ends_at": "2026-03-05T09:30:00Z"}
    api.will("POST", f"/v1/api-keys/{ID}/rotate", 200, rotated)
    result = terminal.type("keys", "rotate", ID, "--overlap-seconds", "3600")
    assert result.exit_code == 0, result.output
    assert result.stdout == "sb_publishable_AbCdEf\n"
    assert "2026-03-05" in result.stderr
    assert api.asked[0].body == {"overlap_seconds": 3600}


def test_a_key_is_revoked(terminal: Terminal, api: StandInApi) -> None:
    api.will("DELETE", f"/v1/api-keys/{ID}", 200, {"status": "revoked", "id": ID})
    result = terminal.type("keys", "revoke", ID)
    assert result.exit_code == 0, result.output
    assert f"{ID} is revoked" in result.stdout
