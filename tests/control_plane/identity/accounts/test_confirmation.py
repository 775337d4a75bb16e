"""An account counts when its mail address is confirmed, by the person who opened it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from email.message import EmailMessage
from uuid import UUID, uuid4

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, text, update

from control_plane.identity.accounts.confirmation import CONFIRMATION_MAILS
from control_plane.identity.accounts.models import User
from control_plane.platform.database import SYSTEM_ROLE, Database
from tests.control_plane.conftest import OPERATOR
from tests.control_plane.identity.accounts.browsing import PASSWORD, Browser, a_browser, token_in
from tests.control_plane.migrations import empty_database, upgrade

Outbox = Callable[[], list[EmailMessage]]
MIA = "mia@example.com"
OWN_PASSWORD = "the password of Mia herself"


@pytest.fixture
async def stranger(app: FastAPI) -> AsyncIterator[Browser]:
    """Signs up with Mia's address."""
    async with a_browser(app, address="203.0.113.66") as stranger:
        await stranger.sign_up(tenant_name="Prepared")
        yield stranger


def outcome(answer: httpx2.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("code")


async def reset(browser: Browser, outbox: Outbox) -> None:
    """Mia sets a password of her own with the mail."""
    await browser.post("/v1/auth/password-reset", {"email": MIA})
    given = {"token": token_in(outbox()[-1]), "password": OWN_PASSWORD}
    assert (await browser.post("/v1/auth/password-reset/confirm", given)).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/api-keys", {"name": "Hidden", "kind": "secret"}),
        ("POST", "/v1/invitations", {"email": "partner@example.com", "role": "owner"}),
        ("POST", "/v1/agents", {"name": "Nora"}),
        ("PUT", "/v1/provider-keys/openai", {"api_key": "sk-stranger"}),
        ("DELETE", "/v1/members/me", None),
        ("GET", "/v1/agents", None),
    ],
)
async def test_without_a_confirmed_address_an_account_does_nothing(
    stranger: Browser, method: str, path: str, body: object
) -> None:
    assert outcome(await stranger.request(method, path, body)) == (403, "email_not_confirmed")


async def test_its_person_sees_and_ends_it(stranger: Browser) -> None:
    assert (await stranger.me())["user"]["email_confirmed"] is False
    assert (await stranger.get("/v1/me/sessions")).status_code == 200
    assert (await stranger.request("PATCH", "/v1/me", {"name": "Mia"})).status_code == 200
    assert (await stranger.post("/v1/auth/logout")).status_code == 200


async def test_the_token_and_the_session_confirm(browser: Browser, outbox: Outbox) -> None:
    await browser.open_account(outbox)
    assert (await browser.me())["user"]["email_confirmed"] is True
    made = await browser.post("/v1/api-keys", {"name": "Server", "kind": "secret"})
    assert made.status_code == 201


async def test_the_token_and_the_password_confirm(
    browser: Browser, other_browser: Browser, outbox: Outbox
) -> None:
    await browser.sign_up()
    token = token_in(outbox()[-1])
    wrong = {"token": token, "password": "not the password"}
    answer = await other_browser.post("/v1/auth/confirm-email", wrong)
    assert outcome(answer) == (401, "invalid_credentials")
    right = {"token": token, "password": PASSWORD}
    assert (await other_browser.post("/v1/auth/confirm-email", right)).status_code == 200
    assert (await browser.get("/v1/agents")).status_code == 200


async def test_the_reader_of_the_mailbox_does_not_confirm_an_account_of_a_stranger(
    stranger: Browser, other_browser: Browser, outbox: Outbox
) -> None:
    token = {"token": token_in(outbox()[-1])}
    answer = await other_browser.post("/v1/auth/confirm-email", token)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "password")

    await other_browser.sign_up(email="noah@example.com", tenant_name="Noah's")
    answer = await other_browser.post("/v1/auth/confirm-email", token)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "password")
    assert outcome(await stranger.get("/v1/agents")) == (403, "email_not_confirmed")


async def test_after_a_reset_nobody_lands_in_a_tenant_that_a_stranger_opened(
    stranger: Browser, browser: Browser, outbox: Outbox
) -> None:
    await reset(browser, outbox)

    assert (await stranger.get("/v1/me")).status_code == 401
    assert outcome(await stranger.log_in()) == (401, "invalid_credentials")
    refused = await browser.log_in(password=OWN_PASSWORD)
    assert outcome(refused) == (403, "no_membership")
    assert "/v1/auth/sign-up" in refused.json()["detail"]
    opened = await browser.sign_up(tenant_name="Mia's own", password=OWN_PASSWORD)
    assert [tenant["name"] for tenant in opened.json()["tenants"]] == ["Mia's own"]
    assert opened.json()["user"]["email_confirmed"] is True
    assert (await browser.get("/v1/agents")).status_code == 200


async def test_the_operators_tenant_is_the_only_one_of_a_person_whose_address_was_used_before(
    stranger: Browser, browser: Browser, outbox: Outbox
) -> None:
    opened = await browser.http.post(
        "/v1/operator/tenants", headers=OPERATOR, json={"name": "Big Corp", "owner_email": MIA}
    )
    await reset(browser, outbox)
    entered = (await browser.log_in(password=OWN_PASSWORD)).json()
    assert [tenant["id"] for tenant in entered["tenants"]] == [opened.json()["tenant_id"]]


async def test_who_confirmed_keeps_their_tenants_after_a_reset(
    browser: Browser, outbox: Outbox
) -> None:
    made = await browser.open_account(outbox)
    await reset(browser, outbox)
    entered = (await browser.log_in(password=OWN_PASSWORD)).json()
    assert entered["tenant"]["id"] == made["tenant"]["id"]


async def test_an_account_from_before_the_rule_goes_on_working(
    browser: Browser, outbox: Outbox, database: Database
) -> None:
    made = (await browser.sign_up()).json()
    async with database.system_session() as session:
        of_mia = update(User).where(User.id == UUID(made["user"]["id"]))
        await session.execute(of_mia.values(confirmation_waived=True))
    assert (await browser.get("/v1/agents")).status_code == 200
    await reset(browser, outbox)
    entered = (await browser.log_in(password=OWN_PASSWORD)).json()
    assert entered["tenant"]["id"] == made["tenant"]["id"]


def test_accounts_of_release_0_1_need_no_confirmation_and_new_ones_do(postgres_url: str) -> None:
    with empty_database(postgres_url) as connection:
        upgrade(connection, "0031")
        _add_user(connection, "old@example.com")
        upgrade(connection, "0032")
        # As a process of release 0.1 adds it: without the new column.
        _add_user(connection, "new@example.com")
        connection.execute(text(f"SET ROLE {SYSTEM_ROLE}"))
        rows = connection.execute(text("SELECT email, confirmation_waived FROM users"))
        assert {tuple(row) for row in rows} == {
            ("old@example.com", True),
            ("new@example.com", False),
        }


def _add_user(connection: Connection, email: str) -> None:
    connection.execute(text(f"SET ROLE {SYSTEM_ROLE}"))
    added = text("INSERT INTO users (id, email) VALUES (:id, :email)")
    connection.execute(added, {"id": uuid4(), "email": email})
    connection.execute(text("RESET ROLE"))


async def test_a_login_sends_the_mail_again_but_not_for_ever(
    browser: Browser, outbox: Outbox
) -> None:
    await browser.sign_up()
    for _ in range(CONFIRMATION_MAILS.attempts + 2):
        assert (await browser.log_in()).status_code == 200
    subjects = [mail["Subject"] for mail in outbox()]
    assert subjects == ["Confirm your mail address"] * CONFIRMATION_MAILS.attempts
    token = {"token": token_in(outbox()[0])}
    assert (await browser.post("/v1/auth/confirm-email", token)).status_code == 200
