"""The demo's carrier is one that the adapter for Twilio takes for Twilio."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from carriers.account import CarrierName, TwilioCredentials
from carriers.api import CarrierProblem, ProblemKind, WebhookAddresses
from carriers.rest import carrier_client
from carriers.settings import CarrierSettings
from carriers.signed_request import CarrierRequest
from carriers.twilio.api import TwilioApi
from carriers.twilio.signature import TwilioSignatures
from switchboard.caller.phone_peer import signature
from switchboard.demo.phone.carrier import NUMBER, DemoCarrier, demo_carrier

WEBHOOKS = WebhookAddresses("http://ours.test/voice", "http://ours.test/status", "Demo")


@pytest.fixture
async def carrier() -> AsyncIterator[DemoCarrier]:
    async with demo_carrier() as carrier:
        yield carrier


def credentials(carrier: DemoCarrier, auth_token: str | None = None) -> TwilioCredentials:
    token = SecretStr(auth_token or carrier.auth_token)
    return TwilioCredentials(account_sid=carrier.account_sid, auth_token=token)


async def test_it_takes_our_webhooks_for_its_number_and_hangs_up(carrier: DemoCarrier) -> None:
    settings = CarrierSettings(base_urls={CarrierName.TWILIO: carrier.base_url})
    async with carrier_client() as client:
        api = TwilioApi(credentials(carrier), settings, client)
        await api.verify()
        await api.bind_number(NUMBER, WEBHOOKS)
        assert not await api.owns_number("+14155550199")
        await api.hang_up("CA1")
    assert (carrier.voice_url, carrier.status_url) == (WEBHOOKS.voice_url, WEBHOOKS.status_url)
    assert carrier.hung_up == {"CA1"}


async def test_it_refuses_another_accounts_token(carrier: DemoCarrier) -> None:
    settings = CarrierSettings(base_urls={CarrierName.TWILIO: carrier.base_url})
    async with carrier_client() as client:
        api = TwilioApi(credentials(carrier, "of-somebody-else"), settings, client)
        with pytest.raises(CarrierProblem) as refused:
            await api.verify()
    assert refused.value.kind is ProblemKind.WRONG_CREDENTIALS


def test_what_the_caller_signs_is_accepted() -> None:
    carrier = DemoCarrier()
    url = "http://127.0.0.1:8090/carriers/twilio/1/voice"
    signed = signature(carrier.auth_token, url, {"From": NUMBER, "CallSid": "CA1"})
    request = CarrierRequest(
        "POST", url, {"x-twilio-signature": signed}, b"CallSid=CA1&From=%2B14155550100"
    )
    TwilioSignatures(credentials(carrier)).check_webhook(request, 0.0)
