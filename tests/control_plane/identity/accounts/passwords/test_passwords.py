"""New passwords: by a mailed token, or knowing the old one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
from fastapi import FastAPI
from sqlalchemy import select, text, update

from control_plane.identity.accounts.models import KnownDevice, PasswordReset, User
from control_plane.identity.accounts.passwords.hashing import check_new_password
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from tests.control_plane.conftest import TenantClient
from tests.control_plane.identity.accounts.browsing import PASSWORD, Browser, a_browser, token_in

NEW = "an even better horse"
Outbox = Callable[[], list[EmailMessage]]


async def _asked(browser: Browser, outbox: Outbox, email: str = "mia@example.com") -> str:
    answer = await browser.post("/v1/auth/password-reset", {"email": email})
    assert answer.status_code == 202, answer.text
    return token_in(outbox()[-1])


async def _confirm(browser: Browser, token: str, password: str = NEW) -> tuple[int, str | None]:
    answer = await browser.post(
        "/v1/auth/password-reset/confirm", {"token": token, "password": password}
    )
    return answer.status_code, answer.json().get("code")


async def test_a_reset_sets_the_password_and_ends_every_session(
    browser: Browser, other_browser: Browser, outbox: Outbox, database: Database
) -> None:
    await browser.open_account(outbox)
    token = await _asked(other_browser, outbox)

    assert await _confirm(other_browser, token) == (200, None)

    assert (await browser.get("/v1/me")).status_code == 401
    assert (await other_browser.log_in()).status_code == 401
    entered = (await other_browser.log_in(password=NEW)).json()
    assert entered["user"]["email_confirmed"] is True
    assert entered["new_device"] is False
    assert (await browser.log_in(password=NEW)).json()["new_device"] is True
    assert "was changed" in outbox()[2]["Subject"]
    async with database.system_session() as session:
        actions = list(await session.scalars(select(AuditEntry.action)))
    assert "user.password_reset" in actions


async def test_a_token_works_once(browser: Browser, outbox: Outbox) -> None:
    await browser.sign_up()
    token = await _asked(browser, outbox)
    assert await _confirm(browser, token) == (200, None)
    assert await _confirm(browser, token, PASSWORD) == (400, "invalid_token")


async def test_of_two_uses_at_once_one_works(
    app: FastAPI, browser: Browser, outbox: Outbox
) -> None:
    await browser.sign_up()
    token = await _asked(browser, outbox)
    async with a_browser(app) as one, a_browser(app) as two:
        answers = await asyncio.gather(_confirm(one, token), _confirm(two, token, PASSWORD))
    assert sorted(status for status, _ in answers) == [200, 400]


async def test_a_token_expires_and_a_newer_one_replaces_it(
    browser: Browser, outbox: Outbox, database: Database
) -> None:
    await browser.sign_up()
    first = await _asked(browser, outbox)
    second = await _asked(browser, outbox)
    assert await _confirm(browser, first) == (400, "invalid_token")
    async with database.system_session() as session:
        await session.execute(update(PasswordReset).values(expires_at=datetime.now(UTC)))
    assert await _confirm(browser, second) == (400, "invalid_token")


async def test_a_password_that_is_refused_leaves_the_token_good(
    browser: Browser, outbox: Outbox
) -> None:
    await browser.sign_up()
    token = await _asked(browser, outbox)
    assert await _confirm(browser, token, "short") == (400, "invalid_request")
    assert await _confirm(browser, token, "mia@example.com") == (400, "invalid_request")
    assert await _confirm(browser, token) == (200, None)


async def test_the_answer_does_not_tell_who_has_an_account(
    browser: Browser, outbox: Outbox
) -> None:
    await browser.open_account(outbox)
    before = len(outbox())
    known = await browser.post("/v1/auth/password-reset", {"email": "mia@example.com"})
    unknown = await browser.post("/v1/auth/password-reset", {"email": "unknown@example.com"})
    assert (known.status_code, known.text) == (unknown.status_code, unknown.text)
    assert known.json()["mail_enabled"] is False
    assert "sends no mail" in known.json()["message"]
    assert [mail["To"] for mail in outbox()[before:]] == ["mia@example.com"]


@pytest.mark.parametrize("email", ["mia@example.com", "unknown@example.com"])
async def test_resets_are_throttled_for_known_and_unknown_addresses(
    browser: Browser, email: str
) -> None:
    await browser.sign_up()
    statuses = [
        (await browser.post("/v1/auth/password-reset", {"email": email})).status_code
        for _ in range(4)
    ]
    assert statuses == [202, 202, 202, 429]


async def test_the_owner_of_an_opened_account_gets_a_password_by_mail(
    tenant: TenantClient, browser: Browser, outbox: Outbox
) -> None:
    token = await _asked(browser, outbox, "owner@example.com")
    assert await _confirm(browser, token) == (200, None)
    entered = (await browser.log_in(email="owner@example.com", password=NEW)).json()
    assert entered["tenant"]["id"] == str(tenant.tenant_id)
    assert entered["role"] == "owner"


async def test_a_token_is_stored_as_a_hash(
    browser: Browser, outbox: Outbox, database: Database
) -> None:
    await browser.sign_up()
    token = await _asked(browser, outbox)
    async with database.system_session() as session:
        rows = "\n".join(await session.scalars(text("SELECT p::text FROM password_resets p")))
    assert rows
    assert token not in rows


async def test_a_change_needs_the_current_password_and_ends_the_other_sessions(
    browser: Browser, other_browser: Browser, outbox: Outbox, database: Database
) -> None:
    await browser.open_account(outbox)
    await other_browser.log_in()

    async def change(current: str, new: str) -> tuple[int, str | None]:
        answer = await browser.request(
            "PUT", "/v1/me/password", {"current_password": current, "new_password": new}
        )
        return answer.status_code, (answer.json().get("errors") or [{"field": None}])[0]["field"]

    assert await change("wrong password", NEW) == (400, "current_password")
    assert await change(PASSWORD, "short") == (400, "new_password")
    assert (await other_browser.get("/v1/me")).status_code == 200
    assert await change(PASSWORD, NEW) == (200, None)

    assert (await other_browser.get("/v1/me")).status_code == 401
    assert (await browser.get("/v1/me")).status_code == 200
    assert (await other_browser.log_in()).status_code == 401
    assert (await other_browser.log_in(password=NEW)).status_code == 200
    assert "was changed" in outbox()[-1]["Subject"]
    async with database.system_session() as session:
        actions = list(await session.scalars(select(AuditEntry.action)))
    assert "user.password_changed" in actions


async def test_a_change_ends_a_mailed_token(
    browser: Browser, other_browser: Browser, outbox: Outbox
) -> None:
    await browser.open_account(outbox)
    token = await _asked(other_browser, outbox)
    change = {"current_password": PASSWORD, "new_password": NEW}
    assert (await browser.request("PUT", "/v1/me/password", change)).status_code == 200

    status, _ = await _confirm(other_browser, token, "the horse of somebody else")

    assert status == 400
    assert (await other_browser.log_in(password=NEW)).status_code == 200


async def test_guessing_the_current_password_in_a_stolen_session_is_throttled(
    browser: Browser,
) -> None:
    await browser.sign_up()
    body = {"current_password": "wrong password", "new_password": NEW}
    statuses = [
        (await browser.request("PUT", "/v1/me/password", body)).status_code for _ in range(11)
    ]
    assert statuses == [400] * 10 + [429]


async def test_a_login_with_a_password_that_is_just_being_replaced_is_refused(
    app: FastAPI, browser: Browser, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compared before the change, let in after it: the session would outlive the reset."""
    await browser.sign_up()
    verify = app.state.passwords.verify

    async def verify_then_lose(password: str, stored: str | None) -> tuple[bool, str | None]:
        result: tuple[bool, str | None] = await verify(password, stored)
        async with database.system_session() as session:
            await session.execute(update(User).values(password_hash="replaced"))
        return result

    monkeypatch.setattr(app.state.passwords, "verify", verify_then_lose)
    assert (await browser.log_in()).status_code == 401


async def test_a_reset_forgets_the_devices(
    browser: Browser, other_browser: Browser, outbox: Outbox, database: Database
) -> None:
    await browser.sign_up()
    token = await _asked(other_browser, outbox)
    await _confirm(other_browser, token)
    async with database.system_session() as session:
        assert len((await session.scalars(select(KnownDevice))).all()) == 1


@pytest.mark.parametrize(
    "password", ["", "123456789", "x" * 201, "aaaaaaaaaaaa", "mia.meyer1", " MIA.MEYER1@b.example "]
)
def test_what_is_no_password(password: str) -> None:
    with pytest.raises(InvalidRequest):
        check_new_password(password, email="mia.meyer1@b.example")


@pytest.mark.parametrize("password", ["1234567890", "x" * 199 + "y", "äöüßäöüßäö", "🐎" * 9 + "🔋"])
def test_what_is_one(password: str) -> None:
    check_new_password(password, email="mia@example.com")
