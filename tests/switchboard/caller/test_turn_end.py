import numpy as np
import pytest

from switchboard.caller.turn_end import HeardTurn, TurnEndDetector
from switchboard_client.webrtc.frame import FRAME_SAMPLES, SAMPLE_RATE_HZ, Samples, silence


def speech(frames: int) -> list[Samples]:
    wave = (4000 * np.sin(np.arange(FRAME_SAMPLES) * 0.05)).astype(np.int16)
    return [wave] * frames


def pause(frames: int) -> list[Samples]:
    return [silence()] * frames


def turns(detector: TurnEndDetector, frames: list[Samples]) -> list[tuple[HeardTurn, float]]:
    found = []
    for index, frame in enumerate(frames):
        at = 50.0 + index * 0.02
        if turn := detector.push(frame, at):
            found.append((turn, at))
    return found


def test_a_turn_ends_after_the_silence_and_not_before() -> None:
    ((turn, known_at),) = turns(TurnEndDetector(0.6), pause(10) + speech(50) + pause(60))
    assert turn.started_at == pytest.approx(50.2)
    assert turn.ended_at == pytest.approx(51.2)
    assert known_at == pytest.approx(51.8, abs=0.021)


def test_a_pause_between_words_does_not_end_a_turn() -> None:
    frames = speech(20) + pause(25) + speech(20) + pause(40)
    ((turn, _),) = turns(TurnEndDetector(0.6), frames)
    assert turn.ended_at == pytest.approx(50 + 65 * 0.02)


def test_the_audio_of_a_turn_has_a_lead_in_but_not_the_silence_before_it() -> None:
    ((turn, _),) = turns(TurnEndDetector(0.6), pause(500) + speech(50) + pause(60))
    assert turn.audio.size / SAMPLE_RATE_HZ < 1.0 + 0.6 + 0.2
    assert np.any(turn.audio[: 7 * FRAME_SAMPLES])


def test_two_turns_do_not_share_audio() -> None:
    (first, _), (second, _) = turns(
        TurnEndDetector(0.6), speech(10) + pause(40) + speech(20) + pause(40)
    )
    assert second.started_at > first.ended_at
    assert second.audio.size <= 65 * FRAME_SAMPLES


def test_speaking_since_names_the_turn_under_way() -> None:
    detector = TurnEndDetector(0.6)
    turns(detector, pause(5) + speech(5))
    assert detector.speaking_since == pytest.approx(50.1)
    turns(detector, pause(40))
    assert detector.speaking_since is None
