"""Logging in: one answer for every mistake, throttled, and told about from a new device."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import tasks
from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login.attempts import (
    LOGINS_PER_ACCOUNT,
    LOGINS_PER_ADDRESS,
    Limit,
    count_attempt,
    network_of,
)
from control_plane.identity.accounts.models import (
    AttemptCount,
    DashboardSession,
    PasswordReset,
    User,
)
from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.identity.accounts.sessions.service import MOST_SESSIONS
from control_plane.identity.accounts.tasks import delete_expired
from control_plane.identity.members import repository as members
from control_plane.platform import batched_deletion
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_resources
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient
from tests.control_plane.identity.accounts.browsing import PASSWORD, Browser, a_browser
from tests.control_plane.lock_waits import until_somebody_waits

Outbox = Callable[[], list[EmailMessage]]


@pytest.fixture
def products_hash(app: FastAPI) -> None:
    """The product's own password hash, where a test checks what it costs."""
    app.state.passwords = Passwords()


async def test_a_login_opens_a_session_of_its_own(
    browser: Browser, other_browser: Browser, outbox: Outbox
) -> None:
    first = await browser.open_account(outbox)
    answer = await other_browser.log_in()

    assert answer.status_code == 200
    assert answer.json()["tenant"] == first["tenant"]
    assert answer.json()["csrf_token"] != first["csrf_token"]
    assert answer.headers["cache-control"] == "no-store"
    assert (await other_browser.post("/v1/agents", {"name": "x"})).status_code == 201
    assert (await browser.get("/v1/me")).status_code == 200


@pytest.mark.usefixtures("products_hash")
async def test_every_mistake_has_one_answer_and_costs_one_comparison(
    browser: Browser, tenant: TenantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``tenant`` belongs to owner@example.com, who has not set a password."""
    await browser.sign_up()
    compared: list[str] = []
    original = PasswordHash.verify_and_update

    def counted(self: PasswordHash, password: str, stored: str) -> tuple[bool, str | None]:
        compared.append(stored)
        return original(self, password, stored)

    monkeypatch.setattr(PasswordHash, "verify_and_update", counted)
    answers = []
    for wrong in (
        {"password": "wrong password"},
        {"email": "unknown@example.com"},
        {"email": "owner@example.com"},
        {"email": "owner@example.com", "password": "nobody's password"},
        {"password": ""},
    ):
        compared.clear()
        answer = await browser.log_in(**wrong)
        assert len(compared) == 1
        # As expensive as everybody's: the parameters are part of the hash.
        assert compared[0].startswith("$argon2id$v=19$m=65536,t=3,p=4$")
        answers.append((answer.status_code, answer.json() | {"request_id": ""}))

    assert answers == [answers[0]] * 5
    assert answers[0][0] == 401
    assert answers[0][1]["code"] == "invalid_credentials"


async def test_guesses_are_throttled_by_account_wherever_they_come_from(
    app: FastAPI, browser: Browser, other_browser: Browser
) -> None:
    await browser.sign_up()
    for number in range(10):
        async with a_browser(app, address=f"203.0.113.{number + 10}") as guesser:
            assert (await guesser.log_in(password=f"wrong {number}")).status_code == 401

    answer = await other_browser.log_in()

    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_attempts")
    assert 0 < int(answer.headers["retry-after"]) <= 15 * 60
    # The owner is not locked out of the browser they have used before.
    assert (await browser.log_in()).status_code == 200


async def test_an_unknown_account_is_throttled_just_the_same(browser: Browser) -> None:
    for _ in range(10):
        assert (await browser.log_in(email="unknown@example.com")).status_code == 401
    assert (await browser.log_in(email="unknown@example.com")).status_code == 429
    assert (await browser.log_in(email="Unknown@Example.com ")).status_code == 429


async def test_guesses_at_once_count_each_other(app: FastAPI, browser: Browser) -> None:
    async with a_browser(app) as guesser:
        answers = await asyncio.gather(
            *(guesser.log_in(email="unknown@example.com") for _ in range(14))
        )
    assert sorted(answer.status_code for answer in answers) == [401] * 10 + [429] * 4


async def test_logins_that_succeed_do_not_count(
    browser: Browser, database: Database, outbox: Outbox
) -> None:
    await browser.open_account(outbox)
    for _ in range(3):
        assert (await browser.log_in()).status_code == 200
    async with database.system_session() as session:
        counts = list(
            await session.scalars(select(AttemptCount.attempts).order_by(AttemptCount.attempts))
        )
    assert counts == [0, 0, 1, 1]  # The sign-up, and its mail.


async def test_a_window_ends_and_the_next_one_starts_at_zero(database: Database) -> None:
    limit, now = Limit("probe", 2, 60), datetime.now(UTC)
    counter = [limit.of("somebody")]
    for _ in range(2):
        await count_attempt(database, counter, now)
    with pytest.raises(TooManyAttempts) as refused:
        await count_attempt(database, counter, now + timedelta(seconds=20.5))
    assert refused.value.headers == {"Retry-After": "40"}
    await count_attempt(database, counter, now + timedelta(seconds=60))
    await count_attempt(database, [limit.of("somebody else")], now)


async def test_an_address_over_its_limit_adds_no_rows(database: Database) -> None:
    now = datetime.now(UTC)
    network = LOGINS_PER_ADDRESS.of("198.51.100.7")
    for _ in range(LOGINS_PER_ADDRESS.attempts):
        await count_attempt(database, [network], now)
    for number in range(5):
        with pytest.raises(TooManyAttempts):
            await count_attempt(
                database, [network, LOGINS_PER_ACCOUNT.of(f"{number}@example.com")], now
            )
    async with database.system_session() as session:
        assert await session.scalar(select(func.count()).select_from(AttemptCount)) == 1


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("not an address", "unknown"),
        (None, "unknown"),
    ],
)
def test_a_customer_of_the_internet_is_one_network(address: str | None, network: str) -> None:
    assert network_of(address) == network


async def test_a_new_device_is_told_about_once(
    browser: Browser, other_browser: Browser, database: Database, outbox: Outbox
) -> None:
    await browser.open_account(outbox)
    assert (await browser.log_in()).json()["new_device"] is False
    before = len(outbox())

    assert (await other_browser.log_in()).json()["new_device"] is True
    assert (await other_browser.log_in()).json()["new_device"] is False

    [mail] = outbox()[before:]
    assert mail["To"] == "mia@example.com"
    assert "203.0.113.9" in mail.get_content()
    async with database.system_session() as session:
        [event] = await session.scalars(
            select(OutboxEvent).where(OutboxEvent.event == "system.login_new_device")
        )
    assert event.data["metadata"]["address"] == "203.0.113.9"
    assert event.data["metadata"]["user_agent"] == "Browser/1.0"


async def test_a_device_is_known_to_the_person_who_used_it(
    browser: Browser, other_browser: Browser
) -> None:
    await browser.sign_up()
    await other_browser.sign_up(email="noah@example.com")
    assert (await browser.log_in(email="noah@example.com")).json()["new_device"] is True


async def test_logins_and_logouts_are_audited_with_where_from(
    browser: Browser, other_browser: Browser, database: Database
) -> None:
    await browser.sign_up()
    await other_browser.log_in()
    await other_browser.log_in(password="wrong password")
    assert (await other_browser.post("/v1/auth/logout")).json() == {"status": "logged_out"}

    async with database.system_session() as session:
        entries = (await session.scalars(select(AuditEntry).order_by(AuditEntry.id))).all()
    found = [(entry.action, entry.address, entry.user_agent) for entry in entries]
    assert found[-2:] == [
        ("user.logged_in", "203.0.113.9", "Browser/1.0"),
        ("user.logged_out", "203.0.113.9", "Browser/1.0"),
    ]
    assert {entry.actor_label for entry in entries[-2:]} == {"mia@example.com"}


async def test_a_logout_ends_the_session_and_takes_the_cookie(browser: Browser) -> None:
    await browser.sign_up()
    stolen = browser.http.cookies["switchboard_session"]
    await browser.post("/v1/auth/logout")

    assert "switchboard_session" not in browser.http.cookies
    assert "switchboard_device" in browser.http.cookies
    replayed = await browser.http.get("/v1/me", headers={"Cookie": f"switchboard_session={stolen}"})
    assert replayed.status_code == 401
    assert (await browser.post("/v1/auth/logout")).status_code == 401


async def test_a_key_cannot_log_out(tenant: TenantClient) -> None:
    answer = await tenant.post("/v1/auth/logout")
    assert (answer.status_code, answer.json()["code"]) == (403, "session_required")


async def test_a_login_ends_the_browsers_former_session(
    browser: Browser, database: Database
) -> None:
    await browser.sign_up()
    await browser.log_in()
    async with database.system_session() as session:
        assert await session.scalar(select(func.count()).select_from(DashboardSession)) == 1


async def test_one_logs_in_to_the_tenant_one_names(browser: Browser, tenant: TenantClient) -> None:
    first = (await browser.sign_up()).json()["tenant"]["id"]
    second = (await browser.sign_up(tenant_name="Second")).json()["tenant"]["id"]

    assert (await browser.log_in()).json()["tenant"]["id"] == first
    assert (await browser.log_in(tenant_id=second)).json()["tenant"]["id"] == second
    for foreign in (str(tenant.tenant_id), str(uuid4())):
        answer = await browser.log_in(tenant_id=foreign)
        assert (answer.status_code, answer.json()["code"]) == (403, "no_membership")


async def test_a_login_while_the_membership_ends_is_one_without_it(
    browser: Browser, other_browser: Browser, database: Database
) -> None:
    me = (await browser.sign_up()).json()
    async with database.system_session() as session:
        await members.remove(session, UUID(me["tenant"]["id"]), UUID(me["user"]["id"]))
        login = asyncio.create_task(other_browser.log_in())
        await until_somebody_waits(database)
    answer = await login
    assert (answer.status_code, answer.json()["code"]) == (403, "no_membership")


@pytest.mark.usefixtures("products_hash")
async def test_an_out_of_date_hash_is_renewed_at_login(
    browser: Browser, database: Database
) -> None:
    await browser.sign_up()
    cheap = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8192, parallelism=1),))
    async with database.system_session() as session:
        await session.execute(update(User).values(password_hash=cheap.hash(PASSWORD)))

    assert (await browser.log_in()).status_code == 200

    async with database.system_session() as session:
        stored = (await session.scalars(select(User.password_hash))).one()
    assert stored is not None
    assert "m=65536,t=3,p=4" in stored
    assert (await browser.log_in()).status_code == 200


async def test_a_person_has_so_many_sessions_and_no_more(
    browser: Browser, database: Database
) -> None:
    made = (await browser.sign_up()).json()
    async with database.system_session() as session:
        now = datetime.now(UTC)
        for number in range(MOST_SESSIONS + 5):
            session.add(
                DashboardSession(
                    token_hash=bytes([number]),
                    tenant_id=made["tenant"]["id"],
                    user_id=made["user"]["id"],
                    created_at=now,
                    last_used_at=now - timedelta(minutes=number + 1),
                    expires_at=now + timedelta(days=1),
                )
            )
    await browser.log_in()
    listed = (await browser.get("/v1/me/sessions")).json()["sessions"]
    assert len(listed) == MOST_SESSIONS
    assert listed[0]["is_current"] is True


async def test_what_expired_is_forgotten(browser: Browser, database: Database) -> None:
    await browser.sign_up()
    await browser.post("/v1/auth/password-reset", {"email": "mia@example.com"})
    tables = (DashboardSession, PasswordReset, AttemptCount)

    async def rows() -> list[int | None]:
        async with database.system_session() as session:
            return [
                await session.scalar(select(func.count()).select_from(table)) for table in tables
            ]

    now = datetime.now(UTC)
    async with database.system_session() as session:
        await delete_expired(session, now, most=10)
    assert await rows() == [1, 1, 4]
    async with database.system_session() as session:
        await delete_expired(session, now + timedelta(days=15), most=10)
    assert await rows() == [0, 0, 0]


async def test_many_attempts_are_forgotten_in_several_transactions(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers make them. A transaction that takes too long is undone, and the table would grow
    for good."""
    now = datetime.now(UTC)
    for subject in ("one", "two", "three"):
        await count_attempt(database, [Limit("test", 1, 60).of(subject)], now - timedelta(hours=1))
    deleted: list[int] = []

    async def noted(session: AsyncSession, now: datetime, *, most: int) -> int:
        deleted.append(await delete_expired(session, now, most=most))
        return deleted[-1]

    monkeypatch.setattr(tasks, "delete_expired", noted)
    monkeypatch.setattr(batched_deletion, "DELETED_TOGETHER", 2)
    context: Any = SimpleNamespace(additional_context=job_resources(database))
    await tasks.forget_what_expired(context, timestamp=0)
    assert deleted == [2, 1]
