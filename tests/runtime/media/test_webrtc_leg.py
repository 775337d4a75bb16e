from __future__ import annotations

import asyncio

import pytest

from runtime.call import closing
from runtime.media import webrtc_leg
from runtime.media.local_room import LocalRoom
from runtime.media.network.media_network import MediaNetwork
from tests.runtime.media.free_ports import free_ports
from tests.runtime.media.test_local_room import joined, local_ice_addresses, until


async def test_a_leg_that_does_not_close_gives_its_ports_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webrtc_leg, "CLOSE_TIMEOUT_SECONDS", 0.05)
    ports = free_ports(1)
    room = LocalRoom("test", MediaNetwork(ports=ports))
    async with joined(room):
        (leg,) = room._legs.values()
        close = leg._peer.close
        monkeypatch.setattr(leg._peer, "close", asyncio.Event().wait)
        await room.aclose()
        for address in local_ice_addresses():
            ports.bind(address).close()
        await until(lambda: leg._peer.connectionState == "failed")
        await close()


def test_a_leg_is_closed_before_its_call_waits_no_longer() -> None:
    leg_seconds = webrtc_leg.CLOSE_TIMEOUT_SECONDS + webrtc_leg.ICE_CLOSE_TIMEOUT_SECONDS
    assert closing.CALL_OVER_SECONDS + leg_seconds < closing.CLOSE_SECONDS
