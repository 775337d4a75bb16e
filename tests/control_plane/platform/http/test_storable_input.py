"""The quick look at a body and the slow one, which names the fault, agree."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from fastapi import Depends, FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from control_plane.platform.http.storable_input import (
    MAX_DEPTH,
    find_fault,
    is_json,
    is_plain,
    is_storable,
    storable_input,
)

_TEXTS = st.text(st.characters(), max_size=4) | st.sampled_from(["a\0", "\ud800", "\ude00", "नमस्ते"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=12,
)


def _nested(depth: int, innermost: Any) -> Any:
    for level in range(depth):
        innermost = [innermost] if level % 2 else {"below": innermost}
    return innermost


@given(_VALUES)
def test_both_agree_about_every_value(value: Any) -> None:
    assert is_storable(value) == (find_fault(value) is None)


@given(_VALUES, st.booleans(), st.sampled_from(["utf-8", "utf-16-le", "utf-32-be"]))
def test_a_plain_document_hides_no_fault(value: Any, escaped: bool, encoding: str) -> None:
    document = json.dumps(value, ensure_ascii=escaped).encode(encoding, "surrogatepass")
    parsed = json.loads(document)
    is_right = find_fault(parsed) is None
    assert is_storable(parsed, has_plain_texts=is_plain(document)) == is_right


def test_the_common_document_is_plain() -> None:
    assert is_plain('{"name": "Zoë – \\"Z\\"\\n"}'.encode())


@pytest.mark.parametrize("innermost", [1, [], "text"])
def test_both_count_the_same_levels(innermost: Any) -> None:
    for depth in (MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1):
        value = _nested(depth, innermost)
        assert is_storable(value) == (find_fault(value) is None) == (depth <= MAX_DEPTH)


def test_two_halves_in_two_texts_are_no_character() -> None:
    assert not is_storable(["\ud83d", "\ude00"])


async def test_a_large_document_is_read_checked_and_used_in_steps_of_their_own() -> None:
    assert _waits({"texts": ["short"]}) == 0
    assert _waits({"texts": ["long" * 10] * 5_000}) == 2


def _waits(document: dict[str, Any]) -> int:
    """How often a request lets others in while it is answered."""
    app = FastAPI(dependencies=[Depends(storable_input)])

    @app.post("/")
    async def route(body: dict[str, Any]) -> None:
        assert body == document

    async def receive() -> Message:
        return {"type": "http.request", "body": json.dumps(document).encode()}

    async def send(message: Message) -> None:
        assert message.get("status", 200) == 200

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}
    return sum(1 for _ in app(scope, receive, send).__await__())


@pytest.mark.parametrize(
    ("content_type", "counts"),
    [
        ("application/json", True),
        ("Application/JSON; charset=utf-8", True),
        ("application/vnd.shop+json", True),
        ("text/x+json", False),
        ("text/json", False),
        ("application/x/y+json", False),
        ("application/jsonlines", False),
        ("", False),
    ],
)
def test_json_is_what_fastapi_reads_as_json(content_type: str, *, counts: bool) -> None:
    assert is_json(content_type) is counts


@pytest.mark.parametrize("content_type", ["text/x+json", "application/x/y+json"])
async def test_what_only_looks_like_json_is_an_unsupported_media_type(
    http: httpx2.AsyncClient, content_type: str
) -> None:
    answer = await http.post("/v1/auth/login", content=b"{", headers={"Content-Type": content_type})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
