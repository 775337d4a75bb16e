"""The welcome credit: once for each person with a confirmed address, and few for a network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email.message import EmailMessage
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from sqlalchemy import text

from control_plane.app import create_app
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.identity.accounts.welcome import WELCOMES_PER_ADDRESS, WELCOMES_PER_NETWORK
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, QUICK_HASHER
from tests.control_plane.identity.accounts.browsing import PASSWORD, Browser, a_browser, token_in

Outbox = Callable[[], list[EmailMessage]]
PUBLIC_URL = "https://voice.example.com"


@asynccontextmanager
async def public_app(settings: ControlPlaneSettings, **options: Any) -> AsyncIterator[FastAPI]:
    """An installation on the internet."""
    app = create_app(settings.model_copy(update={"public_url": PUBLIC_URL} | options))
    app.state.passwords = Passwords(QUICK_HASHER)
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def app(settings: ControlPlaneSettings) -> AsyncIterator[FastAPI]:
    """One that gives the credit to people who sign up."""
    async with public_app(settings, welcome_credit_for_sign_ups=True) as app:
        yield app


@asynccontextmanager
async def visitor(app: FastAPI, address: str = "198.51.100.7") -> AsyncIterator[Browser]:
    async with a_browser(app, address=address, base_url=PUBLIC_URL) as browser:
        yield browser


async def credits_of(database: Database) -> int:
    """How many tenants have the credit."""
    async with database.system_session() as session:
        posted = text("SELECT count(*) FROM ledger_entries WHERE reference = 'welcome'")
        return int(await session.scalar(posted) or 0)


async def confirm(browser: Browser, token: str) -> bool:
    answer = await browser.post("/v1/auth/confirm-email", {"token": token})
    assert answer.status_code == 200, answer.text
    return bool(answer.json()["welcome_credit_posted"])


async def test_on_the_internet_strangers_get_nothing_unless_the_operator_wants_it(
    settings: ControlPlaneSettings, database: Database, outbox: Outbox
) -> None:
    async with public_app(settings) as app, visitor(app) as browser:
        await browser.open_account(outbox)
        assert (await browser.get("/v1/billing/balance")).json()["balance_usd"] == 0
    assert await credits_of(database) == 0


async def test_the_credit_comes_with_the_confirmation(
    app: FastAPI, database: Database, outbox: Outbox
) -> None:
    async with visitor(app) as browser:
        assert (await browser.sign_up()).status_code == 201
        assert await credits_of(database) == 0
        [mail] = outbox()
        assert mail["To"] == "mia@example.com"
        assert await confirm(browser, token_in(mail)) is True
        assert (await browser.me())["user"]["email_confirmed"] is True
        assert (await browser.get("/v1/billing/balance")).json()["balance_usd"] == 10
        assert await confirm(browser, token_in(mail)) is False
    assert await credits_of(database) == 1


async def test_a_person_gets_it_once_however_many_tenants_they_open(
    app: FastAPI, database: Database, outbox: Outbox
) -> None:
    async with visitor(app) as browser:
        for name in ("First", "Second"):
            await browser.sign_up(tenant_name=name)
        assert await confirm(browser, token_in(outbox()[0])) is True
        assert await confirm(browser, token_in(outbox()[-1])) is False
        await browser.sign_up(tenant_name="Third")
    assert await credits_of(database) == 1


async def test_a_reset_confirms_and_the_next_tenant_gets_the_credit(
    app: FastAPI, database: Database, outbox: Outbox
) -> None:
    """Not the first one, which a stranger may have opened."""
    async with visitor(app) as browser:
        await browser.sign_up()
        await browser.post("/v1/auth/password-reset", {"email": "mia@example.com"})
        reset = {"token": token_in(outbox()[-1]), "password": "an even better horse"}
        answer = await browser.post("/v1/auth/password-reset/confirm", reset)
        assert answer.status_code == 200, answer.text
        assert await credits_of(database) == 0
        assert (await browser.sign_up(password="an even better horse")).status_code == 201
        assert (await browser.get("/v1/billing/balance")).json()["balance_usd"] == 10
    assert await credits_of(database) == 1


@pytest.mark.parametrize(
    "token",
    ["unknown", uuid4().hex + "0" * 64, "é" * 90],
    ids=["too short", "well-formed", "not in ASCII"],
)
async def test_a_forged_token_is_400(app: FastAPI, database: Database, token: str) -> None:
    async with visitor(app) as browser:
        await browser.sign_up()
        answer = await browser.post("/v1/auth/confirm-email", {"token": token})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_token")
    assert await credits_of(database) == 0


async def test_a_token_that_is_no_text_is_400(app: FastAPI, database: Database) -> None:
    async with visitor(app) as browser:
        user_id = (await browser.sign_up()).json()["user"]["id"].replace("-", "")
        answer = await browser.http.post(
            "/v1/auth/confirm-email",
            content=f'{{"token": "{user_id}\\ud800"}}',
            headers={"Content-Type": "application/json"},
        )
    assert answer.status_code == 400


async def test_the_token_of_another_person_is_400(
    app: FastAPI, database: Database, outbox: Outbox
) -> None:
    async with visitor(app) as browser:
        await browser.sign_up(email="ada@example.com")
        await browser.sign_up(email="bo@example.com")
        ada, bo = [token_in(mail) for mail in outbox()]
        answer = await browser.post("/v1/auth/confirm-email", {"token": ada[:32] + bo[32:]})
    assert answer.status_code == 400
    assert await credits_of(database) == 0


async def sign_up_and_confirm(app: FastAPI, outbox: Outbox, addresses: list[str]) -> list[bool]:
    given = []
    for address in addresses:
        async with visitor(app, address) as browser:
            await browser.sign_up(email=f"{uuid4().hex}@example.com")
            given.append(await confirm(browser, token_in(outbox()[-1])))
    return given


async def test_an_address_gets_few_credits_a_day(
    app: FastAPI, database: Database, outbox: Outbox
) -> None:
    most = WELCOMES_PER_ADDRESS.attempts
    given = await sign_up_and_confirm(app, outbox, ["198.51.100.7"] * (most + 2))
    assert given == [True] * most + [False] * 2
    assert await sign_up_and_confirm(app, outbox, ["203.0.113.9"]) == [True]
    assert await credits_of(database) == most + 1


async def test_a_network_gets_few_credits_a_day(
    app: FastAPI, database: Database, outbox: Outbox
) -> None:
    most = WELCOMES_PER_NETWORK.attempts
    neighbours = [f"198.51.100.{number}" for number in range(most + 2)]
    given = await sign_up_and_confirm(app, outbox, neighbours)
    assert given == [True] * most + [False] * 2


async def test_what_was_withheld_can_be_had_later(
    app: FastAPI, database: Database, outbox: Outbox
) -> None:
    most = WELCOMES_PER_ADDRESS.attempts
    await sign_up_and_confirm(app, outbox, ["198.51.100.7"] * (most + 1))
    async with visitor(app, "203.0.113.9") as browser:
        given = {"token": token_in(outbox()[-1]), "password": PASSWORD}
        answer = await browser.post("/v1/auth/confirm-email", given)
        assert answer.json()["welcome_credit_posted"] is True


async def test_the_operator_gives_it_without_a_confirmation(
    app: FastAPI, database: Database
) -> None:
    async with visitor(app) as browser:
        opened = await browser.http.post(
            "/v1/operator/tenants",
            headers=OPERATOR,
            json={"name": "Bright Smiles", "owner_email": "mia@example.com"},
        )
        assert opened.status_code == 201
    assert await credits_of(database) == 1


async def test_where_there_are_no_strangers_the_first_tenant_gets_it_at_once(
    settings: ControlPlaneSettings, database: Database
) -> None:
    assert not settings.is_public
    app = create_app(settings)
    app.state.passwords = Passwords(QUICK_HASHER)
    async with app.router.lifespan_context(app), a_browser(app) as browser:
        for number in range(WELCOMES_PER_ADDRESS.attempts + 1):
            await browser.sign_up(email=f"person-{number}@example.com")
            await browser.sign_up(email=f"person-{number}@example.com", tenant_name="Second")
    assert await credits_of(database) == WELCOMES_PER_ADDRESS.attempts + 1
