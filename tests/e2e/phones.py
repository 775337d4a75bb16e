"""A Switchboard in real processes whose phones are at stand-in carriers on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from carriers.account import CarrierName, revealed
from switchboard.demo.account import agent_body
from switchboard.services.ports import free_port
from switchboard_client import AsyncSwitchboard
from switchboard_client.models import CallDetail
from tests.carriers.accounts import TELNYX_KEY, account_at
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.stand_ins.carriers.account_of import carrier_for
from tests.stand_ins.carriers.carrier import BoundNumber, StandInCarrier
from tests.stand_ins.carriers.wire import CarrierWire

OUR_NUMBERS = {
    CarrierName.TWILIO: "+14155550100",
    CarrierName.TELNYX: "+14155550101",
    CarrierName.PLIVO: "+14155550102",
    CarrierName.VONAGE: "+14155550103",
}
INSTALLATION_NUMBER = "+14155550109"
PERSON = "+14155550142"
PATIENCE_SECONDS = 60.0
TWILIO = CarrierName.TWILIO


@dataclass
class PhoneSystem:
    switchboard: LiveSwitchboard
    ports: Mapping[CarrierName, int]
    """Where each carrier's API is expected."""
    agent_id: str
    _connected: set[CarrierName] = field(default_factory=set, init=False)
    _wires: dict[CarrierName, CarrierWire] = field(default_factory=dict, init=False)

    @asynccontextmanager
    async def carrier(self, name: CarrierName) -> AsyncIterator[StandInCarrier]:
        """The carrier, with our number there bound to the agent through the public API."""
        if name not in self._wires:
            self._wires[name] = carrier_for(account_at(name), telnyx_key=TELNYX_KEY).wire
        # A carrier never gives the id of a call again.
        carrier = StandInCarrier(self._wires[name])
        number = OUR_NUMBERS[name]
        carrier.numbers[number] = BoundNumber()
        async with carrier.serving(self.ports[name]):
            await self._connect(name)
            yield carrier

    async def _connect(self, name: CarrierName) -> None:
        async with self.switchboard.api() as api:
            if name not in self._connected:
                credentials = revealed(account_at(name))
                del credentials["provider"]
                body = {"provider": name.value, "credentials": credentials}
                await api.request("POST", "/v1/carriers", body=body)
                self._connected.add(name)
            attached = await api.request(
                "POST",
                "/v1/numbers",
                body={"number": OUR_NUMBERS[name], "agent_id": self.agent_id},
            )
        assert attached["webhook"]["status"] == "configured", attached
        assert attached["webhook"]["verified"], attached

    @asynccontextmanager
    async def installation_carrier(self, usd_per_minute: float) -> AsyncIterator[StandInCarrier]:
        """Twilio, where the installation has an account, and our tenant a number of it."""
        carrier = StandInCarrier(carrier_for(account_at(TWILIO), telnyx_key=TELNYX_KEY).wire)
        carrier.numbers[INSTALLATION_NUMBER] = BoundNumber()
        credentials = revealed(account_at(TWILIO))
        del credentials["provider"]
        at, tenant_id = self.switchboard, self.switchboard.account.tenant_id
        price = {"provider": TWILIO.value, "direction": "outbound", "prefix": "+"}
        requests: list[tuple[str, str, dict[str, Any]]] = [
            ("PUT", f"carriers/{TWILIO.value}", {"credentials": credentials}),
            (
                "POST",
                f"tenants/{tenant_id}/numbers",
                {"number": INSTALLATION_NUMBER, "carrier": TWILIO.value},
            ),
            ("POST", "telecom-prices", price | {"usd_per_minute": usd_per_minute}),
        ]
        async with carrier.serving(self.ports[TWILIO]):
            async with AsyncSwitchboard(at.api_url, at.operator_token) as operator:
                for method, path, body in requests:
                    await operator.request(method, f"/v1/operator/{path}", body=body)
            yield carrier

    async def call_out(
        self,
        name: CarrierName,
        to_number: str = PERSON,
        agent_id: str | None = None,
        from_number: str | None = None,
    ) -> str:
        """Have an agent call somebody through a carrier. Returns the call's id."""
        async with self.switchboard.api() as api:
            created = await api.calls.create(
                agent_id or self.agent_id,
                [
                    {
                        "transport": "pstn",
                        "identity": to_number,
                        "from_number": from_number or OUR_NUMBERS[name],
                    }
                ],
            )
        return str(created.id)

    async def agent_with(self, **advanced: Any) -> str:
        """Another published agent of the account."""
        async with self.switchboard.api() as api:
            agent_id = (await api.agents.create(agent_body() | {"advanced": advanced})).id
            await api.agents.publish(agent_id)
        return str(agent_id)

    async def ended(self, call_id: Any = None) -> CallDetail:
        """The call, by default the newest, once it is over."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                async with self.switchboard.api() as api:
                    if call_id is None:
                        call_id = (await api.calls.page(limit=1)).calls[0].id
                    call = await api.calls.show(call_id)
                if call.ended_at is not None:
                    return call
                await asyncio.sleep(0.2)

    async def said_by(self, call: CallDetail, speaker: str) -> str:
        """All that one side said, in small letters."""
        async with self.switchboard.api() as api:
            transcript = await api.calls.transcript(call.id)
        words = (each.text for each in transcript.segments if each.speaker == speaker)
        return " ".join(words).lower()


@contextmanager
def phone_system(**environment: str) -> Iterator[PhoneSystem]:
    """With one media worker."""
    ports = {name: free_port() for name in CarrierName}
    bridge_port = free_port()
    base_urls = {
        f"SWITCHBOARD_{name.value.upper()}_BASE_URL": f"http://127.0.0.1:{port}"
        for name, port in ports.items()
    }
    with running_switchboard(
        SWITCHBOARD_BRIDGE_PUBLIC_URL=f"http://127.0.0.1:{bridge_port}",
        SWITCHBOARD_BRIDGE_PORT=str(bridge_port),
        SWITCHBOARD_WORKER_PROCESSES="1",
        **base_urls,
        **environment,
    ) as switchboard:
        yield PhoneSystem(switchboard, ports, switchboard.account.agent_id)
