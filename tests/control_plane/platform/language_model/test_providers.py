"""Both providers, with servers that answer well, badly and not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from control_plane.platform.language_model.completions import (
    Completion,
    CompletionRequest,
    LanguageModel,
    Message,
)
from control_plane.platform.language_model.failures import FailureReason, ModelFailed
from control_plane.platform.language_model.google_gemini import GoogleGemini
from control_plane.platform.language_model.openai_chat import OpenAIChat
from tests.stand_ins.google_wire import GoogleWire
from tests.stand_ins.openai_wire import (
    Answer,
    OpenAIWire,
    cut_off,
    fails,
    hangs,
    refuses,
    says,
    sends,
    slowly,
)

KEY = "sk-key-of-the-tests"
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
REQUEST = CompletionRequest("summary", "Be brief.", (Message("user", "<call>\n</call>"),), SCHEMA)
PROVIDERS = ("openai", "google")
PATIENCE_SECONDS = 20.0
IMPATIENCE_SECONDS = 1.0


def error_body(**error: object) -> bytes:
    return json.dumps({"error": error}).encode()


async def asked(
    provider: str, answers: Sequence[Answer], *, timeout_seconds: float = PATIENCE_SECONDS
) -> tuple[Completion | ModelFailed, OpenAIWire | GoogleWire]:
    """The outcome of one request, and the server that received it."""
    wire = OpenAIWire(answers) if provider == "openai" else GoogleWire(answers)
    build = OpenAIChat if provider == "openai" else GoogleGemini
    async with wire.serving():
        model: LanguageModel = build(
            model="model-of-the-tests",
            api_key=KEY,
            base_url=wire.base_url,
            timeout_seconds=timeout_seconds,
        )
        try:
            return await model.complete(REQUEST), wire
        except ModelFailed as failure:
            return failure, wire


async def failure_of(provider: str, answer: Answer, **options: float) -> ModelFailed:
    failure, wire = await asked(provider, [answer], **options)
    assert isinstance(failure, ModelFailed)
    assert len(wire.requests) == 1, "trying again is the job's business"
    assert KEY not in failure.message
    return failure


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_an_answer_comes_with_the_tokens_that_it_took(provider: str) -> None:
    completion, _ = await asked(provider, [slowly(says('{"a": 1}'), 0.05)])
    assert completion == Completion('{"a": 1}', 11, 7)


async def test_openai_is_sent_the_shape_the_instructions_and_no_tools() -> None:
    _, wire = await asked("openai", [says("{}")])
    assert isinstance(wire, OpenAIWire)
    [request] = wire.requests
    assert wire.authorizations == [f"Bearer {KEY}"]
    assert request["model"] == "model-of-the-tests"
    assert [each["role"] for each in request["messages"]] == ["system", "user"]
    assert request["response_format"]["json_schema"]["schema"] == SCHEMA
    assert request["response_format"]["json_schema"]["strict"] is True
    assert not request.keys() & {"tools", "tool_choice", "functions"}


async def test_google_is_sent_the_shape_the_instructions_and_no_tools() -> None:
    _, wire = await asked("google", [says("{}")])
    assert isinstance(wire, GoogleWire)
    [request] = wire.requests
    assert (wire.keys, wire.models) == ([KEY], ["model-of-the-tests"])
    assert request["systemInstruction"]["parts"][0]["text"] == "Be brief."
    assert request["generationConfig"]["responseMimeType"] == "application/json"
    assert request["generationConfig"]["responseJsonSchema"] == SCHEMA
    assert not request.keys() & {"tools", "toolConfig"}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("answer", [hangs(), slowly(says("{}"), 30)], ids=["hangs", "slow"])
async def test_no_answer_in_time_is_worth_another_try(provider: str, answer: Answer) -> None:
    failure = await failure_of(provider, answer, timeout_seconds=IMPATIENCE_SECONDS)
    assert failure.reason is FailureReason.PROVIDER_UNAVAILABLE
    assert "in time" in failure.message


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 529])
async def test_trouble_of_the_server_is_worth_another_try(provider: str, status: int) -> None:
    failure = await failure_of(provider, fails(status))
    assert failure.reason is FailureReason.PROVIDER_UNAVAILABLE


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_dropped_connection_is_worth_another_try(provider: str) -> None:
    failure = await failure_of(provider, cut_off(says('{"a": "' + "x" * 5_000 + '"}')))
    assert failure.reason is FailureReason.PROVIDER_UNAVAILABLE


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_nobody_at_the_address_is_worth_another_try(provider: str) -> None:
    build = OpenAIChat if provider == "openai" else GoogleGemini
    model: LanguageModel = build(
        model="m", api_key=KEY, base_url="http://127.0.0.1:9", timeout_seconds=PATIENCE_SECONDS
    )
    with pytest.raises(ModelFailed) as caught:
        await model.complete(REQUEST)
    assert caught.value.reason is FailureReason.PROVIDER_UNAVAILABLE


NONSENSE = {
    "a page": (b"<html>It works!</html>", "text/html"),
    "a page called JSON": (b"<html>It works!</html>", "application/json"),
    "half of a document": (b'{"choices": [', "application/json"),
    "no bytes": (b"", "application/json"),
    "null": (b"null", "application/json"),
    "a number": (b"42", "application/json"),
    "a list": (b"[1, 2]", "application/json"),
    "other types": (b'{"choices": "no", "candidates": "no"}', "application/json"),
    "no text": (b"\xff\xfe\x00", "application/json"),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=NONSENSE)
async def test_nonsense_is_no_answer(provider: str, nonsense: tuple[bytes, str]) -> None:
    failure = await failure_of(provider, sends(*nonsense))
    assert failure.reason in (FailureReason.PROVIDER_UNAVAILABLE, FailureReason.REQUEST_REFUSED)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, FailureReason.REQUEST_REFUSED),
        (401, FailureReason.PROVIDER_REFUSED),
        (403, FailureReason.PROVIDER_REFUSED),
        (404, FailureReason.PROVIDER_REFUSED),
        (413, FailureReason.REQUEST_REFUSED),
        (418, FailureReason.REQUEST_REFUSED),
        (402, FailureReason.QUOTA_EXCEEDED),
    ],
)
async def test_a_refusal_is_final(provider: str, status: int, reason: FailureReason) -> None:
    assert (await failure_of(provider, fails(status))).reason is reason


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_model_that_declines_concerns_this_question_only(provider: str) -> None:
    assert (await failure_of(provider, refuses("no"))).reason is FailureReason.REQUEST_REFUSED


@pytest.mark.parametrize(
    ("provider", "error"),
    [
        ("openai", {"code": "insufficient_quota", "type": "insufficient_quota", "message": KEY}),
        ("openai", {"code": "billing_hard_limit_reached", "type": "x", "message": KEY}),
        ("google", {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": KEY}),
        (
            "google",
            {
                "code": 429,
                "status": "RESOURCE_EXHAUSTED",
                "message": KEY,
                "details": [{"violations": [{"quotaId": "RequestsPerDayPerProject"}]}],
            },
        ),
    ],
)
async def test_a_quota_that_is_used_up_is_told_apart(
    provider: str, error: dict[str, object]
) -> None:
    answer = replace(fails(429), body=error_body(**error))
    assert (await failure_of(provider, answer)).reason is FailureReason.QUOTA_EXCEEDED


@pytest.mark.parametrize(
    ("provider", "error"),
    [
        ("openai", {"code": "rate_limit_exceeded", "type": "tokens", "message": KEY}),
        (
            "google",
            {
                "code": 429,
                "status": "RESOURCE_EXHAUSTED",
                "message": KEY,
                "details": [
                    {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProject"}]},
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "30s"},
                ],
            },
        ),
    ],
)
async def test_a_rate_limit_is_worth_another_try(provider: str, error: dict[str, object]) -> None:
    answer = replace(fails(429), body=error_body(**error))
    assert (await failure_of(provider, answer)).reason is FailureReason.PROVIDER_UNAVAILABLE


async def test_openai_repeats_a_failed_request_only_where_it_is_told_to() -> None:
    answers = [fails(503, Retry_After_Ms="1"), says("{}")]
    async with OpenAIWire(answers).serving() as wire:
        model = OpenAIChat("m", KEY, wire.base_url, PATIENCE_SECONDS, max_retries=1)
        assert (await model.complete(REQUEST)).text == "{}"
    assert len(wire.requests) == 2


async def test_a_step_that_takes_too_long_ends_a_try_and_not_the_request() -> None:
    answers = [slowly(says("late"), 30), says("{}")]
    async with OpenAIWire(answers).serving() as wire:
        model = OpenAIChat(
            "m", KEY, wire.base_url, PATIENCE_SECONDS, step_timeout_seconds=0.2, max_retries=1
        )
        assert (await model.complete(REQUEST)).text == "{}"


async def test_openai_follows_a_redirect_only_where_it_is_told_to() -> None:
    async with OpenAIWire([says("{}")]).serving() as target:
        moved = fails(307, Location=f"{target.base_url}/chat/completions")
        async with OpenAIWire([moved]).serving() as wire:
            stays = OpenAIChat("m", KEY, wire.base_url, PATIENCE_SECONDS)
            with pytest.raises(ModelFailed):
                await stays.complete(REQUEST)
            assert target.requests == []
            follows = OpenAIChat("m", KEY, wire.base_url, PATIENCE_SECONDS, follow_redirects=True)
            assert (await follows.complete(REQUEST)).text == "{}"


async def test_the_length_of_an_answer_is_limited() -> None:
    async with OpenAIWire([says("{}")]).serving() as wire:
        model = OpenAIChat("m", KEY, wire.base_url, PATIENCE_SECONDS, max_output_tokens=6_000)
        await model.complete(REQUEST)
    assert [request["max_completion_tokens"] for request in wire.requests] == [6_000]
