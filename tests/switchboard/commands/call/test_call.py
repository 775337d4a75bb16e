"""What ``switchboard call`` says when there is nobody to call."""

from __future__ import annotations

from pathlib import Path

import pytest

from switchboard.commands.call.call import CallOptions, run_call


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


def test_the_key_never_shows_in_the_options_own_text(tmp_path: Path) -> None:
    assert "sesame" not in repr(options(tmp_path, api_key="sesame"))
