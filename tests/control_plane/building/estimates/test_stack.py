from __future__ import annotations

import pytest

from control_plane.building.estimates.stack import stack_of
from control_plane.platform.errors import InvalidRequest
from pipelines.settings import OPENAI_COMPATIBLE
from pipelines.stack import AvailableKeys, ModelEntry, StackCatalogue

CATALOGUE = StackCatalogue(
    models=(
        ModelEntry("deep", "nova", frozenset({"stt"})),
        ModelEntry("open", "mini", frozenset({"llm"}), rank=20),
        ModelEntry("router", "mini", frozenset({"llm"}), rank=10),
        ModelEntry("open", "live", frozenset({"llm"}), is_realtime=True),
        ModelEntry("eleven", "flash", frozenset({"tts"})),
    ),
)
KEYS = AvailableKeys(
    platform=frozenset({"deep", "open"}),
    own=frozenset({"eleven", OPENAI_COMPATIBLE}),
    own_models=("llama",),
)


def test_a_model_that_several_providers_have_is_the_preferred_one() -> None:
    assert stack_of({"llm": "mini"}, CATALOGUE, KEYS).llm.primary.provider == "router"
    assert stack_of({"llm": "open/mini"}, CATALOGUE, KEYS).llm.primary.provider == "open"


def test_a_channel_on_the_tenants_own_key_or_left_out_costs_nothing() -> None:
    stack = stack_of({"tts": "flash", "stt": "nova"}, CATALOGUE, KEYS)
    sources = {channel: choice.key_source for channel, choice in stack.choices()}
    assert sources == {"stt": "platform", "llm": "own", "tts": "own"}


def test_a_model_of_the_tenants_own_server_is_on_its_own_key() -> None:
    stack = stack_of({"llm": "llama"}, CATALOGUE, KEYS)
    assert (stack.llm.primary.model, stack.llm.primary.key_source) == ("llama", "own")


def test_a_realtime_model_serves_all_channels_alone() -> None:
    stack = stack_of({"llm": "live"}, CATALOGUE, KEYS)
    assert stack.mode == "realtime"
    assert stack.stt == stack.llm == stack.tts
    with pytest.raises(InvalidRequest):
        stack_of({"llm": "live", "stt": "nova"}, CATALOGUE, KEYS)
