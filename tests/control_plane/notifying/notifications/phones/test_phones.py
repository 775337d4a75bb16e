"""Notifications by SMS, to numbers that members gave and confirmed."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from fastapi import FastAPI
from sqlalchemy import text

from control_plane.identity.accounts.login import attempts
from control_plane.identity.accounts.login.used_up import UsedUpCounters
from control_plane.notifying.notifications.preferences import Channel
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import DashboardClient, dashboard_client
from tests.control_plane.notifying.notifications.facts import tell
from tests.stand_ins.sms_gateway import SmsGateway

PHONE = "/v1/notifications/phone"
NUMBER = "+14155550100"
WITH_SMS: tuple[Channel, ...] = ("in_app", "sms")
RunJobs = Callable[[ControlPlaneSettings], Awaitable[None]]


@pytest.fixture
async def gateway() -> AsyncIterator[SmsGateway]:
    with SmsGateway.serving() as gateway:
        yield gateway


@pytest.fixture
def settings(settings: ControlPlaneSettings, gateway: SmsGateway) -> ControlPlaneSettings:
    return settings.model_copy(update={"sms_url": gateway.apprise_url})


@pytest.fixture
async def owner(tenant: TenantClient, database: Database) -> DashboardClient:
    return await dashboard_client(tenant, database, "owner")


async def put(person: DashboardClient, path: str, **body: object) -> tuple[int, dict[str, object]]:
    answer = await person.request("PUT", path, json=body)
    return answer.status_code, answer.json()


async def code_sent_to(person: DashboardClient, gateway: SmsGateway) -> str:
    status, answer = await put(person, PHONE, number="+1 (415) 555-0100")
    assert (status, answer) == (200, {"number": NUMBER, "code_sent": True})
    [(number, words)] = gateway.sent[-1:]
    assert number.endswith("14155550100")
    [code] = re.findall(r"\b\d{6}\b", words)
    return str(code)


async def confirm_number(person: DashboardClient, gateway: SmsGateway) -> None:
    code = await code_sent_to(person, gateway)
    assert (await put(person, f"{PHONE}/confirmation", code=code))[0] == 200
    gateway.sent.clear()


async def ask_for_sms(person: DashboardClient, category: str = "agent.failed") -> None:
    status, _ = await put(
        person,
        "/v1/notifications/preferences/me",
        event_category=category,
        sms_enabled=True,
    )
    assert status == 200


async def test_a_number_counts_once_its_owner_has_sent_the_code_back(
    owner: DashboardClient, gateway: SmsGateway
) -> None:
    assert (await owner.get(PHONE)).json() == {"number": None, "confirmed": False}
    code = await code_sent_to(owner, gateway)
    assert (await owner.get(PHONE)).json() == {"number": NUMBER, "confirmed": False}
    wrong = "000000" if code != "000000" else "111111"
    status, problem = await put(owner, f"{PHONE}/confirmation", code=wrong)
    assert status == 400
    assert "is not the last code" in str(problem)
    assert await put(owner, f"{PHONE}/confirmation", code=code) == (
        200,
        {"number": NUMBER, "confirmed": True},
    )
    assert (await put(owner, f"{PHONE}/confirmation", code=code))[0] == 400, "it works once"
    assert (await owner.delete(PHONE)).json() == {"success": True}
    assert (await owner.get(PHONE)).json() == {"number": None, "confirmed": False}


async def test_a_code_is_forgotten_after_a_quarter_of_an_hour(
    owner: DashboardClient, gateway: SmsGateway, database: Database
) -> None:
    code = await code_sent_to(owner, gateway)
    async with database.system_session() as session:
        await session.execute(text("UPDATE notification_phones SET code_expires_at = now()"))
    assert (await put(owner, f"{PHONE}/confirmation", code=code))[0] == 400


async def test_neither_codes_nor_guesses_are_without_limit(
    owner: DashboardClient, gateway: SmsGateway
) -> None:
    for _ in range(5):
        await code_sent_to(owner, gateway)
    assert (await put(owner, PHONE, number=NUMBER))[0] == 429
    assert len(gateway.sent) == 5
    guesses = [(await put(owner, f"{PHONE}/confirmation", code="000000"))[0] for _ in range(11)]
    assert guesses[-1] == 429


async def test_what_is_refused_to_one_member_leaves_the_others_their_codes(
    owner: DashboardClient,
    tenant: TenantClient,
    database: Database,
    gateway: SmsGateway,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = []
    for _ in range(20):
        # As another process, which has not refused it a moment ago.
        monkeypatch.setattr(attempts, "_used_up", UsedUpCounters())
        answers.append((await put(owner, PHONE, number=NUMBER))[0])
    assert answers == [200] * 5 + [429] * 15
    await code_sent_to(await dashboard_client(tenant, database, "member"), gateway)


async def test_who_confirmed_a_number_and_asked_for_sms_gets_one(
    tenant: TenantClient,
    owner: DashboardClient,
    gateway: SmsGateway,
    database: Database,
    settings: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    await code_sent_to(owner, gateway)
    await ask_for_sms(owner)
    gateway.sent.clear()
    await tell(database, tenant.tenant_id, "agent.failed", enabled=WITH_SMS)
    await run_jobs(settings)
    assert gateway.sent == [], "the number is not confirmed"
    await confirm_number(owner, gateway)
    await tell(database, tenant.tenant_id, "agent.failed", title="Mia failed", enabled=WITH_SMS)
    await tell(database, tenant.tenant_id, "agent.published", enabled=WITH_SMS)
    await run_jobs(settings)
    [(number, words)] = gateway.sent
    assert number.endswith("14155550100")
    assert words == "Mia failed: Mia failed."
    page = await tenant.get("/v1/notifications/deliveries?channel=sms")
    [row] = page.json()["data"]
    assert (row["status"], row["attempt_count"], row["last_error"]) == ("sent", 1, None)


async def test_a_capped_category_is_sent_once_in_24_hours(
    tenant: TenantClient,
    owner: DashboardClient,
    gateway: SmsGateway,
    database: Database,
    settings: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    await confirm_number(owner, gateway)
    await ask_for_sms(owner)
    for _ in range(2):
        await tell(database, tenant.tenant_id, "agent.failed", enabled=WITH_SMS)
    await run_jobs(settings)
    assert len(gateway.sent) == 1


async def test_a_refused_sms_is_tried_again_and_given_up_in_the_end(
    tenant: TenantClient,
    owner: DashboardClient,
    gateway: SmsGateway,
    database: Database,
    settings: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    await confirm_number(owner, gateway)
    await ask_for_sms(owner)
    gateway.status = 500
    await tell(database, tenant.tenant_id, "agent.failed", enabled=WITH_SMS)
    seen = []
    for _ in range(4):
        await run_jobs(settings)
        [row] = (await tenant.get("/v1/notifications/deliveries?channel=sms")).json()["data"]
        seen.append((row["status"], row["attempt_count"]))
    assert seen == [("queued", 1), ("queued", 2), ("queued", 3), ("failed", 4)]
    assert "did not accept" in row["last_error"]


async def test_without_a_service_a_number_is_refused_in_words(
    app: FastAPI, owner: DashboardClient, settings: ControlPlaneSettings
) -> None:
    app.state.settings = settings.model_copy(update={"sms_url": None})
    status, problem = await put(owner, PHONE, number=NUMBER)
    assert (status, problem["code"]) == (409, "sms_not_configured")
    assert (await owner.get("/v1/notifications/status")).json()["channels"]["sms"] is False


@pytest.mark.parametrize("number", ["555-0100", "", "+1", 14155550100])
async def test_a_number_that_is_none_is_400(owner: DashboardClient, number: object) -> None:
    assert (await put(owner, PHONE, number=number))[0] == 400
