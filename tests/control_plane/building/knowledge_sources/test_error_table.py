"""Every row of the table "Knowledge sources" under Errors in the API specification, but 503: this
release always ingests in the background, where its jobs run."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from control_plane.platform.database import Database
from tests.control_plane.building.knowledge_sources.ingesting import Sources
from tests.control_plane.building.knowledge_sources.quotas import limit_plan
from tests.control_plane.conftest import TenantClient

TEXT = {"kind": "text", "title": "Parking", "text": "Guests park for free."}


@pytest.mark.parametrize(
    "body",
    [
        {"title": "Parking", "text": "Free."},
        TEXT | {"kind": "file"},
        {"kind": "text", "text": "Free."},
        TEXT | {"title": "ä" * 101},
        TEXT | {"title": " "},
        TEXT | {"title": 7},
        {"kind": "text", "title": "Parking"},
        TEXT | {"text": 7},
        {"kind": "url", "title": "Parking"},
        {"kind": "url", "title": "Parking", "url": ["x"]},
        TEXT | {"url": "https://example.com"},
        {"kind": "url", "title": "Parking", "url": "http://127.0.0.1/"},
        {"kind": "url", "title": "Parking", "url": "no address"},
    ],
)
async def test_a_wrong_field_is_400(sources: Sources, body: dict[str, Any]) -> None:
    answer = await sources.tenant.post(sources.path, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    "form",
    [
        {"data": {"title": "x"}, "files": {"other": ("a.txt", b"x")}},
        {"files": {"file": ("a.txt", b"x")}, "data": {"title": "ä" * 101}},
        {"files": {"file": ("a.pdf", b"no pdf")}},
        {"files": {"file": ("a.exe", b"MZ\0")}},
    ],
    ids=["no file", "long title", "wrong content", "unknown kind"],
)
async def test_a_wrong_upload_is_400(sources: Sources, form: dict[str, Any]) -> None:
    answer = await sources.tenant.request("POST", f"{sources.path}/upload", **form)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("title", ["", " ", "\u200b", " \0 "])
async def test_a_title_without_a_visible_character_is_the_filename(
    sources: Sources, title: str
) -> None:
    form: dict[str, Any] = {"files": {"file": ("a.txt", b"x")}, "data": {"title": title}}
    answer = await sources.tenant.request("POST", f"{sources.path}/upload", **form)
    assert answer.json()["source"]["title"] == "a.txt"


async def test_a_broken_form_is_400_and_no_form_415(sources: Sources) -> None:
    kind = "multipart/form-data; boundary=x"
    for content_type, status in ((kind, 400), ("multipart/form-data", 400), ("text/plain", 415)):
        answer = await sources.tenant.http.post(
            f"{sources.path}/upload",
            content=b"--y\r\n\r\nnothing",
            headers=sources.tenant.headers | {"Content-Type": content_type},
        )
        assert answer.status_code == status, answer.text


async def test_no_agent_of_the_tenant_is_404(tenant: TenantClient) -> None:
    path = f"/v1/agents/{uuid4()}/knowledge-sources"
    upload = await tenant.request("POST", f"{path}/upload", files={"file": ("a.txt", b"x")})
    answers = [await tenant.post(path, TEXT), await tenant.get(path), upload]
    assert [answer.status_code for answer in answers] == [404, 404, 404]


async def test_a_text_over_1_mb_is_413_and_one_of_1_mb_is_taken(sources: Sources) -> None:
    for size, status in ((1_048_576, 202), (1_048_577, 413)):
        # Commas, and bytes that JSON writes as more than one.
        text = ('"' + ", " * 600_000)[:size]
        answer = await sources.tenant.post(sources.path, TEXT | {"text": text})
        assert answer.status_code == status, answer.text


async def test_a_file_over_10_mb_is_413_and_one_of_10_mb_is_taken(sources: Sources) -> None:
    for size, status in ((10 * 1_048_576, 202), (10 * 1_048_576 + 1, 413)):
        file = {"file": ("a.txt", b"x" * size)}
        answer = await sources.tenant.request("POST", f"{sources.path}/upload", files=file)
        assert answer.status_code == status, answer.text


@pytest.mark.parametrize(
    ("limit", "value", "used"),
    [("knowledge_sources_max", 1, 1), ("knowledge_bytes_max", 30, len(TEXT["text"]))],
)
async def test_a_hard_quota_is_429_with_its_code(
    sources: Sources, database: Database, limit: str, value: int, used: int
) -> None:
    await limit_plan(database, **{limit: value})
    assert (await sources.tenant.post(sources.path, TEXT)).status_code == 202
    answer = await sources.tenant.post(sources.path, TEXT)
    assert answer.status_code == 429
    body = answer.json()
    assert (body["code"], body["limit"], body["used"]) == (f"quota_exceeded.{limit}", value, used)


async def test_a_soft_quota_is_only_told(sources: Sources, database: Database) -> None:
    await limit_plan(database, knowledge_sources_soft_max=1)
    answers = [await sources.tenant.post(sources.path, TEXT) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert ["x-svc-quota-soft-breach" in answer.headers for answer in answers] == [False, True]
