"""What the API's server is given."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI

from listeners.connection_room import ACCEPTED_AT_ONCE, RESERVED_FILES
from switchboard.processes import api_process
from switchboard.processes.api_process import api_server
from switchboard.settings import Settings


def test_its_connections_have_the_limits_that_we_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_process, "raise_open_files_limit", lambda: 1_000)
    config = api_server(FastAPI(), Settings(connections_at_once=2_000)).config
    protocol: Any = config.http
    assert protocol.times.head_seconds == 10
    assert config.timeout_keep_alive == 75
    assert protocol.room.most == 1_000 - RESERVED_FILES
    assert config.backlog == ACCEPTED_AT_ONCE
