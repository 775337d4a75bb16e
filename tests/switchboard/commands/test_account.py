"""``switchboard account create``."""

from __future__ import annotations

import errno
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from switchboard.cli import app
from switchboard.commands import account_creation
from switchboard.own_account import read_own_account
from switchboard.state import Secrets, State, write_secrets, write_state
from tests.switchboard.commands.stand_in_api import Asked, StandInApi

OPENED = {
    "tenant_id": "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f",
    "owner_user_id": "c1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f",
    "api_key": "sb_secret_new",
}
BALANCE = {
    "tenant_id": OPENED["tenant_id"],
    "balance_seconds": 24000,
    "balance_usd": 10.0,
    "balance_cents": 1000,
    "balance_credits": 10.0,
    "purchased_credits": 0.0,
    "free_credits": 10.0,
    "plan_credits": 0.0,
    "active_bucket": "included",
    "held_usd": 0.0,
    "available_usd": 10.0,
    "estimated_minutes_remaining": 400.0,
    "topup_minutes_remaining": 0.0,
    "is_active": True,
    "tone": "ok",
    "tenant_state": "no_agents",
    "recent_daily_spend_usd": None,
    "runway_days_estimate": None,
}


@pytest.fixture
def data_dir(tmp_path: Path, api: StandInApi) -> Path:
    """Of an installation whose API is the stand-in."""
    write_state(
        tmp_path, State(api_url=api.url, pids={}, started_at=datetime.now(UTC), embedded=())
    )
    write_secrets(tmp_path, Secrets(secret_key="k" * 40, operator_token="sb_op_1"))
    api.will("POST", "/v1/operator/tenants", 201, OPENED)
    api.will("GET", "/v1/billing/balance", 200, BALANCE)
    return tmp_path


def create(data_dir: Path, *words: str) -> Result:
    runner = CliRunner(env={"SWITCHBOARD_OPERATOR_TOKEN": ""})
    return runner.invoke(app, ["account", "create", "--data-dir", str(data_dir), *words])


def test_an_account_is_opened_and_its_key_kept(data_dir: Path, api: StandInApi) -> None:
    result = create(data_dir, "--name", "Blue Harbor", "--email", "ada@example.com")
    assert result.exit_code == 0, result.output
    wanted = {"name": "Blue Harbor", "owner_email": "ada@example.com"}
    assert api.asked[0] == Asked("POST", "/v1/operator/tenants", wanted, "Bearer sb_op_1")
    assert "Blue Harbor is open, with $10.00 of credit" in result.stdout
    assert "switchboard agents create" in result.stdout
    assert "sb_secret_new" not in result.stdout
    kept = read_own_account(data_dir)
    assert kept is not None
    assert kept.secret_key == "sb_secret_new"


def test_running_it_twice_opens_one_account(data_dir: Path, api: StandInApi) -> None:
    create(data_dir)
    result = create(data_dir)
    assert result.exit_code == 0, result.output
    assert "already" in result.stdout
    assert [asked.method for asked in api.asked].count("POST") == 1
    assert create(data_dir, "--another").exit_code == 0
    assert [asked.method for asked in api.asked].count("POST") == 2


def test_the_operators_token_is_never_sent_elsewhere(data_dir: Path, api: StandInApi) -> None:
    result = create(data_dir, "--api-url", "http://127.0.0.1:9")
    assert result.exit_code == 1
    assert "--operator-token" in result.stderr
    assert api.asked == []


def test_an_account_elsewhere_neither_learns_nor_replaces_the_key_of_the_one_here(
    data_dir: Path, api: StandInApi
) -> None:
    create(data_dir)
    api.will("POST", "/v1/operator/tenants", 201, OPENED | {"api_key": "sb_secret_elsewhere"})
    asked_before = len(api.asked)
    # The stand-in under another name is another installation.
    elsewhere = api.url.replace("127.0.0.1", "localhost")
    result = create(data_dir, "--api-url", elsewhere, "--operator-token", "sb_op_elsewhere")
    assert result.exit_code == 0, result.output
    assert "sb_secret_elsewhere" in result.stdout
    assert [(asked.method, asked.key) for asked in api.asked[asked_before:]] == [
        ("POST", "Bearer sb_op_elsewhere"),
        ("GET", "Bearer sb_secret_elsewhere"),
    ]
    kept = read_own_account(data_dir)
    assert kept is not None
    assert kept.secret_key == "sb_secret_new"


def test_the_key_is_kept_whatever_happens_after_the_account_is_open(
    data_dir: Path, api: StandInApi
) -> None:
    api.will("GET", "/v1/billing/balance", 500, {})
    assert create(data_dir).exit_code == 1
    kept = read_own_account(data_dir)
    assert kept is not None
    assert kept.secret_key == "sb_secret_new"


def test_a_key_that_is_only_shown_is_shown_whatever_happens_after_the_account_is_open(
    data_dir: Path, api: StandInApi
) -> None:
    api.will("GET", "/v1/billing/balance", 500, {})
    elsewhere = api.url.replace("127.0.0.1", "localhost")
    result = create(data_dir, "--api-url", elsewhere, "--operator-token", "sb_op_elsewhere")
    assert result.exit_code == 1
    assert "SWITCHBOARD_API_KEY" in result.stdout
    assert "sb_secret_new" in result.stdout


def test_a_key_that_cannot_be_kept_is_shown(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(account_creation, "write_own_account", refuse)
    result = create(data_dir)
    assert result.exit_code == 0, result.output
    assert "(No space left on device)" in result.stdout
    assert "sb_secret_new" in result.stdout


def test_without_an_installation_it_says_how_to_start_one(tmp_path: Path) -> None:
    result = create(tmp_path)
    assert result.exit_code == 1
    assert "make up" in result.stderr
