from __future__ import annotations

import asyncio
import gc
from typing import Any

import numpy as np
import pytest

from switchboard.services.ports import LOOPBACK, free_port
from switchboard_client import ServerUnreachable
from switchboard_client.webrtc.frame import FRAME_SAMPLES, Samples
from switchboard_client.webrtc.leg import CallLeg


class Silence:
    def next_frame(self, sent_at: float) -> Samples:
        return np.zeros(FRAME_SAMPLES, np.int16)


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
