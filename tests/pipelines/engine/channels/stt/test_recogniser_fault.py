from __future__ import annotations

import pytest
from livekit.agents import APIConnectionError, APIStatusError, APITimeoutError

from pipelines.engine.channels.stt.recogniser_fault import why_it_failed

SECRET = "Token sk-123: my name is Anna"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (APIStatusError(SECRET, status_code=429), "answered with status 429"),
        (APIStatusError(SECRET, status_code=1006, body=SECRET), "broke the connection off"),
        (APITimeoutError(SECRET), "did not answer in time"),
        (APIConnectionError(SECRET), "could not be reached, or the connection broke off"),
        (ValueError(SECRET), "failed with ValueError"),
        (ExceptionGroup(SECRET, [APITimeoutError(SECRET)]), "did not answer in time"),
    ],
)
def test_why_a_recogniser_failed_is_told_without_its_own_words(error: Exception, why: str):
    assert why_it_failed(error) == why
