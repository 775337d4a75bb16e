"""What keeps a single process from starting."""

from __future__ import annotations

import pytest
import typer

from switchboard.commands.processes import refuse_old_redis
from switchboard.settings import Settings
from tests.stand_ins.old_redis import old_redis


def test_a_process_says_which_redis_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    with old_redis("6.0.16") as url, pytest.raises(typer.Exit) as refused:
        refuse_old_redis(Settings(redis_url=url))
    assert refused.value.exit_code == 1
    assert capsys.readouterr().err == (
        "Not started: Redis 6.0.16 is too old; Redis 6.2 or newer, or Valkey, is needed.\n"
    )


def test_a_process_waits_for_a_redis_that_is_away() -> None:
    settings = Settings(redis_url="redis://127.0.0.1:1")
    assert refuse_old_redis(settings) is settings
