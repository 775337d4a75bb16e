from __future__ import annotations

import pytest

from switchboard.processes.settings_by_process import settings_of_worker
from switchboard.settings import Settings


@pytest.mark.parametrize(
    ("address", "of_the_third"),
    [
        ("ws://10.0.0.5:40123", "ws://10.0.0.5:40125"),
        ("wss://[fd12::5]:40123", "wss://[fd12::5]:40125"),
        ("ws://worker.internal", "ws://worker.internal"),
        ("ws://[fd12::5]", "ws://[fd12::5]"),
        (None, None),
    ],
)
def test_bridges_reach_each_worker_of_a_machine_at_a_port_of_its_own(
    address: str | None, of_the_third: str | None
) -> None:
    settings = Settings(worker_processes=3, phone_media_port=40_123, phone_media_address=address)
    assert settings_of_worker(settings, 1).phone_media_address == address
    third = settings_of_worker(settings, 3)
    assert (third.phone_media_port, third.phone_media_address) == (40_125, of_the_third)
