from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from switchboard.state import (
    State,
    new_secrets,
    read_secrets,
    read_state,
    write_secrets,
    write_state,
)


def test_secrets_are_kept_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    secrets = new_secrets()
    write_secrets(tmp_path, secrets)
    assert read_secrets(tmp_path) == secrets
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600


def test_a_file_that_others_may_read_is_replaced_by_one_they_may_not(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text("{}")
    (tmp_path / "secrets.json").chmod(0o644)
    write_secrets(tmp_path, new_secrets())
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600


def test_no_two_installations_share_a_secret() -> None:
    one, other = new_secrets(), new_secrets()
    assert one.secret_key != other.secret_key
    assert one.operator_token != other.operator_token


def test_state_is_read_as_written(tmp_path: Path) -> None:
    state = State(
        api_url="http://127.0.0.1:8080",
        pids={"up": 1, "api": 2},
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        embedded=("valkey",),
    )
    write_state(tmp_path, state)
    assert read_state(tmp_path) == state


@pytest.mark.parametrize("content", ["", "{", '{"pids": 3}'])
def test_a_state_that_cannot_be_understood_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "state.json").write_text(content)
    assert read_state(tmp_path) is None
