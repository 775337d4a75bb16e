from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from switchboard.services.ports import LOOPBACK, free_port
from switchboard_client import ServerUnreachable
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
