"""A server without commands that we need is named before anything runs."""

from __future__ import annotations

import pytest

from link.server_version import ServerTooOld, check_version, server_version
from tests.stand_ins.old_redis import old_redis


@pytest.mark.parametrize(
    ("info", "shown"),
    [
        ({"redis_version": "6.2.0"}, "Redis 6.2.0"),
        ({"redis_version": "8.0.1"}, "Redis 8.0.1"),
        ({"redis_version": "7.2.4", "valkey_version": "9.0.0"}, "Valkey 9.0.0"),
        ({"redis_version": "255.255.255"}, "Redis 255.255.255"),
        ({}, "Redis of unknown version"),
    ],
)
def test_a_new_enough_server_is_shown(info: dict[str, str], shown: str) -> None:
    assert check_version(info) == shown


@pytest.mark.parametrize("version", ["6.0.16", "5.0.3", "6.1"])
def test_an_old_server_is_refused_with_what_is_needed(version: str) -> None:
    with pytest.raises(ServerTooOld, match=r"Redis 6\.2 or newer, or Valkey, is needed"):
        check_version({"redis_version": version})


def test_the_server_is_asked(valkey_url: str) -> None:
    assert (server_version(valkey_url) or "").startswith("Valkey ")
    with (
        old_redis("6.0.16") as url,
        pytest.raises(ServerTooOld, match=r"Redis 6\.0\.16 is too old"),
    ):
        server_version(url)


def test_a_server_that_is_away_is_not_judged() -> None:
    assert server_version("redis://127.0.0.1:1") is None
