from __future__ import annotations

import pytest

from contracts.call_plan import Channel
from pipelines.stack.custom_endpoints import custom_url, has_fitting_scheme
from tests.pipelines.stack.catalogue import agent


@pytest.mark.parametrize(
    ("channel", "fields", "fits"),
    [
        ("llm", {"custom_llm_url": "https://a.example"}, True),
        ("llm", {"custom_llm_url": "HTTPS://a.example"}, True),
        ("llm", {"custom_llm_url": "wss://a.example"}, False),
        ("stt", {"custom_transcriber_url": "wss://a.example"}, True),
        ("stt", {"custom_transcriber_url": "https://a.example"}, False),
        ("tts", {"custom_voice_url": "wss://a.example"}, True),
        ("tts", {"custom_voice_url": "https://a.example"}, False),
        ("tts", {"custom_voice_url": "wss://a", "custom_voice_mode": "compat"}, False),
        ("tts", {"custom_voice_url": "https://a", "custom_voice_mode": "compat"}, True),
        ("tts", {"custom_voice_mode": "compat"}, True),
    ],
)
def test_each_format_has_its_scheme(channel: Channel, fields: dict[str, str], fits: bool) -> None:
    assert has_fitting_scheme(agent(**fields), channel) is fits


def test_an_agent_without_an_endpoint_has_no_address() -> None:
    assert custom_url(agent(), "llm") is None
