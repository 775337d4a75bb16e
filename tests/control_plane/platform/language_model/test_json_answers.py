"""An answer that does not fit is sent back once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from pydantic import BaseModel, ValidationError

from control_plane.platform.language_model.completions import (
    Completion,
    CompletionRequest,
    Message,
)
from control_plane.platform.language_model.failures import FailureReason, ModelFailed
from control_plane.platform.language_model.json_answers import (
    LONGEST_ANSWER,
    UnusableAnswer,
    ask,
)

REQUEST = CompletionRequest("greeting", "Be brief.", (Message("user", "Hello?"),))


@dataclass
class Scripted:
    """Sends its answers one after the other."""

    answers: list[str]
    provider: str = "openai"
    model: str = "gpt"
    requests: list[CompletionRequest] = field(default_factory=list)

    async def complete(self, request: CompletionRequest) -> Completion:
        self.requests.append(request)
        return Completion(self.answers[len(self.requests) - 1])


def number(text: str) -> int:
    if not text.isdigit():
        raise UnusableAnswer(["count: must be a number", "unit: is missing"])
    return int(text)


async def test_an_answer_that_fits_is_returned_after_one_request() -> None:
    model = Scripted(["7"])
    assert await ask(model, REQUEST, number) == 7
    assert model.requests == [REQUEST]


async def test_the_second_request_holds_the_first_answer_and_everything_wrong_with_it() -> None:
    model = Scripted(["seven", "7"])
    assert await ask(model, REQUEST, number) == 7
    second = model.requests[1]
    question, answer, correction = second.messages
    assert (second.instructions, question) == (REQUEST.instructions, REQUEST.messages[0])
    assert answer == Message("assistant", "seven")
    assert correction.role == "user"
    assert "- count: must be a number\n- unit: is missing\n" in correction.text


async def test_a_second_answer_that_does_not_fit_is_a_failure() -> None:
    model = Scripted(["seven", "eight", "9"])
    with pytest.raises(ModelFailed) as caught:
        await ask(model, REQUEST, number)
    assert caught.value.reason is FailureReason.ANSWER_UNUSABLE
    assert caught.value.message == (
        "openai twice sent an answer that does not fit: count: must be a number; unit: is missing"
    )
    assert len(model.requests) == 2


async def test_an_endless_answer_is_sent_back_shortened() -> None:
    model = Scripted(["x" * (LONGEST_ANSWER + 1), "7"])
    await ask(model, REQUEST, number)
    assert len(model.requests[1].messages[1].text) == LONGEST_ANSWER


class Shape(BaseModel):
    items: list[int]


@pytest.mark.parametrize(
    ("answer", "findings"),
    [
        ('{"items": ["one", 2, "three"]}', ["items[0]", "items[2]"]),
        ("{}", ["items"]),
    ],
)
def test_findings_name_each_field_that_is_wrong(answer: str, findings: list[str]) -> None:
    with pytest.raises(ValidationError) as caught:
        Shape.model_validate_json(answer)
    found = UnusableAnswer.from_validation(caught.value).findings
    assert [finding.split(":")[0] for finding in found] == findings


def test_a_text_that_is_not_json_is_one_finding() -> None:
    with pytest.raises(ValidationError) as caught:
        Shape.model_validate_json("{")
    [finding] = UnusableAnswer.from_validation(caught.value).findings
    assert "JSON" in finding


def test_only_the_first_findings_are_sent_back() -> None:
    with pytest.raises(ValidationError) as caught:
        Shape.model_validate_json(json.dumps({"items": ["x"] * 50}))
    assert len(UnusableAnswer.from_validation(caught.value).findings) == 12


def test_a_request_has_its_own_digest() -> None:
    digest = REQUEST.digest("openai", "gpt")
    assert digest == CompletionRequest(**vars(REQUEST)).digest("openai", "gpt")
    others = [
        REQUEST.digest("google", "gpt"),
        REQUEST.digest("openai", "gpt-2"),
        CompletionRequest("farewell", *list(vars(REQUEST).values())[1:]).digest("openai", "gpt"),
        CompletionRequest("greeting", "Be brief.", ()).digest("openai", "gpt"),
        CompletionRequest("greeting", "Be brief.", REQUEST.messages, {}).digest("openai", "gpt"),
    ]
    assert len({digest, *others}) == 6
