"""The demo's caller, heard through the offline recogniser: every line must still be understood."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pipelines.playbook.state import State
from tests.pipelines.engine.speech import spoken
from tests.pipelines.playbook.agents import dental_caller, dental_clinic, policy

pytest.importorskip("hibari")
moonshine = pytest.importorskip("moonshine_voice")


@pytest.fixture(scope="module")
def recognised() -> Callable[[str], str]:
    transcriber = moonshine.Transcriber(
        model_path=f"{moonshine.get_assets_path()}/tiny-en", model_arch=moonshine.ModelArch.TINY
    )

    def hear(text: str) -> str:
        silence = [0.0] * 8000
        audio = [*silence, *(spoken(text) / 32_768).tolist(), *silence]
        lines = transcriber.transcribe_without_streaming(audio, 16_000).lines
        return " ".join(line.text for line in lines)

    return hear


def test_a_spoken_call_books_the_appointment(recognised: Callable[[str], str]) -> None:
    clinic = policy(dental_clinic())
    state = clinic.heard(State(), clinic.plan.opener, is_interrupted=False)
    for rule in dental_caller():
        state, reply = clinic.step(state, recognised(str(rule["say"])))
        state = clinic.heard(state, reply.text, is_interrupted=False)
    assert reply.slots == {"name": "Emma Wilson", "day": "2026-11-24", "time": "15:30"}
