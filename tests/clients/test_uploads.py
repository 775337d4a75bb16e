"""Files that the client sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from tests.clients.stand_in import StandIn, answer, awaited, blocking

ID = UUID("0b4f6a5e-93f0-4c5e-8d4e-2d9b6c1f7a10")
SOURCE = {
    "id": str(ID),
    "agent_id": str(ID),
    "kind": "file",
    "title": "house.txt",
    "source_uri": "house.txt",
    "status": "pending",
    "progress": 0.0,
    "chunk_count": 0,
    "bytes": 22,
    "failure_reason": None,
    "refresh_hours": None,
    "refresh_at": None,
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
}
ADDED = answer(202, {"source": SOURCE})

Client = Callable[[StandIn], Any]
pytestmark = pytest.mark.parametrize("client", [blocking, awaited], ids=["blocking", "awaited"])


def test_a_file_is_a_form_with_its_name_and_its_title(client: Client) -> None:
    api = StandIn([ADDED])
    added = client(api).knowledge.upload(ID, "house.txt", b"Guests park for free.", title="House")
    assert added.source.status == "pending"
    [sent] = api.requests
    assert sent.headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="house.txt"' in sent.content
    assert b"Guests park for free." in sent.content
    assert b'name="title"\r\n\r\nHouse' in sent.content


def test_every_attempt_under_one_key_has_the_same_bytes(client: Client) -> None:
    api = StandIn([answer(503), ADDED])
    client(api).knowledge.upload(ID, "house.txt", b"Guests park for free.")
    first, second = api.requests
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]
    assert (first.headers["Content-Type"], first.content) == (
        second.headers["Content-Type"],
        second.content,
    )
