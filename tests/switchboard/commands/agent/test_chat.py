"""``switchboard agents chat``."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import Asked, StandInApi

AGENT = "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f"
CHAT = "0199d1c2-0000-7000-8000-000000000001"
SESSIONS = f"/v1/agents/{AGENT}/chat-sessions"
STATE = {
    "id": CHAT,
    "agent_id": AGENT,
    "agent_version": 1,
    "locale": "en-US",
    "provider": "local",
    "model": "playbook",
    "run_tools": False,
    "status": "open",
    "collected": {},
    "warnings": [],
    "created_at": "2026-01-05T09:30:00Z",
    "expires_at": "2026-01-05T10:30:00Z",
    "ended_at": None,
}
KEY = "Bearer sb_secret_of_the_tests"


def message(role: str, text: str, *tools: dict[str, Any]) -> dict[str, Any]:
    at = "2026-01-05T09:30:00Z"
    return {"role": role, "text": text, "created_at": at, "tools": list(tools)}


def begins(api: StandInApi, **state: Any) -> None:
    greeting = message("agent", "Hello, [bold]this[/bold] is Mia.")
    api.will("POST", SESSIONS, 201, STATE | state | {"messages": [greeting]})


def answers(api: StandInApi, reply: dict[str, Any], **state: Any) -> None:
    api.will("POST", f"{SESSIONS}/{CHAT}/messages", 200, {"reply": reply, "session": STATE | state})


def test_each_line_is_said_and_answered(terminal: Terminal, api: StandInApi) -> None:
    begins(api)
    answers(api, message("agent", "We open at nine."))
    result = terminal.type("agents", "chat", AGENT, "--say", "Hi.", "--say", "When do you open?")
    assert result.exit_code == 0, result.output
    assert [asked.body for asked in api.asked[1:]] == [
        {"text": "Hi."},
        {"text": "When do you open?"},
    ]
    for shown in ("Hello, [bold]this[/bold] is Mia.", "When do you open?", "We open at nine."):
        assert shown in result.stdout


def test_without_say_the_input_is_read_until_it_ends(terminal: Terminal, api: StandInApi) -> None:
    begins(api)
    answers(api, message("agent", "We open at nine."))
    result = terminal.type("agents", "chat", AGENT, typed="\nWhen do you open?\n")
    assert result.exit_code == 0, result.output
    assert [asked.body for asked in api.asked[1:]] == [{"text": "When do you open?"}]


def test_the_chat_stops_when_the_agent_ends_it(terminal: Terminal, api: StandInApi) -> None:
    begins(api)
    answers(api, message("agent", "Goodbye."), status="ended")
    result = terminal.type("agents", "chat", AGENT, "--say", "Bye.", "--say", "Hello?")
    assert result.exit_code == 0, result.output
    assert len(api.asked) == 2
    assert "The agent has ended the chat." in result.stderr


def test_what_the_agent_would_call_is_shown(terminal: Terminal, api: StandInApi) -> None:
    begins(api)
    use = {"name": "book", "arguments": {"day": "Monday"}, "outcome": "would_call", "result": None}
    answers(api, message("agent", "Done.", use))
    result = terminal.type("agents", "chat", AGENT, "--say", "Monday.")
    assert "would call book" in result.stdout


def test_the_options_choose_the_chat(terminal: Terminal, api: StandInApi) -> None:
    begins(api, warnings=["The variable city is missing."])
    answers(api, message("agent", "Ok."))
    options = ("--draft", "--run-tools", "--locale", "en-GB", "--variable", "name=Ada = Eve")
    result = terminal.type("agents", "chat", AGENT, "--say", "Hi.", *options)
    assert result.exit_code == 0, result.output
    wanted = {
        "version": "draft",
        "variables": {"name": "Ada = Eve"},
        "run_tools": True,
        "locale": "en-GB",
    }
    assert api.asked[0] == Asked("POST", SESSIONS, wanted, KEY)
    assert "The variable city is missing." in result.stderr


def test_json_is_the_whole_chat(terminal: Terminal, api: StandInApi) -> None:
    begins(api)
    answers(api, message("agent", "Ok."))
    whole = STATE | {"messages": [message("agent", "Hello."), message("caller", "Hi.")]}
    api.will("GET", f"{SESSIONS}/{CHAT}", 200, whole)
    result = terminal.type("agents", "chat", AGENT, "--say", "Hi.", "--json")
    assert json.loads(result.stdout)["messages"][1]["text"] == "Hi."


def test_a_variable_without_a_value_is_explained(terminal: Terminal, api: StandInApi) -> None:
    result = terminal.type("agents", "chat", AGENT, "--say", "Hi.", "--variable", "name")
    assert result.exit_code == 1
    assert "--variable name is not written as NAME=VALUE." in result.stderr
    assert api.asked == []


@pytest.fixture
def heeded_sigint() -> Iterator[None]:
    """Programs that a shell runs in the background ignore it, and so do those that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded_sigint")
def test_a_terminal_is_read_line_by_line_and_ctrl_c_ends_the_chat(api: StandInApi) -> None:
    begins(api)
    answers(api, message("agent", "We open at nine."))
    command = [sys.executable, "-m", "switchboard", "agents", "chat", AGENT]
    access = ["--api-url", api.url, "--api-key", "sb_secret_of_the_tests"]
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "wb", buffering=0) as keyboard:
        chat = subprocess.Popen(
            [*command, *access], stdin=theirs, stdout=subprocess.PIPE, text=True
        )
        os.close(theirs)
        assert chat.stdout is not None
        assert "this" in chat.stdout.readline()
        keyboard.write(b"When do you open?\n")
        assert "We open at nine." in chat.stdout.readline()
        chat.send_signal(signal.SIGINT)
        assert chat.wait(20) == 130
        chat.stdout.close()
