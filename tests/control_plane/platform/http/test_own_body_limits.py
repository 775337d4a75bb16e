"""A route that needs longer bodies says so itself; the others keep the limit of all."""

from __future__ import annotations

from uuid import uuid4

import httpx2
import pytest
from fastapi import APIRouter, Depends, FastAPI, Request

from control_plane.app import ROUTERS
from control_plane.platform.http.body_limit import MOST_COMMAS, BodyLimitMiddleware
from control_plane.platform.http.own_body_limits import BodyLimit, OwnBodyLimits

LONG = 300_000


async def _length(request: Request) -> int:
    return sum([len(chunk) async for chunk in request.stream()])


def _api() -> APIRouter:
    router = APIRouter(prefix="/things/{thing_id}")
    router.post("/short")(_length)
    for name, limit in {
        "texts": BodyLimit(LONG, may_have_long_texts=True),
        "file": BodyLimit(LONG, is_spooled=True),
    }.items():
        router.post(f"/{name}", dependencies=[Depends(limit)])(_length)
    return router


async def send(path: str, body: bytes, method: str = "POST") -> tuple[int, str]:
    app = FastAPI()
    app.include_router(router := _api())
    app.add_middleware(
        BodyLimitMiddleware, max_bytes=1_000, own_limits=OwnBodyLimits(router.routes)
    )
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://t"
    ) as http:
        answer = await http.request(
            method,
            f"/things/{uuid4()}/{path}",
            content=body,
            headers={"Content-Type": "application/json"},
        )
    return answer.status_code, answer.text


@pytest.mark.parametrize("path", ["texts", "file"])
async def test_a_route_may_take_longer_bodies(path: str) -> None:
    assert await send(path, b"x" * LONG) == (200, str(LONG))
    assert (await send(path, b"x" * (LONG + 1)))[0] == 413
    assert await send(path, b"") == (200, "0")


async def test_other_routes_and_methods_keep_the_limit_of_all() -> None:
    assert (await send("short", b"x" * 1_001))[0] == 413
    assert (await send("texts", b"x" * 1_001, "PUT"))[0] == 413
    assert (await send("texts/more", b"x" * 1_001))[0] == 413


async def test_a_file_of_whole_chunks_ends() -> None:
    assert await send("file", b"x" * 65_536 * 2) == (200, str(65_536 * 2))


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"a": "' + b"," * (MOST_COMMAS + 1) + b'"}', 200),
        (b'{"a": "' + b'\\",\\\\' * (MOST_COMMAS + 1) + b'"}', 200),
        (b"[0" + b",0" * (MOST_COMMAS + 1) + b"]", 400),
        (b'["\\\\"' + b',"\\\\"' * (MOST_COMMAS + 1) + b"]", 400),
        (b'{"a": "' + b"," * (MOST_COMMAS + 1), 200),
    ],
    ids=["commas in a text", "escapes", "values", "texts", "text without an end"],
)
async def test_commas_in_long_texts_do_not_count(body: bytes, status: int) -> None:
    assert (await send("texts", body))[0] == status


def test_only_knowledge_takes_longer_bodies() -> None:
    limits = OwnBodyLimits(route for router in ROUTERS for route in router.routes)
    path = f"/v1/agents/{uuid4()}/knowledge-sources"
    file = limits.of("POST", f"{path}/upload")
    assert file is not None
    assert file.is_spooled
    assert limits.of("POST", path) is not None
    assert limits.of("POST", f"{path}/search") is None
    assert limits.of("POST", "/v1/agents") is None
