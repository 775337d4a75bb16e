from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import inference

from contracts.agent_config import Advanced, AgentConfig
from pipelines.engine import turn_handling as turn_handling_module
from pipelines.engine.turn_handling import turn_handling, voice_activity
from tests.pipelines.engine.model_process.fake_models import FakeEndOfTurn


def agent(advanced: dict[str, Any] | None = None, **fields: Any) -> AgentConfig:
    return AgentConfig.model_validate({"name": "a", "advanced": advanced or {}, **fields})


def test_the_end_of_turn_model_runs_on_device_even_with_cloud_credentials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET", "LIVEKIT_INFERENCE_URL"):
        monkeypatch.setenv(name, "wss://cloud.invalid")
    options = turn_handling(agent(), FakeEndOfTurn())
    detector = options["turn_detection"]
    assert isinstance(detector, inference.TurnDetector)
    assert detector.model == "turn-detector-v1-mini"
    assert options["interruption"]["mode"] == "vad"


@pytest.mark.parametrize(
    ("smart_endpointing", "end_of_turn"), [(False, FakeEndOfTurn()), (True, None)]
)
def test_voice_activity_decides_alone_without_the_model(
    smart_endpointing: bool, end_of_turn: FakeEndOfTurn | None
) -> None:
    options = turn_handling(agent({"smartEndpointing": smart_endpointing}), end_of_turn)
    assert options["turn_detection"] == "vad"


def test_an_agent_may_forbid_interruptions() -> None:
    forbidding = agent(persona={"voiceConfig": {"bargeInEnabled": False}})
    assert not turn_handling(forbidding, FakeEndOfTurn())["interruption"]["enabled"]


def test_resuming_after_a_false_interruption_is_the_agent_s_choice() -> None:
    options = turn_handling(agent({"resumeAfterInterruption": False}), FakeEndOfTurn())
    assert not options["interruption"]["resume_false_interruption"]


def test_thresholds_become_those_of_voice_activity() -> None:
    advanced = agent({"startSpeakingThreshold": 0.7, "stopSpeakingThreshold": 0.9}).advanced
    detector = voice_activity(advanced)
    assert detector.thresholds.activation == 0.7
    assert detector.thresholds.deactivation == 0.7


def test_extreme_thresholds_still_hear_and_still_end() -> None:
    detector = voice_activity(agent({"startSpeakingThreshold": 0.0}).advanced)
    assert detector.thresholds.activation > 0
    assert detector.thresholds.deactivation > 0
    deaf = voice_activity(agent({"startSpeakingThreshold": 1.0}).advanced)
    assert deaf.thresholds.activation < 1


def test_silence_is_as_short_as_the_end_of_turn_model_accepts() -> None:
    assert voice_activity(agent().advanced).min_silence_duration == 0.25


def test_every_advanced_field_has_its_place() -> None:
    places = turn_handling_module.__doc__ or ""
    assert [name for name in Advanced.model_fields if f"``{name}``" not in places] == []
