"""Which port an embedded server listens on."""

from __future__ import annotations

import pytest

from switchboard.services.ports import ServerPort


def test_each_attempt_takes_a_new_port_until_the_server_has_run() -> None:
    port = ServerPort(None)
    attempts = set()
    for _ in range(10):
        port.choose()
        attempts.add(port.number)
    assert len(attempts) > 1
    port.settle()
    settled = port.number
    port.choose()
    assert port.number == settled


def test_a_given_port_stays() -> None:
    port = ServerPort(5432)
    port.choose()
    assert port.number == 5432


def test_there_is_none_before_the_first_attempt() -> None:
    with pytest.raises(RuntimeError, match="not chosen"):
        _ = ServerPort(None).number
