from __future__ import annotations

import numpy as np
import pytest

from pipelines.engine.channels.stt.audio_ring import AudioRing
from pipelines.engine.channels.stt.unheard_voice import UnheardVoice, Verdict
from pipelines.engine.channels.stt.voice_analysis import VoiceDetector
from pipelines.engine.providers.local.speech_models import HEARING_RATE, Samples
from pipelines.settings import ProviderDeadlines
from tests.pipelines.engine.channels.stt.beeps import cough, detector, silence

FRAME = HEARING_RATE // 10


class Line:
    """Sound that arrives as it is said; ``now`` is its length."""

    def __init__(self, *, gives_interim: bool = True) -> None:
        self.ring = AudioRing(10)
        self.detectors = 0
        self.unheard = UnheardVoice(self.ring, ProviderDeadlines(), self._new_detector)
        self.unheard.asked(0.0, gives_interim=gives_interim)

    @property
    def now(self) -> float:
        return self.ring.end / HEARING_RATE

    def _new_detector(self) -> VoiceDetector:
        self.detectors += 1
        return detector

    def hears(self, sound: Samples) -> list[tuple[float, Verdict]]:
        """Verdicts with their times, until the sound ends."""
        verdicts = []
        for start in range(0, len(sound), FRAME):
            piece = sound[start : start + FRAME]
            self.ring.append(memoryview(piece.tobytes()))
            if (verdict := self.unheard.heard(piece, self.now)) is not None:
                verdicts.append((round(self.now, 2), verdict))
        return verdicts


def test_silence_and_words_in_time_raise_no_doubt():
    line = Line()
    assert line.hears(silence(5)) == []
    for _ in range(20):
        assert line.hears(np.concatenate([cough(0.4), silence(0.1)])) == []
        line.unheard.text(line.now)
    assert line.hears(silence(0.5)) == []
    line.unheard.final(line.now, line.ring.end - HEARING_RATE // 2)
    assert line.hears(silence(5)) == []
    assert line.detectors == 0


def test_a_voice_without_text_is_told_after_two_seconds():
    line = Line()
    line.hears(silence(1))
    (verdict,) = line.hears(cough(2.5))
    assert verdict == (pytest.approx(3.0, abs=0.15), Verdict.NO_TEXT)


def test_the_two_seconds_begin_again_with_each_text():
    line = Line()
    assert line.hears(cough(1.5)) == []
    line.unheard.text(line.now)
    (verdict,) = line.hears(cough(2.5))
    assert verdict == (pytest.approx(3.5, abs=0.15), Verdict.NO_TEXT)


def test_a_short_voice_without_text_is_told_when_its_end_is_long_past():
    line = Line()
    line.hears(silence(1))
    (verdict,) = line.hears(np.concatenate([cough(0.3), silence(3)]))
    assert verdict == (pytest.approx(1.3 + 1.5, abs=0.15), Verdict.NOTHING)


def test_words_that_do_not_become_final_are_told():
    line = Line()
    line.hears(np.concatenate([silence(1), cough(1)]))
    line.unheard.text(line.now)
    (verdict,) = line.hears(silence(3))
    assert verdict == (pytest.approx(2 + 1.5, abs=0.15), Verdict.NOT_FINAL)


@pytest.mark.parametrize("gives_interim", [True, False])
def test_texts_that_come_long_after_the_voice_do_not_put_off_its_final_words(
    gives_interim: bool,
) -> None:
    line = Line(gives_interim=gives_interim)
    line.hears(np.concatenate([silence(1), cough(1)]))
    verdicts = []
    for _ in range(8):
        line.unheard.text(line.now)
        verdicts += line.hears(silence(0.4))
    assert verdicts[0] == (pytest.approx(2 + 1.5, abs=0.4), Verdict.NOT_FINAL)


def test_texts_in_time_raise_no_doubt_about_a_voice_no_louder_than_what_came_before():
    line = Line()
    for _ in range(20):
        assert line.hears(cough(0.5)) == []
        line.unheard.text(line.now)
    assert line.ring.end - line.unheard._last_loud > 2 * HEARING_RATE


def test_a_recogniser_that_writes_only_after_a_pause_may_be_silent_while_somebody_speaks():
    line = Line(gives_interim=False)
    assert line.hears(cough(6)) == []
    (verdict,) = line.hears(silence(3))
    assert verdict == (pytest.approx(7.5, abs=0.15), Verdict.NOTHING)


def test_a_click_is_no_voice():
    line = Line()
    (verdict,) = line.hears(np.concatenate([silence(1), cough(0.05), silence(4)]))
    assert verdict[1] is Verdict.NO_VOICE
    assert line.hears(silence(4)) == []


def test_a_pause_of_the_caller_is_not_the_end():
    line = Line()
    sound = []
    for _ in range(4):
        line.hears(cough(0.5))
        line.unheard.text(line.now)
        assert line.hears(silence(1.2)) == []
    assert sound == []


def test_the_next_recogniser_hears_what_is_not_final_and_has_deadlines_of_its_own():
    line = Line()
    line.hears(silence(3))
    assert line.hears(cough(2.2))[-1][1] is Verdict.NO_TEXT
    assert line.unheard.replay_from == pytest.approx(2.5 * HEARING_RATE, abs=FRAME)
    asked_at = line.now
    line.unheard.asked(asked_at, gives_interim=True)
    (verdict,) = line.hears(np.concatenate([cough(0.3), silence(3)]))
    assert verdict == (pytest.approx(5.5 + 1.5, abs=0.15), Verdict.NOTHING)
    assert verdict[0] >= asked_at + 1.5


def test_without_anything_open_the_next_recogniser_begins_shortly_before_now():
    line = Line()
    line.hears(silence(30))
    assert line.ring.end - line.unheard.replay_from == HEARING_RATE // 2


def test_no_more_is_replayed_than_the_ring_holds():
    line = Line(gives_interim=False)
    line.hears(cough(14))
    assert line.unheard.replay_from == line.ring.start == 4 * HEARING_RATE


def test_final_words_are_never_replayed():
    line = Line()
    line.hears(np.concatenate([silence(1), cough(1), silence(0.1), cough(1)]))
    line.unheard.final(line.now, round(2.0 * HEARING_RATE))
    assert 2.0 <= line.unheard.replay_from / HEARING_RATE <= 2.1


def test_a_word_that_ended_before_the_text_of_an_earlier_one_came_is_not_forgotten():
    line = Line()
    line.hears(np.concatenate([silence(1), cough(1), silence(0.4), cough(0.4), silence(0.1)]))
    line.unheard.final(line.now, round(2.0 * HEARING_RATE))
    (verdict,) = line.hears(silence(3))
    assert verdict[1] is Verdict.NOTHING


def test_without_times_final_words_are_those_before_the_latest_pause():
    line = Line()
    line.hears(np.concatenate([silence(1), cough(1), silence(0.4), cough(0.4)]))
    line.unheard.final(line.now, None)
    assert line.unheard.replay_from == pytest.approx(2.4 * HEARING_RATE, abs=FRAME)


def test_without_times_words_that_are_final_at_once_are_those_of_the_only_voice():
    line = Line()
    line.hears(np.concatenate([silence(1), cough(1), silence(0.1)]))
    line.unheard.final(line.now, None)
    assert line.unheard.replay_from >= 2.0 * HEARING_RATE
    assert line.hears(silence(4)) == []


def test_the_end_of_an_utterance_without_words_settles_it():
    line = Line()
    line.hears(np.concatenate([silence(1), cough(0.4), silence(0.3)]))
    line.unheard.ended_without_words()
    assert line.hears(silence(4)) == []


def test_an_end_told_while_the_caller_goes_on_settles_nothing():
    line = Line()
    line.hears(np.concatenate([silence(1), cough(1)]))
    line.unheard.ended_without_words()
    assert line.hears(cough(1.5))[-1][1] is Verdict.NO_TEXT
