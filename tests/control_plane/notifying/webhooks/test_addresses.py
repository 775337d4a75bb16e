"""No webhook leads into a private network: not when it is registered, changed or dialed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from ipaddress import ip_address

import httpx2
import pytest

from control_plane.notifying.webhooks.address_rules import check_url
from control_plane.notifying.webhooks.delivering.sending import send
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.settings import ControlPlaneSettings
from outbound.client import guarded_client
from outbound.policy import OutboundPolicy
from outbound.resolver import IpAddress, resolve
from tests.outbound.blocked_addresses import blocked_addresses

SETTINGS = ControlPlaneSettings.model_construct()


class Rebound:
    """A name that leads to the internet at first, and later to the machine itself."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, _host: str) -> tuple[IpAddress, ...]:
        answer = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        return (ip_address(answer),)


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with guarded_client(OutboundPolicy(), timeout_seconds=3.0) as client:
        yield client


async def test_none_is_registered() -> None:
    accepted = []
    for address in blocked_addresses():
        try:
            await check_url(address, SETTINGS, resolve)
        except InvalidRequest:
            continue
        accepted.append(address)
    assert accepted == []


async def test_none_is_dialed(client: httpx2.AsyncClient) -> None:
    reached = {}
    for address in (*blocked_addresses("http"), *blocked_addresses("https")):
        outcome = await send(client, address, {}, b"{}")
        if outcome.status_code is not None or outcome.error is None:
            reached[address] = outcome
    assert reached == {}


async def test_a_name_that_leads_elsewhere_after_its_registration_is_not_dialed() -> None:
    rebound = Rebound("8.8.8.8", "127.0.0.1")
    await check_url("https://hooks.example.com/", SETTINGS, rebound)
    async with guarded_client(OutboundPolicy(), timeout_seconds=3.0, resolver=rebound) as client:
        outcomes = [await send(client, "https://hooks.example.com/", {}, b"{}") for _ in range(3)]
    assert rebound.asked == 4, "each try looks the name up again"
    for outcome in outcomes:
        assert outcome.status_code is None
        assert "must not be called" in (outcome.error or "")


@pytest.mark.parametrize(
    ("resolver", "words"), [(Rebound("10.0.0.1"), "private network"), (None, "no IP address")]
)
async def test_a_name_is_judged_by_where_it_leads(resolver: Rebound | None, words: str) -> None:
    async def unknown(_host: str) -> tuple[IpAddress, ...]:
        return ()

    with pytest.raises(InvalidRequest, match=words):
        await check_url("https://hooks.example.com/", SETTINGS, resolver or unknown)


async def test_a_name_server_that_hangs_is_named() -> None:
    async def hangs(_host: str) -> tuple[IpAddress, ...]:
        raise TimeoutError

    with pytest.raises(InvalidRequest, match="did not answer in time"):
        await check_url("https://hooks.example.com/", SETTINGS, hangs)


async def test_http_is_for_tests() -> None:
    with pytest.raises(InvalidRequest, match="must begin with https://"):
        await check_url("http://8.8.8.8/", SETTINGS, resolve)
    testing = SETTINGS.model_copy(update={"environment": "test"})
    await check_url("http://8.8.8.8/", testing, resolve)
