"""Where commands connect, and how they end."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from switchboard.cli import app
from switchboard.commands.api.access import ApiAccess, api_access
from switchboard.demo.account import DemoAccount, write_account
from switchboard.own_account import OwnAccount, write_own_account
from switchboard.problems import Problem
from switchboard.services.ports import free_port
from switchboard.state import State, write_state
from switchboard_client.transport import AsyncTransport
from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import StandInApi

HERE = "http://127.0.0.1:8080"


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Of an installation that runs, with a demo account."""
    write_state(
        tmp_path,
        State(api_url=HERE, pids={"up": os.getpid()}, started_at=datetime.now(UTC), embedded=()),
    )
    account = DemoAccount(
        tenant_id="t",
        secret_key="sb_secret_demo",
        publishable_key="sb_publishable_demo",
        agent_id="a",
        agent_name="Demo",
        agent_digest="d",
    )
    write_account(tmp_path, account)
    return tmp_path


def test_what_runs_here_and_its_demo_account_are_the_default(data_dir: Path) -> None:
    assert api_access(data_dir, None, None) == ApiAccess(HERE, "sb_secret_demo")
    assert api_access(data_dir, f"{HERE}/", None) == ApiAccess(HERE, "sb_secret_demo")


def test_what_is_given_wins(data_dir: Path) -> None:
    assert api_access(data_dir, "https://sb.example/", "k") == ApiAccess("https://sb.example", "k")
    assert api_access(data_dir, None, "k") == ApiAccess(HERE, "k")


def test_the_account_that_was_opened_here_comes_before_the_demos(data_dir: Path) -> None:
    account = OwnAccount(tenant_id="t", name="Mine", secret_key="sb_secret_mine")
    path = write_own_account(data_dir, account)
    assert api_access(data_dir, None, None) == ApiAccess(HERE, "sb_secret_mine")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Problem, match="secret API key is needed"):
        api_access(data_dir, "https://other.example", None)


@pytest.mark.parametrize(
    "typed",
    [f"{HERE}/", f"{HERE}/v1", f"{HERE}/v1/", f"{HERE}/docs", f" {HERE}/openapi.json"],
)
def test_what_follows_the_address_is_left_out(tmp_path: Path, typed: str) -> None:
    assert api_access(tmp_path, typed, "k").url == HERE


@pytest.mark.parametrize("typed", ["127.0.0.1:8080", "localhost", "", "ftp://a", "http://", "//a"])
def test_an_address_without_a_scheme_is_refused_with_the_right_one(typed: str) -> None:
    result = CliRunner().invoke(app, ["agents", "list", "--api-url", typed, "--api-key", "k"])
    assert result.exit_code == 1
    assert "Begin it with http:// or https://" in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "typed", ["http://127.0.0.1:80800", "http://127.0.0.1:eighty", "http://[::1"]
)
def test_an_address_that_cannot_be_one_is_said_in_words(typed: str) -> None:
    result = CliRunner().invoke(app, ["agents", "list", "--api-url", typed, "--api-key", "k"])
    assert result.exit_code == 1
    assert f"--api-url '{typed}' is not the address of a Switchboard: " in result.stderr
    assert isinstance(result.exception, SystemExit)


def test_an_empty_address_does_not_mean_what_runs_here(data_dir: Path) -> None:
    with pytest.raises(Problem, match="is not the address of a Switchboard"):
        api_access(data_dir, "", "k")


def test_the_demo_accounts_key_is_never_sent_elsewhere(data_dir: Path) -> None:
    with pytest.raises(Problem, match="secret API key is needed"):
        api_access(data_dir, "https://other.example", None)


def test_without_an_installation_or_a_key_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="No Switchboard has been started here"):
        api_access(tmp_path, None, "k")
    with pytest.raises(Problem, match="secret API key is needed"):
        api_access(tmp_path, "https://sb.example", None)


@pytest.mark.parametrize(
    "command", [["agents", "list"], ["calls", "list"], ["calls", "tail"], ["calls", "tail", "ID"]]
)
def test_a_server_that_does_not_answer_is_named(command: list[str]) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    result = CliRunner().invoke(app, [*command, "--api-url", url, "--api-key", "k"])
    assert result.exit_code == 1
    assert f"No Switchboard answers at {url}" in result.stderr
    assert result.stdout == ""


def test_a_wrong_key_is_said_with_where_keys_come_from(terminal: Terminal, api: StandInApi) -> None:
    api.refuse("GET", "/v1/agents?limit=50&offset=0", 401, code="unauthorized", detail="No key.")
    result = terminal.type("agents", "list", "--json")
    assert result.exit_code == 1
    assert "No key." in result.stderr
    assert "SWITCHBOARD_API_KEY" in result.stderr
    assert result.stdout == ""


def test_a_key_that_cannot_be_sent_is_a_problem_in_words_that_do_not_repeat_it(
    api: StandInApi,
) -> None:
    arguments = ["agents", "list", "--api-url", api.url, "--api-key", "sb_secret_0123…"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert "not ASCII" in result.stderr
    assert "0123" not in result.output
    assert isinstance(result.exception, SystemExit)
    assert api.asked == []


def test_the_key_may_come_from_the_environment(api: StandInApi) -> None:
    runner = CliRunner(env={"SWITCHBOARD_API_KEY": "sb_secret_env"})
    runner.invoke(app, ["agents", "list", "--api-url", api.url])
    assert api.asked[0].key == "Bearer sb_secret_env"


def test_ctrl_c_ends_a_command_quietly(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(AsyncTransport, "send", interrupted)
    result = terminal.type("agents", "list")
    assert result.exit_code == 130
    assert "Traceback" not in result.output
