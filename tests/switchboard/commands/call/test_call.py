"""What ``switchboard call`` does when there is nobody to call, and when it is stopped early."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from switchboard.caller import prepared_speech
from switchboard.commands.call.call import CallOptions, run_call
from tests.switchboard.commands.stand_in_api import StandInApi


def options(data_dir: Path, **changes: str) -> CallOptions:
    return CallOptions(
        agent_id="agent-1",
        say=("Hello.",),
        microphone=False,
        api_url=changes.get("api_url"),
        api_key=changes.get("api_key"),
        data_dir=data_dir,
    )


def test_without_a_running_switchboard_it_names_the_commands_that_start_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_call(options(tmp_path)) == 1
    said = capsys.readouterr().out
    assert "switchboard up" in said
    assert "make demo" in said


def test_without_a_key_it_says_where_to_give_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_call(options(tmp_path, api_url="http://127.0.0.1:9")) == 1
    assert "SWITCHBOARD_API_KEY" in capsys.readouterr().out


def test_an_address_at_which_nobody_answers_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_call(options(tmp_path, api_url="http://127.0.0.1:9", api_key="key")) == 1
    assert "http://127.0.0.1:9" in capsys.readouterr().out


def test_ctrl_c_while_the_models_load_places_no_call(
    tmp_path: Path, api: StandInApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(_lines: object) -> None:
        signal.raise_signal(signal.SIGINT)
        for _ in range(3):  # Until the event loop has seen the signal.
            await asyncio.sleep(0)

    monkeypatch.setattr(prepared_speech, "prepare_speech", interrupted)
    assert run_call(options(tmp_path, api_url=api.url, api_key="key")) == 130
    assert api.asked == []


def test_the_key_never_shows_in_the_options_own_text(tmp_path: Path) -> None:
    assert "sesame" not in repr(options(tmp_path, api_key="sesame"))
