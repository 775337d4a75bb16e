"""A tenant connects a carrier, registers a number and sets its limits in the console."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from playwright.async_api import expect

from carriers.api import CarrierProblem, ProblemKind
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.carriers_apart import BRIDGE_URL, TWILIO, FakeAccess
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.linked import settings as linked_settings

__all__ = ["linked_settings"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

NUMBER = "+14155550100"


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return linked_settings.model_copy(update={"bridge_public_url": BRIDGE_URL})


async def test_from_a_carrier_to_a_number_that_an_agent_answers(
    app: FastAPI, person: Visitor, tenant: TenantClient, database: Database
) -> None:
    access = FakeAccess(app.state.carrier_access)
    app.state.carrier_access = access
    access.twilio.numbers.add(NUMBER)
    access.twilio.verify_problem = CarrierProblem(
        ProblemKind.WRONG_CREDENTIALS, "Twilio does not accept the auth token."
    )
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens("/console/phones")
    await person.presses("Connect a carrier")
    await person.fills("Account SID", "wrong")
    await person.fills("Auth token", TWILIO["auth_token"])
    await person.presses("Connect")
    await expect(person.page.get_by_text("Some fields are not right yet.")).to_be_visible()
    await person.fills("Account SID", TWILIO["account_sid"])
    await person.presses("Connect")
    account = person.page.locator("tbody tr").filter(has_text=TWILIO["account_sid"])
    await expect(account).to_contain_text("Twilio does not accept the auth token.")
    access.twilio.verify_problem = None
    await account.get_by_role("button", name="Verify").click()
    await expect(account).to_contain_text("Verified")

    await person.presses("Register a number")
    await person.fills("Number", NUMBER)
    await person.presses("Register")
    row = person.page.locator("tbody tr").filter(has_text=NUMBER)
    await expect(row).to_contain_text("In your account")
    await row.get_by_role("button", name="Set up").click()
    await expect(row).to_contain_text("Configured")
    assert access.twilio.bound[NUMBER].startswith(f"{BRIDGE_URL}/carriers/twilio/")

    await person.fills("Countries that may be called", "de, us")
    await person.presses("Save the limits")
    await expect(person.page.get_by_text("Your agents may call: DE, US.")).to_be_visible()
    assert await person.sees_all_of_its_width()
    assert person.foreign_requests == []
