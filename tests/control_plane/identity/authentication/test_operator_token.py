"""The operator's token cannot be guessed by trying."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from uuid import uuid4

import httpx2
import pytest
from fastapi import FastAPI

from control_plane.identity.accounts.login.attempts import OPERATOR_TOKENS_PER_ADDRESS
from control_plane.identity.authentication import service
from tests.control_plane.conftest import OPERATOR, TenantClient

GUESSES = OPERATOR_TOKENS_PER_ADDRESS.attempts
PATH = "/v1/operator/tenants"
At = Callable[[str], AbstractAsyncContextManager[httpx2.AsyncClient]]


@pytest.fixture
def at(app: FastAPI) -> At:
    """A client at an address."""

    @asynccontextmanager
    async def connected(address: str) -> AsyncIterator[httpx2.AsyncClient]:
        transport = httpx2.ASGITransport(app=app, client=(address, 50_000))
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://switchboard.test"
        ) as http:
            yield http

    return connected


def guess() -> dict[str, str]:
    return {"Authorization": f"Bearer {uuid4().hex}"}


async def test_wrong_tokens_of_an_address_are_limited(at: At) -> None:
    async with at("198.51.100.20") as http, at("198.51.100.21") as operator:
        answers = [(await http.get(PATH, headers=guess())).status_code for _ in range(GUESSES)]
        refused = await http.get(PATH, headers=guess())
        refused_with_the_right_one = await http.get(PATH, headers=OPERATOR)
        elsewhere = await operator.get(PATH, headers=OPERATOR)
    assert set(answers) == {401}
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_attempts")
    assert int(refused.headers["Retry-After"]) > 0
    assert refused_with_the_right_one.status_code == 429
    assert elsewhere.status_code == 200


async def test_an_address_that_goes_on_guessing_costs_no_more_looks(
    at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its refusals are given again before anything is authenticated."""
    async with at("198.51.100.24") as http:
        for _ in range(GUESSES + 1):
            refused = await http.get(PATH, headers=guess())
        assert refused.status_code == 429

        async def nobody_looks(*_: object) -> None:
            raise AssertionError("the token was looked at")

        monkeypatch.setattr(service, "check_operator", nobody_looks)
        assert (await http.get(PATH, headers=guess())).status_code == 429


async def test_right_tokens_and_requests_without_one_do_not_count(at: At) -> None:
    async with at("198.51.100.22") as http:
        for _ in range(GUESSES + 5):
            assert (await http.get(PATH)).status_code == 401
            assert (await http.get(PATH, headers=OPERATOR)).status_code == 200


async def test_a_tenant_s_key_is_refused_without_being_counted(
    at: At, tenant: TenantClient
) -> None:
    async with at("198.51.100.23") as http:
        for _ in range(GUESSES + 5):
            assert (await http.get(PATH, headers=tenant.headers)).status_code == 401


async def test_addresses_of_one_subscriber_count_together(at: At) -> None:
    for number in range(GUESSES):
        async with at(f"2001:db8:0:7::{number + 1:x}") as http:
            assert (await http.get(PATH, headers=guess())).status_code == 401
    async with at("2001:db8:0:7:ffff::1") as http:
        assert (await http.get(PATH, headers=guess())).status_code == 429
