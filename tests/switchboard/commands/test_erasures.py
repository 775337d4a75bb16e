"""``switchboard erasures``."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import StandInApi

ID = "0b0f6a52-8c1e-4a39-9a3f-3a2d6a2b1c11"
ERASURE: dict[str, Any] = {
    "id": ID,
    "status": "running",
    "caller_hmac": "0" * 64,
    "reason": None,
    "requested_by": {"kind": "secret_key", "id": None, "label": "Office"},
    "requested_at": "2026-01-05T09:30:00Z",
    "completed_at": None,
    "waits_for": None,
    "calls": 2,
    "proof_sha256": None,
}


def test_a_caller_is_named_by_number(terminal: Terminal, api: StandInApi) -> None:
    api.will("POST", "/v1/erasures", 202, ERASURE)
    result = terminal.type("erasures", "create", "--number", "+14155550100")
    assert result.exit_code == 0, result.output
    assert api.asked[0].body == {"number": "+14155550100"}
    assert ID in result.stdout
    assert "running" in result.stdout


def test_erasures_are_listed_and_shown(terminal: Terminal, api: StandInApi) -> None:
    page = {"erasures": [ERASURE], "total": 1, "offset": 0, "limit": 50}
    api.will("GET", "/v1/erasures?limit=50&offset=0", 200, page)
    api.will("GET", f"/v1/erasures/{ID}", 200, ERASURE | {"waits_for": "1 call"})
    assert ID in terminal.type("erasures", "list").stdout
    assert "1 call" in terminal.type("erasures", "show", ID).stdout


def test_the_proof_is_printed_as_it_was_hashed(terminal: Terminal, api: StandInApi) -> None:
    at = "2026-01-05T09:30:00.123456+00:00"
    proof = {
        "version": 1,
        "erasure_id": ID,
        "tenant_id": ID,
        "caller_hmac": "0" * 64,
        "reason": "f\u00fcr",
        "requested_by": {"kind": "operator", "id": None, "label": "b"},
        "requested_at": at,
        "completed_at": at,
        "totals": {"calls": 1, "rows": {"calls": 1}, "objects": 0, "bytes": 0},
        "calls": [{"call_id": ID, "tables": {"calls": {"rows": 1, "sha256": None}}}],
        "kept": {"here": "why"},
    }
    text = json.dumps(proof, sort_keys=True, indent=1)
    api.will("GET", f"/v1/erasures/{ID}/proof", 200, text.encode())
    printed = terminal.type("erasures", "proof", ID).stdout
    assert hashlib.sha256(printed.encode()).digest() == hashlib.sha256(text.encode()).digest()
