from __future__ import annotations

import asyncio
import gc
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.services.ports import LOOPBACK, free_port
from switchboard_client import ServerUnreachable
from switchboard_client.webrtc import leg as leg_module
from switchboard_client.webrtc.leg import CallLeg
from tests.stand_ins.silence import Silence


async def test_a_leg_that_never_connected_leaves_no_unretrieved_failure_behind() -> None:
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    leg = CallLeg(Silence())
    with pytest.raises(ServerUnreachable):
        await leg.connect(f"http://{LOOPBACK}:{free_port()}/", "token")
    await leg.leave()
    del leg
    gc.collect()
    await asyncio.sleep(0)
    assert faults == []


async def test_leaving_closes_the_connection_even_if_it_is_cancelled() -> None:
    class Whip:
        async def leave(self) -> None:
            await asyncio.Event().wait()

    class Connection:
        is_closed = False

        async def close(self) -> None:
            await asyncio.sleep(0)
            self.is_closed = True

    connection, whip = Connection(), Whip()
    leg = CallLeg(Silence())
    vars(leg).update(_whip=whip, _connection=connection)
    leaving = asyncio.create_task(leg.leave())
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.wait([leaving])
    assert leaving.cancelled()
    assert connection.is_closed


async def test_a_lost_leg_offers_again_until_twenty_seconds_after_the_last_packet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, offered_at = 104.0, list[float]()

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    class Unreachable:
        async def open(self, *_: object) -> float:
            offered_at.append(now)
            raise ServerUnreachable("server", "away")

        async def close(self) -> None: ...

    leg, lost, nobody = CallLeg(Silence()), SimpleNamespace(heard_at=100.0), None
    monkeypatch.setattr(leg, "_new_connection", Unreachable)
    monkeypatch.setattr(leg_module, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(leg_module, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": sleep}))
    reconnect: Any = leg._reconnect
    assert await reconnect(nobody, lost) is False
    assert offered_at[0] == 104
    assert 118 <= offered_at[-1] < 120
