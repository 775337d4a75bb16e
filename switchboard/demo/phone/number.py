"""Our number at the demo's carrier: connected, priced and answered by the demo's agent, all through
the public API."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from switchboard.caller.job import PhoneLine
from switchboard.demo.account import DemoAccount
from switchboard.demo.phone.carrier import HOST, NUMBER, PERSON, DemoCarrier
from switchboard.problems import Problem
from switchboard.services.ports import free_port
from switchboard.settings import Settings
from switchboard_client import AsyncSwitchboard

USD_PER_MINUTE = 0.0085
"""Of an inbound minute: what the operator asks for it."""


@contextmanager
def carriers_are_here(settings: Settings, carrier: DemoCarrier) -> Iterator[Settings]:
    """The settings of a Switchboard whose phones are at ``carrier``, also for the processes that
    are started in the block."""
    port = free_port()
    wanted = {
        "SWITCHBOARD_BRIDGE_PUBLIC_URL": f"http://{HOST}:{port}",
        "SWITCHBOARD_BRIDGE_PORT": str(port),
        "SWITCHBOARD_TWILIO_BASE_URL": carrier.base_url,
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield settings.model_copy(
            update={
                "bridge_public_url": wanted["SWITCHBOARD_BRIDGE_PUBLIC_URL"],
                "bridge_port": port,
                "twilio_base_url": carrier.base_url,
            }
        )
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@asynccontextmanager
async def our_number(
    api_url: str, operator_token: str, account: DemoAccount, carrier: DemoCarrier
) -> AsyncIterator[PhoneLine]:
    """The line to call, for the length of the block.

    Raises:
        Problem: this installation has an account at Twilio of its own, or the number was not set
            up.
    """
    async with AsyncSwitchboard(api_url, operator_token) as operator:
        present = await operator.request("GET", "/v1/operator/carriers")
        if any(each["provider"] == "twilio" for each in present["carriers"]):
            raise Problem(
                "This installation has an account at Twilio already, which the demo would replace.",
                "Run the demo with another --data-dir, or delete the account: "
                "DELETE /v1/operator/carriers/twilio.",
            )
        credentials = {"account_sid": carrier.account_sid, "auth_token": carrier.auth_token}
        await operator.request(
            "PUT",
            "/v1/operator/carriers/twilio",
            body={"credentials": credentials},
        )
        try:
            await _set_up(operator, api_url, account)
            if not carrier.voice_url:
                raise Problem("The demo's carrier was not told where our number leads.")
            yield PhoneLine(
                **credentials,
                voice_url=carrier.voice_url,
                status_url=carrier.status_url,
                from_number=PERSON,
                to_number=NUMBER,
            )
        finally:
            await operator.request("DELETE", "/v1/operator/carriers/twilio")


async def _set_up(operator: AsyncSwitchboard, api_url: str, account: DemoAccount) -> None:
    price = {"provider": "twilio", "direction": "inbound", "prefix": "+1"}
    await operator.request(
        "POST", "/v1/operator/telecom-prices", body={**price, "usd_per_minute": USD_PER_MINUTE}
    )
    await operator.request(
        "POST",
        f"/v1/operator/tenants/{account.tenant_id}/numbers",
        body={"number": NUMBER, "carrier": "twilio"},
    )
    async with AsyncSwitchboard(api_url, account.secret_key) as api:
        attached = await api.request(
            "POST",
            f"/v1/numbers/%2B{NUMBER.removeprefix('+')}/attach",
            body={"agent_id": account.agent_id},
        )
    webhook = attached["webhook"]
    if webhook["status"] != "configured":
        raise Problem(f"The number was not set up: {webhook['error'] or webhook['status']}.")
