"""``Idempotency-Key`` of requests that act outside of the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import text

from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login import routes as login_routes
from control_plane.identity.idempotent_requests.two_phase import HOLD
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.idempotency.answer import KEY_LIFETIME
from control_plane.platform.mail.mail import Mail
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.identity.accounts.browsing import a_browser, mails_in, token_in

REPLAYED = "Idempotency-Replayed"
INVITATION = {"email": "mia@example.com", "role": "member"}


class Died(BaseException):
    """The process ends: nothing of it runs on."""


class Post:
    """The mail server. It can take its time, and the process can die before or after a mail."""

    sends_mail = True

    def __init__(self) -> None:
        self.mails: list[Mail] = []
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self.began = asyncio.Event()
        self.dies: str | None = None
        self.fails = False

    async def send(self, mail: Mail) -> bool:
        self.began.set()
        await self.may_go_on.wait()
        dies, self.dies = self.dies, None
        if dies == "before":
            raise Died
        if self.fails:
            self.fails = False
            raise RuntimeError
        self.mails.append(mail)
        if dies == "after":
            raise Died
        return True


@pytest.fixture
def post(app: FastAPI) -> Post:
    post = Post()
    app.state.mailer = post
    return post


async def invite(tenant: TenantClient, key: str = "once", **fields: Any) -> httpx2.Response:
    headers = tenant.headers | {"Idempotency-Key": key}
    return await tenant.http.post("/v1/invitations", headers=headers, json=INVITATION | fields)


async def let_hold_pass(database: Database, by: timedelta = HOLD) -> None:
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE answered_requests SET held_until = held_until - CAST(:by AS interval)"),
            {"by": by},
        )


async def rows(database: Database, table: str) -> int:
    async with database.system_session() as session:
        return int(await session.scalar(text(f"SELECT count(*) FROM {table}")) or 0)


async def test_a_repeated_request_gets_the_response_and_mails_nothing(
    tenant: TenantClient, post: Post
) -> None:
    first, again = await invite(tenant), await invite(tenant)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert (REPLAYED in first.headers, again.headers[REPLAYED]) == (False, "true")
    assert len(post.mails) == 1


async def test_another_request_with_the_key_is_422(tenant: TenantClient, post: Post) -> None:
    await invite(tenant)
    other = await invite(tenant, role="admin")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


async def test_a_duplicate_of_a_request_that_still_acts_is_409(
    tenant: TenantClient, post: Post
) -> None:
    post.may_go_on.clear()
    first = asyncio.create_task(invite(tenant))
    await post.began.wait()
    duplicates = await asyncio.gather(*(invite(tenant) for _ in range(5)))
    assert {each.json()["code"] for each in duplicates} == {"idempotency_key_in_use"}
    assert {each.status_code for each in duplicates} == {409}
    assert all(int(each.headers["Retry-After"]) >= 1 for each in duplicates)
    other = await invite(tenant, role="admin")
    assert other.json()["code"] == "idempotency_key_reused"

    post.may_go_on.set()
    assert (await first).status_code == 201
    assert (await invite(tenant)).headers[REPLAYED] == "true"
    assert len(post.mails) == 1


async def test_simultaneous_requests_act_once(tenant: TenantClient, post: Post) -> None:
    answers = await asyncio.gather(*(invite(tenant) for _ in range(8)))
    assert sum(answer.status_code == 201 and REPLAYED not in answer.headers for answer in answers)
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len(post.mails) == 1


@pytest.mark.parametrize("dies", ["before", "after"])
async def test_after_a_crash_the_request_is_carried_out_with_the_same_id(
    tenant: TenantClient, post: Post, database: Database, dies: str
) -> None:
    post.dies = dies
    with pytest.raises(Died):
        await invite(tenant)
    held = await invite(tenant)
    assert (held.status_code, held.json()["code"]) == (409, "idempotency_key_in_use")

    await let_hold_pass(database)
    answer = await invite(tenant)
    assert (answer.status_code, answer.json()["invite_sent"]) == (201, True)
    assert (await invite(tenant)).content == answer.content
    # Where the mail went out twice, it is the same mail: a mail server sees that.
    assert len(post.mails) == (1 if dies == "before" else 2)
    assert len({(mail.id, mail.text) for mail in post.mails}) == 1
    assert await rows(database, "invitations") == 1


async def test_an_invitation_that_was_revoked_before_its_request_came_again_stays_revoked(
    tenant: TenantClient, post: Post, database: Database
) -> None:
    post.dies = "before"
    with pytest.raises(Died):
        await invite(tenant)
    [made] = (await tenant.get("/v1/invitations")).json()["invitations"]
    await tenant.request("DELETE", f"/v1/invitations/{made['id']}")
    await let_hold_pass(database)
    answer = await invite(tenant)
    assert (answer.status_code, answer.json()["code"]) == (409, "invitation_closed")
    assert (await invite(tenant, "another")).status_code == 201
    assert len(post.mails) == 1


@pytest.mark.parametrize("dies", ["before", "after"])
async def test_a_resent_invitation_is_mailed_with_one_token(
    tenant: TenantClient, post: Post, database: Database, dies: str
) -> None:
    invitation = (await invite(tenant)).json()["id"]
    async with database.system_session() as session:
        await session.execute(text("UPDATE invitations SET sent_at = sent_at - interval '1 hour'"))
    path, headers = f"/v1/invitations/{invitation}/resend", tenant.headers
    headers = headers | {"Idempotency-Key": "resend"}
    post.mails.clear()
    post.dies = dies
    with pytest.raises(Died):
        await tenant.http.post(path, headers=headers)
    await let_hold_pass(database)
    answer = await tenant.http.post(path, headers=headers)
    assert answer.status_code == 200, answer.text
    assert len({(mail.id, mail.text) for mail in post.mails}) == 1


async def test_after_a_failure_the_key_is_free_at_once(
    tenant: TenantClient, post: Post, database: Database
) -> None:
    post.fails = True
    assert (await invite(tenant)).status_code == 500
    assert (await invite(tenant)).status_code == 201
    assert len(post.mails) == 1


async def test_a_refused_request_gives_its_key_back(
    tenant: TenantClient, post: Post, database: Database
) -> None:
    await invite(tenant, "first")
    assert (await invite(tenant, "second")).json()["code"] == "invitation_exists"
    assert (await invite(tenant, "third", role="king")).status_code == 400
    assert await rows(database, "answered_requests") == 1
    assert (await invite(tenant, "second", email="ada@example.com")).status_code == 201
    assert (await invite(tenant, "third", email="bo@example.com")).status_code == 201


async def test_who_lost_the_key_does_not_overwrite_the_answer(
    tenant: TenantClient, post: Post, database: Database
) -> None:
    post.may_go_on.clear()
    slow = asyncio.create_task(invite(tenant))
    await post.began.wait()
    await let_hold_pass(database)
    post.may_go_on.set()
    quick = await invite(tenant)
    assert (await slow).status_code == 201
    assert (await invite(tenant)).content == quick.content
    assert await rows(database, "invitations") == 1


async def test_a_key_can_be_used_for_another_request_after_a_day(
    tenant: TenantClient, post: Post, database: Database
) -> None:
    await invite(tenant)
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE answered_requests SET claimed_at = claimed_at - CAST(:age AS interval)"),
            {"age": KEY_LIFETIME + timedelta(seconds=1)},
        )
    other = await invite(tenant, email="ada@example.com")
    assert other.status_code == 201
    assert len({mail.id for mail in post.mails}) == 2


async def test_requests_without_a_key_share_nothing(tenant: TenantClient, post: Post) -> None:
    for name in ("ada", "bo"):
        answer = await tenant.post("/v1/invitations", INVITATION | {"email": f"{name}@example.com"})
        assert answer.status_code == 201
    assert len({mail.id for mail in post.mails}) == 2
    assert len({mail.text for mail in post.mails}) == 2


async def test_the_mailed_token_is_accepted(
    app: FastAPI, tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    await invite(tenant)
    [mail] = mails_in(settings.mail_outbox_dir)
    accepted = await tenant.http.post(
        "/v1/invitations/accept",
        json={"token": token_in(mail), "password": "correct horse battery"},
    )
    assert accepted.status_code == 200, accepted.text


async def test_a_sign_up_sent_twice_opens_one_account(app: FastAPI, database: Database) -> None:
    async with a_browser(app) as browser, a_browser(app) as same_person:
        for each in (browser, same_person):
            each.headers["Idempotency-Key"] = "sign-up"
        first, again = await browser.sign_up(), await same_person.sign_up()
        assert (first.status_code, again.headers[REPLAYED]) == (201, "true")
        assert again.content == first.content
        assert again.headers.get_list("set-cookie") == first.headers.get_list("set-cookie")
        # Only who knows the password gets the session.
        stranger = await same_person.sign_up(password="a guess at the password")
        assert stranger.json()["code"] == "idempotency_key_reused"
        assert await rows(database, "tenants") == 1


async def test_a_sign_up_whose_answer_was_lost_opens_no_second_tenant(
    app: FastAPI, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: Any) -> Any:
        raise DatabaseUnavailable

    async with a_browser(app) as browser:
        browser.headers["Idempotency-Key"] = "sign-up"
        monkeypatch.setattr(login_routes, "login_response", lost)
        assert (await browser.sign_up()).status_code == 503
        monkeypatch.undo()
        await let_hold_pass(database)
        again = await browser.sign_up()
        assert again.status_code == 201
        assert again.json()["role"] == "owner"
        assert await rows(database, "tenants") == 1


async def test_a_refusal_does_not_give_back_a_key_whose_first_request_may_have_acted(
    app: FastAPI, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> Any:
        raise RuntimeError

    async def refuse(*_: Any) -> Any:
        raise TooManyAttempts

    async with a_browser(app) as browser:
        browser.headers["Idempotency-Key"] = "sign-up"
        with monkeypatch.context() as patched:
            patched.setattr(login_routes, "login_response", fail)
            assert (await browser.sign_up()).status_code == 500
        with monkeypatch.context() as patched:
            patched.setattr(login_routes, "sign_up", refuse)
            assert (await browser.sign_up()).status_code == 429
        assert (await browser.sign_up()).status_code == 201
    assert await rows(database, "tenants") == 1


async def test_without_postgresql_the_answer_is_503_and_the_key_stays_held(
    tenant: TenantClient, post: Post, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows then whether the request has acted."""
    usual = Database.tenant_session
    sessions = 0

    @asynccontextmanager
    async def failing(self: Database, tenant_id: Any) -> AsyncIterator[Any]:
        nonlocal sessions
        sessions += 1
        if sessions > 2:
            raise DatabaseUnavailable
        async with usual(self, tenant_id) as session:
            yield session

    monkeypatch.setattr(Database, "tenant_session", failing)
    assert (await invite(tenant)).status_code == 503
    monkeypatch.undo()
    assert (await invite(tenant)).json()["code"] == "idempotency_key_in_use"
    await let_hold_pass(database)
    assert (await invite(tenant)).status_code == 201
