"""Connecting an account and setting a number up, over each carrier's own wire."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI

from carriers.account import CarrierName, revealed
from carriers.settings import CarrierSettings
from control_plane.calling.carriers.access import CarrierAccess
from control_plane.platform.settings import ControlPlaneSettings
from tests.carriers.accounts import PLIVO, TELNYX, TELNYX_KEY, TWILIO, VONAGE
from tests.control_plane.carriers_apart import BRIDGE_URL
from tests.control_plane.conftest import TenantClient
from tests.stand_ins.carriers.carrier import BoundNumber, StandInCarrier
from tests.stand_ins.carriers.plivo import PlivoWire
from tests.stand_ins.carriers.telnyx import TelnyxWire
from tests.stand_ins.carriers.twilio import TwilioWire
from tests.stand_ins.carriers.vonage import VonageWire
from tests.stand_ins.carriers.wire import CarrierWire

NUMBER = "+14155550100"
ACCOUNTS = {
    CarrierName.TWILIO: TWILIO,
    CarrierName.TELNYX: TELNYX.model_copy(update={"connection_id": None}),
    CarrierName.PLIVO: PLIVO.model_copy(update={"application_id": None}),
    CarrierName.VONAGE: VONAGE,
}


def wire_of(name: CarrierName) -> CarrierWire:
    match name:
        case CarrierName.TWILIO:
            return TwilioWire(TWILIO.account_sid, TWILIO.auth_token.get_secret_value())
        case CarrierName.TELNYX:
            return TelnyxWire(TELNYX.api_key.get_secret_value(), TELNYX_KEY)
        case CarrierName.PLIVO:
            return PlivoWire(PLIVO.auth_id, PLIVO.auth_token.get_secret_value())
        case CarrierName.VONAGE:
            return VonageWire(
                VONAGE.api_key,
                VONAGE.api_secret.get_secret_value(),
                VONAGE.signature_secret.get_secret_value(),
            )


def given(name: CarrierName) -> dict[str, str]:
    """What somebody enters who connects the account."""
    credentials = revealed(ACCOUNTS[name])
    return {each: text for each, text in credentials.items() if each != "provider"}


@pytest.fixture(params=CarrierName, ids=lambda name: name.value)
def name(request: pytest.FixtureRequest) -> CarrierName:
    wanted: CarrierName = request.param
    return wanted


@pytest.fixture
async def carrier(
    name: CarrierName, app: FastAPI, settings: ControlPlaneSettings
) -> AsyncIterator[StandInCarrier]:
    carrier = StandInCarrier(wire_of(name))
    carrier.numbers[NUMBER] = BoundNumber()
    async with carrier.serving():
        carriers = CarrierSettings(base_urls={name: carrier.base_url})
        access = CarrierAccess(settings.model_copy(update={"carriers": carriers}))
        app.state.carrier_access = access
        yield carrier
        await access.aclose()


async def test_a_number_is_found_in_the_account_and_its_calls_come_to_us(
    name: CarrierName, carrier: StandInCarrier, tenant: TenantClient
) -> None:
    credentials = {
        each: text for each, text in revealed(ACCOUNTS[name]).items() if each != "provider"
    }
    made = await tenant.post("/v1/carriers", {"provider": name.value, "credentials": credentials})
    assert made.status_code == 201, made.text
    assert made.json()["ok"], made.text
    answer = await tenant.post(
        "/v1/numbers", {"number": NUMBER, "agent_id": str(await tenant.agent())}
    )
    assert answer.status_code == 201, answer.text
    url = f"{BRIDGE_URL}/carriers/{name.value}/{made.json()['carrier']['id']}/voice"
    assert answer.json()["webhook"] == {
        "status": "configured",
        "provider": name.value,
        "webhookUrl": url,
        "verified": True,
    }
    assert carrier.numbers[NUMBER].voice_url == url
    other = await tenant.post(
        "/v1/numbers", {"number": "+14155550199", "agent_id": str(await tenant.agent())}
    )
    assert (other.json()["webhook"]["status"], other.json()["webhook"]["verified"]) == (
        "failed",
        False,
    )


async def test_a_wrong_secret_is_told_in_words(
    name: CarrierName, carrier: StandInCarrier, tenant: TenantClient
) -> None:
    secret = {
        CarrierName.TWILIO: "auth_token",
        CarrierName.TELNYX: "api_key",
        CarrierName.PLIVO: "auth_token",
        CarrierName.VONAGE: "api_secret",
    }[name]
    credentials = {
        each: text for each, text in revealed(ACCOUNTS[name]).items() if each != "provider"
    }
    made = await tenant.post(
        "/v1/carriers",
        {"provider": name.value, "credentials": credentials | {secret: "not-the-secret"}},
    )
    assert made.status_code == 201, made.text
    said = made.json()
    assert (said["ok"], said["code"], said["carrier"]["status"]) == (
        False,
        "wrong_credentials",
        "failed",
    )
    assert "not-the-secret" not in made.text
