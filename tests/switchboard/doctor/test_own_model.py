"""The doctor asks the operator's own model one question."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.doctor.finding import Finding
from switchboard.doctor.own_model import own_model
from switchboard.services.ports import free_port
from switchboard.settings import Settings
from tests.switchboard.commands.stand_in_api import StandInApi, stand_in_api

ONE_MODEL = {"data": [{"id": "llama3.2"}]}
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "Blue"}}]}


def examined(address: str, key: str | None = None) -> list[Finding]:
    return own_model(Settings(openai_compatible_base_url=address, openai_compatible_api_key=key))


def found(*answers: tuple[str, str, int, Any]) -> tuple[Finding, StandInApi]:
    with stand_in_api() as api:
        for answer in answers:
            api.will(*answer)
        [finding] = examined(f"{api.url}/v1/", "k")
    return finding, api


def test_without_an_address_there_is_nothing_to_ask() -> None:
    assert own_model(Settings()) == []


def test_a_model_that_answers_is_named() -> None:
    finding, api = found(
        ("GET", "/v1/models", 200, ONE_MODEL), ("POST", "/v1/chat/completions", 200, ANSWER)
    )
    assert finding.level == "ok"
    assert "llama3.2" in finding.found
    assert api.asked[1].body["model"] == "llama3.2"
    assert api.asked[1].key == "Bearer k"


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([("GET", "/v1/models", 401, {})], "refuses the key"),
        ([("GET", "/v1/models", 200, {"data": []})], "no model"),
        ([("GET", "/v1/models", 200, b"<html>")], "not as OpenAI's API"),
        ([("GET", "/v1/models", 200, {"models": []})], "not as OpenAI's API"),
        (
            [("GET", "/v1/models", 200, ONE_MODEL), ("POST", "/v1/chat/completions", 500, {})],
            "answers 500",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_remedy(
    answers: list[tuple[str, str, int, Any]], said: str
) -> None:
    finding, _ = found(*answers)
    assert finding.level == "warn"
    assert said in finding.found
    assert finding.remedy


def test_a_server_that_is_not_there_is_named() -> None:
    address = f"http://127.0.0.1:{free_port()}/v1"
    [finding] = examined(address)
    assert finding.level == "warn"
    assert address in finding.found
