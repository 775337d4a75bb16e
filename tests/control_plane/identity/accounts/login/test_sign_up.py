"""Signing up opens a tenant, makes its owner and logs them in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import select, text

from control_plane.app import create_app
from control_plane.identity.accounts.login import routes as login_routes
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR
from tests.control_plane.identity.accounts.browsing import PASSWORD, Browser, a_browser, token_in

Outbox = Callable[[], list[EmailMessage]]


def cookies_of(answer: httpx2.Response) -> dict[str, set[str]]:
    """By cookie: its attributes, in lower case."""
    found = {}
    for line in answer.headers.get_list("set-cookie"):
        first, *attributes = line.split(";")
        found[first.partition("=")[0]] = {attribute.strip().lower() for attribute in attributes}
    return found


async def test_the_owner_is_logged_in_to_a_tenant_with_the_welcome_credit(
    browser: Browser, database: Database, outbox: Outbox
) -> None:
    answer = await browser.sign_up(name="Mia Meyer", email=" Mia@Example.COM ")

    assert answer.status_code == 201
    made = answer.json()
    assert made["user"] | {"id": ""} == {
        "id": "",
        "email": "mia@example.com",
        "name": "Mia Meyer",
        "email_confirmed": False,
    }
    assert (made["role"], made["new_device"]) == ("owner", False)
    assert made["tenants"] == [
        {"id": made["tenant"]["id"], "name": "Bright Smiles", "role": "owner"}
    ]
    await browser.post("/v1/auth/confirm-email", {"token": token_in(outbox()[-1])})
    assert (await browser.post("/v1/agents", {"name": "First"})).status_code == 201
    assert (await browser.get("/v1/billing/balance")).status_code == 200
    async with database.tenant_session(UUID(made["tenant"]["id"])) as session:
        credit = await session.scalar(text("SELECT sum(free_micros) FROM ledger_entries"))
        keys = await session.scalar(text("SELECT count(*) FROM api_keys"))
        welcome = await session.scalar(
            select(OutboxEvent).where(OutboxEvent.event == "auth.welcome")
        )
        actions = list(await session.scalars(select(AuditEntry.action).order_by(AuditEntry.id)))
    assert (credit, keys) == (10_000_000, 0)
    assert welcome is not None
    assert welcome.data["metadata"]["email"] == "mia@example.com"
    assert actions[:2] == ["tenant.created", "user.logged_in"]


async def test_the_cookies_are_for_http_and_for_this_site(browser: Browser) -> None:
    cookies = cookies_of(await browser.sign_up())
    assert set(cookies) == {"switchboard_session", "switchboard_device"}
    for attributes in cookies.values():
        assert attributes >= {"httponly", "samesite=lax", "path=/"}
        assert "secure" not in attributes
        assert not any(attribute.startswith("domain") for attribute in attributes)


async def test_over_https_the_cookies_are_secure(settings: ControlPlaneSettings) -> None:
    app = create_app(settings.model_copy(update={"public_url": "https://voice.example.com"}))
    async with (
        app.router.lifespan_context(app),
        a_browser(app, base_url="https://voice.example.com") as browser,
    ):
        answer = await browser.sign_up()
        assert all("secure" in attributes for attributes in cookies_of(answer).values())
        left = await browser.post("/v1/auth/logout")
        assert {"secure", "max-age=0", "httponly"} <= cookies_of(left)["switchboard_session"]


async def test_the_password_is_stored_as_an_argon2id_hash(
    browser: Browser, database: Database
) -> None:
    await browser.sign_up()
    async with database.system_session() as session:
        stored = (await session.scalars(select(User.password_hash))).one()
    assert stored is not None
    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored


async def test_a_closed_installation_is_403(settings: ControlPlaneSettings) -> None:
    app = create_app(settings.model_copy(update={"sign_up_enabled": False}))
    async with app.router.lifespan_context(app), a_browser(app) as browser:
        answer = await browser.sign_up()
    assert (answer.status_code, answer.json()["code"]) == (403, "sign_up_disabled")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"email": "nobody"}, "email"),
        ({"email": "mia@example.com\r\nBcc: x@example.com"}, "email"),
        ({"tenant_name": " "}, "tenant_name"),
        ({"tenant_name": "x" * 201}, "tenant_name"),
        ({"name": "Mia\nMeyer"}, "name"),
        ({"password": "short"}, "password"),
        ({"password": "x" * 201}, "password"),
        ({"password": "xxxxxxxxxxxx"}, "password"),
        ({"password": "MIA@example.com"}, "password"),
        ({"password": None}, "password"),
        ({"plan": "enterprise"}, "plan"),
    ],
)
async def test_a_wrong_sign_up_is_400(
    browser: Browser, database: Database, wrong: dict[str, Any], field: str
) -> None:
    answer = await browser.sign_up(**wrong)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
    assert "short" not in answer.text
    async with database.system_session() as session:
        assert (await session.scalars(select(User.id))).all() == []


async def test_an_address_with_an_account_opens_a_further_tenant_with_its_own_password_only(
    browser: Browser, other_browser: Browser
) -> None:
    first = (await browser.sign_up()).json()

    taken = await other_browser.sign_up(tenant_name="Taken over", password="another password")
    second = await other_browser.sign_up(tenant_name="Second")

    assert (taken.status_code, taken.json()["code"]) == (409, "email_taken")
    assert second.status_code == 201
    assert second.json()["user"]["id"] == first["user"]["id"]
    names = [tenant["name"] for tenant in second.json()["tenants"]]
    assert names == ["Bright Smiles", "Second"]


async def sign_up_again(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, **fields: Any
) -> httpx2.Response:
    """After the answer to the first request was lost."""

    async def lost(*_: Any) -> Any:
        raise RuntimeError

    browser.headers["Idempotency-Key"] = "sign-up"
    with monkeypatch.context() as patched:
        patched.setattr(login_routes, "login_response", lost)
        assert (await browser.sign_up(**fields)).status_code == 500
    return await browser.sign_up(**fields)


async def test_a_repeated_sign_up_is_no_login_from_a_new_device(
    browser: Browser, database: Database, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = await sign_up_again(browser, monkeypatch)
    assert (again.status_code, again.json()["new_device"]) == (201, False)
    async with database.system_session() as session:
        events = set(await session.scalars(select(OutboxEvent.event)))
    assert "system.login_new_device" not in events
    assert [mail["Subject"] for mail in outbox()] == ["Confirm your mail address"]


async def test_a_further_tenant_opened_from_a_new_device_tells_its_person(
    browser: Browser, other_browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    await browser.sign_up()
    again = await sign_up_again(other_browser, monkeypatch, tenant_name="Second")
    assert (again.status_code, again.json()["new_device"]) == (201, True)


async def test_nobody_sets_the_password_of_an_account_that_the_operator_opened(
    browser: Browser,
) -> None:
    opened = await browser.http.post(
        "/v1/operator/tenants",
        headers=OPERATOR,
        json={"name": "x", "owner_email": "mia@example.com"},
    )
    assert opened.status_code == 201
    answer = await browser.sign_up()
    assert (answer.status_code, answer.json()["code"]) == (409, "email_taken")


async def test_of_two_sign_ups_at_once_one_makes_the_person(
    app: FastAPI, database: Database
) -> None:
    async with a_browser(app) as one, a_browser(app) as two:
        answers = await asyncio.gather(
            one.sign_up(password="the first password"), two.sign_up(password="another password")
        )
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    async with database.system_session() as session:
        assert len((await session.scalars(select(User.id))).all()) == 1


async def test_sign_ups_are_throttled_by_address(
    app: FastAPI, browser: Browser, other_browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse_to_hash(self: Passwords, password: str) -> str:
        raise AssertionError("a throttled sign-up must not cost a hash")

    for _ in range(20):
        assert (await browser.sign_up(password="short")).status_code == 400
    monkeypatch.setattr(Passwords, "hash", refuse_to_hash)
    answer = await browser.sign_up()
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_attempts")
    assert 0 < int(answer.headers["retry-after"]) <= 3600
    monkeypatch.undo()
    assert (await other_browser.sign_up()).status_code == 201


async def test_an_operators_tenant_is_no_gift_to_whoever_used_the_address_first(
    browser: Browser, database: Database
) -> None:
    """Signing up proves nothing about the mailbox: the squatter's password and sessions end."""
    await browser.sign_up()
    opened = await browser.http.post(
        "/v1/operator/tenants",
        headers=OPERATOR,
        json={"name": "Big Corp", "owner_email": "mia@example.com"},
    )
    assert opened.status_code == 201
    assert (await browser.get("/v1/me")).status_code == 401
    assert (await browser.log_in()).status_code == 401


async def test_pages_of_other_sites_cannot_sign_up_or_log_in(browser: Browser) -> None:
    browser.headers["Origin"] = "https://evil.test"
    for answer in (await browser.sign_up(), await browser.log_in()):
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
