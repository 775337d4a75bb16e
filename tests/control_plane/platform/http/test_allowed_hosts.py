"""Which host names the API answers for."""

from __future__ import annotations

import httpx2
import pytest
from fastapi import FastAPI

from control_plane.app import create_app
from control_plane.platform.http.allowed_hosts import AllowedHosts
from control_plane.platform.settings import ControlPlaneSettings

LISTED = AllowedHosts(("Voice.Example.com", "*.example.org"))


@pytest.mark.parametrize(
    "host",
    [
        "voice.example.com",
        "VOICE.example.com:8443",
        "voice.example.com.",
        "a.example.org",
        "a.b.example.org:80",
        "localhost",
        "localhost:8080",
        "app.localhost",
        "127.0.0.1:8080",
        "192.168.1.7",
        "[::1]:8080",
        "[2001:db8::1]",
    ],
)
def test_a_listed_name_an_address_and_localhost_are_allowed(host: str) -> None:
    assert host in LISTED


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "example.com",
        "www.voice.example.com",
        "voice.example.com.evil.example",
        "evilexample.org",
        "example.org",
        "notlocalhost",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "voice.example.com:80:80",
        "voice.example.com@evil.example",
        "evil.example/voice.example.com",
        "",
    ],
)
def test_every_other_name_is_not(host: str) -> None:
    assert host not in LISTED


def test_a_star_allows_every_name() -> None:
    assert "evil.example" in AllowedHosts(("*",))


@pytest.mark.parametrize(
    "name", ["https://voice.example.com", "voice.example.com:443", "a b", "*example.com", "a.*.b"]
)
def test_what_is_no_host_name_cannot_be_listed(name: str) -> None:
    with pytest.raises(ValueError, match="is no host name"):
        AllowedHosts((name,))


@pytest.mark.parametrize("path", ["/healthz", "/v1/agents", "/call", "/openapi.json", "/nothing"])
async def test_a_foreign_host_is_told_what_would_be_right(
    http: httpx2.AsyncClient, path: str
) -> None:
    answer = await http.get(path, headers={"Host": "evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (421, "host_not_allowed")
    assert "'evil.example'" in answer.json()["detail"]
    assert "SWITCHBOARD_ALLOWED_HOSTS" in answer.json()["detail"]


async def test_a_page_of_a_foreign_name_that_leads_here_cannot_use_the_session(
    http: httpx2.AsyncClient,
) -> None:
    http.cookies.set("switchboard_session", "of the visitor")
    foreign = {"Host": "evil.example", "Origin": "http://evil.example"}
    answer = await http.get("/v1/me", headers=foreign)
    assert answer.status_code == 421


@pytest.mark.parametrize("host", ["switchboard.test", "127.0.0.1:8080", "localhost"])
async def test_the_public_name_and_this_machine_are_answered(
    http: httpx2.AsyncClient, host: str
) -> None:
    assert (await http.get("/healthz", headers={"Host": host})).status_code == 200


async def test_the_operator_can_add_names(settings: ControlPlaneSettings) -> None:
    app: FastAPI = create_app(settings.model_copy(update={"allowed_hosts": ("api.internal",)}))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://api.internal") as http:
        assert (await http.get("/healthz")).status_code == 200
