"""Headers that tell browsers to be strict, on every kind of response."""

from __future__ import annotations

import httpx2
import pytest
from fastapi import FastAPI

from control_plane.identity.mailed_pages.pages import PAGES
from control_plane.notifying.notifications.mail_choices.link import PATH as MAIL_CHOICES

PATHS = [
    "/healthz",
    "/openapi.json",
    "/call",
    "/call/static/call.js",
    "/call/config.json",
    "/docs",
    "/docs/static/reference.js",
    "/console",
    "/console/static/main.js",
    "/page-style/page.css",
    *PAGES,
    MAIL_CHOICES,
]
REFUSALS = ["/v1/agents", "/nothing", "/call/static/nothing.js", "/v1/calls/no-uuid/stream"]


@pytest.mark.parametrize("path", PATHS + REFUSALS)
async def test_every_response_forbids_sniffing_and_framing(
    http: httpx2.AsyncClient, path: str
) -> None:
    headers = (await http.get(path)).headers
    policy = headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "frame-ancestors" in policy


async def test_preflights_foreign_hosts_and_failures_have_them_too(
    app: FastAPI, http: httpx2.AsyncClient
) -> None:
    async def fail() -> None:
        raise RuntimeError("of the test")

    app.add_api_route("/fails", fail)
    preflight = {"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}
    answers = [
        await http.options("/v1/agents", headers=preflight),
        await http.get("/healthz", headers={"Host": "evil.example"}),
        await http.get("/fails"),
    ]
    assert [answer.status_code for answer in answers] == [200, 421, 500]
    assert {answer.headers["x-content-type-options"] for answer in answers} == {"nosniff"}


async def test_only_behind_tls_browsers_are_told_to_stay_with_it(
    http: httpx2.AsyncClient,
) -> None:
    plain = await http.get("/healthz")
    behind_tls = await http.get("/healthz", headers={"X-Forwarded-Proto": "https"})
    assert "strict-transport-security" not in plain.headers
    assert behind_tls.headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize("path", ["/call", "/console", "/docs", *PAGES])
async def test_a_page_loads_only_our_own_files_and_styles(
    http: httpx2.AsyncClient, path: str
) -> None:
    page = await http.get(path)
    policy = dict(
        part.strip().split(" ", 1)
        for part in page.headers["content-security-policy"].split(";")
        if part.strip()
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "<script>" not in page.text
    assert " style=" not in page.text
    assert " onclick=" not in page.text
