from __future__ import annotations

import errno
import os
import socket

import pytest

from switchboard import listening
from switchboard.listening import NoPort, listen, user_of
from switchboard.services.ports import LOOPBACK, free_port


def test_a_free_port_is_taken_as_asked() -> None:
    port = free_port()
    with listen(LOOPBACK, port) as listener:
        assert listener.getsockname()[1] == port


def test_instead_of_a_port_in_use_another_one_is_taken() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        with listen(LOOPBACK, port) as listener:
            assert listener.getsockname()[1] != port


def test_a_port_that_this_user_may_not_have_is_refused_with_those_that_are_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> socket.socket:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(listening, "_bind", refuse)
    with pytest.raises(NoPort, match=r"may not listen on port 80 .*from 1024 on with --port"):
        listen(LOOPBACK, 80)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(NoPort):
        listen("192.0.2.200", free_port())


def test_the_user_of_a_port_is_named() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        assert f"process {os.getpid()}" in user_of(taken.getsockname()[1])


def test_an_unknown_user_of_a_port_is_called_another_program() -> None:
    assert user_of(free_port()) == "another program"
