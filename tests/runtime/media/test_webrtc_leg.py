from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from runtime.call import closing
from runtime.media import webrtc_leg
from runtime.media.local_room import LocalRoom
from runtime.media.network import aiortc_internals
from runtime.media.network.media_network import MediaNetwork
from tests.runtime.media.free_ports import free_ports
from tests.runtime.media.loopback_peer import send_late
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


async def test_a_leg_that_closes_late_leaves_no_task_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webrtc_leg, "CLOSE_TIMEOUT_SECONDS", 0.0)
    room = LocalRoom("test")
    async with joined(room):
        await room.aclose()
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


async def test_a_close_that_fails_late_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webrtc_leg, "CLOSE_TIMEOUT_SECONDS", 0.0)
    room = LocalRoom("test")
    async with joined(room):
        (leg,) = room._legs.values()
        close = leg._peer.close

        async def fails() -> None:
            await close()
            raise ConnectionError("gone")

        monkeypatch.setattr(leg._peer, "close", fails)
        with capture_logs() as logs:
            await room.aclose()
            await until(lambda: len(logs) == 2)
    assert [each["event"] for each in logs] == ["media.leg_not_closed", "media.leg_close_failed"]


def test_a_leg_is_closed_before_its_call_waits_no_longer() -> None:
    leg_seconds = webrtc_leg.CLOSE_TIMEOUT_SECONDS + webrtc_leg.ICE_CLOSE_TIMEOUT_SECONDS
    assert closing.CALL_OVER_SECONDS + leg_seconds < closing.CLOSE_SECONDS


@pytest.mark.parametrize("answers", [True, False])
async def test_a_peer_that_answers_consent_checks_late_keeps_its_connection(
    monkeypatch: pytest.MonkeyPatch, *, answers: bool
) -> None:
    monkeypatch.setattr(aiortc_internals, "CONSENT_CHECKED_EVERY_SECONDS", (0.05, 0.05))
    monkeypatch.setattr(aiortc_internals, "CONSENT_EXPIRES_SECONDS", 1.5)
    if not answers:
        # As long as aioice waits.
        monkeypatch.setattr(aiortc_internals, "CONSENT_RETRANSMISSIONS", 0)
    room = LocalRoom("test")
    async with joined(room) as peer:
        (leg,) = room._legs.values()
        send_late(peer.connection, 0.6)
        expired = asyncio.create_task(until(lambda: leg._peer.iceConnectionState == "closed"))
        done, _ = await asyncio.wait([expired], timeout=3.0)
        assert bool(done) is not answers
        assert (leg.state == "connected") is answers
        expired.cancel()
        await room.aclose()
