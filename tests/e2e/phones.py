"""A Switchboard in real processes whose phones are at stand-in carriers on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from switchboard.services.ports import free_port
from switchboard_client.models import CallDetail
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.stand_ins.carriers.carrier import BoundNumber, StandInCarrier
from tests.stand_ins.carriers.twilio import TwilioWire

OUR_NUMBER, PERSON = "+14155550100", "+14155550142"
ACCOUNT_SID, AUTH_TOKEN = "AC" + "0" * 32, "f" * 32
PATIENCE_SECONDS = 60.0


@dataclass
class PhoneSystem:
    switchboard: LiveSwitchboard
    carrier_port: int
    _is_connected: bool = field(default=False, init=False)

    @asynccontextmanager
    async def twilio(self) -> AsyncIterator[StandInCarrier]:
        """The carrier, with our number bound to the account's agent through the public API."""
        carrier = StandInCarrier(TwilioWire(ACCOUNT_SID, AUTH_TOKEN))
        carrier.numbers[OUR_NUMBER] = BoundNumber()
        async with carrier.serving(self.carrier_port):
            await self._connect()
            assert carrier.numbers[OUR_NUMBER].voice_url
            yield carrier

    async def _connect(self) -> None:
        agent_id = self.switchboard.account.agent_id
        async with self.switchboard.api() as api:
            if not self._is_connected:
                credentials = {"account_sid": ACCOUNT_SID, "auth_token": AUTH_TOKEN}
                body = {"provider": "twilio", "credentials": credentials}
                await api.request("POST", "/v1/carriers", body=body)
                self._is_connected = True
            attached = await api.request(
                "POST", "/v1/numbers", body={"number": OUR_NUMBER, "agent_id": agent_id}
            )
        assert attached["webhook"]["status"] == "configured", attached
        assert attached["webhook"]["verified"], attached

    async def call_out(self, to_number: str = PERSON) -> str:
        """Have the agent call somebody. Returns the call's id."""
        async with self.switchboard.api() as api:
            created = await api.calls.create(
                self.switchboard.account.agent_id,
                [{"transport": "pstn", "identity": to_number}],
            )
        return str(created.id)

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


@contextmanager
def phone_system() -> Iterator[PhoneSystem]:
    carrier_port, bridge_port = free_port(), free_port()
    with running_switchboard(
        SWITCHBOARD_BRIDGE_PUBLIC_URL=f"http://127.0.0.1:{bridge_port}",
        SWITCHBOARD_BRIDGE_PORT=str(bridge_port),
        SWITCHBOARD_TWILIO_BASE_URL=f"http://127.0.0.1:{carrier_port}",
        SWITCHBOARD_WORKER_PROCESSES="1",
    ) as switchboard:
        yield PhoneSystem(switchboard, carrier_port)
