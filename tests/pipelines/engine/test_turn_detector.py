"""What we use of the engine's private parts is there, and the detector asks our model.

When an upgrade fails one of these tests, read the new release's ``inference/eot``, adapt
``pipelines/engine/turn_detector.py`` and this file, and move the pin in ``pyproject.toml``.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from importlib.metadata import version

import pytest
from livekit import rtc
from livekit.agents.inference import TurnDetector as EngineDetector
from livekit.agents.inference.eot.base import (
    TurnDetectorOptions,
    _BaseStreamingTurnDetectorStream,
    _StreamingTurnDetectionTransport,
)
from livekit.agents.inference.eot.transports import _LocalTransport
from livekit.local_inference import EOT_MAX_SAMPLES

from pipelines.engine import turn_detector
from pipelines.engine.providers.local.speech_models import ModelsAway, Samples
from pipelines.engine.turn_detector import TurnDetector, _Transport
from tests.pipelines.engine.model_process.fake_models import FakeEndOfTurn

ADAPT = "adapt pipelines/engine/turn_detector.py to this release"
FRAME = rtc.AudioFrame(bytes(2 * 320), 16_000, 1, 320)


def parameters(function: Callable[..., object]) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_the_release_is_the_one_that_the_file_was_written_for() -> None:
    assert version("livekit-agents") == "1.8.9", ADAPT


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            _BaseStreamingTurnDetectorStream,
            ["detector", "opts", "transport", "model", "local_fallback"],
        ),
        (_BaseStreamingTurnDetectorStream._drain_audio_channel, ["self"]),
        (EngineDetector.stream, ["self", "conn_options"]),
        (_StreamingTurnDetectionTransport.run, ["self"]),
        (_StreamingTurnDetectionTransport.run_inference, ["self", "request_id"]),
        (_StreamingTurnDetectionTransport.push_frame, ["self", "frame"]),
        (_StreamingTurnDetectionTransport.flush, ["self"]),
        (_StreamingTurnDetectionTransport.attach, ["self", "stream"]),
        (_StreamingTurnDetectionTransport.detach, ["self"]),
    ],
    ids=lambda value: getattr(value, "__qualname__", None),
)
def test_a_function_takes_what_it_is_called_with(
    function: Callable[..., object], expected: list[str]
) -> None:
    assert parameters(function) == expected, f"{function}: {ADAPT}"


def test_a_prediction_is_resolved_with_its_duration() -> None:
    found = parameters(_BaseStreamingTurnDetectorStream._resolve_prediction)
    assert found[:3] == ["self", "request_id", "probability"], f"_resolve_prediction: {ADAPT}"
    assert "inference_duration" in found, f"_resolve_prediction: {ADAPT}"


def test_a_transport_has_no_methods_that_ours_has_not() -> None:
    assert isinstance(_Transport(FakeEndOfTurn()), _StreamingTurnDetectionTransport), ADAPT
    names = {name for name in vars(_LocalTransport) if not name.startswith("_")}
    assert names <= set(dir(_Transport)), f"_LocalTransport: {ADAPT}"


def test_the_detector_has_the_options_of_its_streams() -> None:
    assert isinstance(TurnDetector(FakeEndOfTurn())._opts, TurnDetectorOptions), ADAPT


def test_the_window_is_the_model_s() -> None:
    assert turn_detector._WINDOW_SAMPLES == EOT_MAX_SAMPLES, ADAPT


async def predicted(model: FakeEndOfTurn, frames: int) -> float:
    stream = TurnDetector(model).stream()
    for _ in range(frames):
        stream.push_audio(FRAME)
        await asyncio.sleep(0)
    for _ in range(10):  # Until the stream's tasks have taken them.
        await asyncio.sleep(0)
    try:
        return (await stream.predict()).end_of_turn_probability
    finally:
        await stream.aclose()


async def test_the_engine_gets_the_model_s_probability_for_what_was_heard() -> None:
    assert await predicted(FakeEndOfTurn(), 30) == 0.5


async def test_the_model_hears_the_last_1200_ms() -> None:
    assert await predicted(FakeEndOfTurn(), 100) == 1.0


async def test_a_new_prediction_replaces_the_one_under_way() -> None:
    model = FakeEndOfTurn()
    model.close()
    stream = TurnDetector(model).stream()
    first = stream.predict()
    await model.begun.get()
    second = stream.predict()
    await model.begun.get()
    model.open()
    assert (await first).end_of_turn_probability == 0.0
    await second
    assert len(model.done) == 1
    await stream.aclose()


async def test_without_the_model_process_the_turn_may_go_on() -> None:
    class Away(FakeEndOfTurn):
        async def predict(self, samples: Samples) -> float:
            raise ModelsAway("it was away for 5 s")

    assert await predicted(Away(), 30) == 0.0
