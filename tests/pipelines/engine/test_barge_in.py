"""What stops an agent that speaks, on the sound itself and on what a recogniser makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from livekit.local_inference import VAD as Silero
from livekit.local_inference import VAD_WINDOW_SAMPLES

from pipelines.engine.barge_in import BargeIn, is_backchannel
from tests.pipelines.engine.sounds import HZ, Samples, cough, door, murmur, music, quieter
from tests.pipelines.engine.speech import spoken

WINDOW_MS = 1000 * VAD_WINDOW_SAMPLES / HZ
BACKGROUND_DB = 20
LATEST_MS = 480


def hear(barge_in: BargeIn, sound: Samples) -> float | None:
    """After how many milliseconds of voice the agent stops."""
    detector = Silero()
    voice_ms, stopped_ms = 0.0, None
    for start in range(0, len(sound) - VAD_WINDOW_SAMPLES, VAD_WINDOW_SAMPLES):
        window = sound[start : start + VAD_WINDOW_SAMPLES]
        if detector.predict(window) < 0.5:
            continue
        barge_in.hear_voice(window)
        voice_ms += WINDOW_MS
        if stopped_ms is None and barge_in.stops_agent:
            stopped_ms = voice_ms
    barge_in.hear_silence()
    return stopped_ms


def dull(sound: Samples) -> Samples:
    """With 6 dB less in each octave above 300 Hz."""
    spectrum = np.fft.rfft(sound)
    hz = np.fft.rfftfreq(sound.size, 1 / HZ)
    dulled = np.fft.irfft(spectrum / np.maximum(1, hz / 300), sound.size)
    return (1.5 * dulled).astype(np.int16)


@pytest.fixture
def barge_in() -> BargeIn:
    """It has heard the caller's voice."""
    heard = BargeIn()
    hear(heard, spoken("I would like to book an appointment."))
    return heard


@pytest.mark.parametrize("pitch_hz", [90, 110, 160, 220])
def test_a_murmur_with_a_closed_mouth_does_not_stop_the_agent(
    barge_in: BargeIn, pitch_hz: float
) -> None:
    assert hear(barge_in, murmur(pitch_hz)) is None
    assert hear(BargeIn(), murmur(pitch_hz)) is None, "nor does it of a caller not heard before"


@pytest.mark.parametrize("sound", [cough(), door(), music(4)], ids=["cough", "door", "music"])
def test_a_sound_that_is_no_voice_does_not_stop_the_agent(
    barge_in: BargeIn, sound: Samples
) -> None:
    assert hear(barge_in, sound) is None


def test_a_second_voice_in_the_background_does_not_stop_the_agent(barge_in: BargeIn) -> None:
    background = quieter(
        spoken("And then the train was late again, can you believe it?"), BACKGROUND_DB
    )
    assert hear(barge_in, background) is None
    assert not barge_in.stops_agent_as("And then the train was late again.")


@pytest.mark.parametrize(
    "text",
    ["No.", "Stop.", "Wait a moment, please.", "Hello?", "Yes.", "Excuse me.", "What?", "Mia?"],
)
def test_words_stop_the_agent_soon(barge_in: BargeIn, text: str) -> None:
    for of in (barge_in, BargeIn()):
        after_ms = hear(of, spoken(text))
        assert after_ms is not None
        assert after_ms <= LATEST_MS
        assert of.stops_agent_as(text)


def test_a_caller_who_puts_the_phone_down_stops_the_agent_again_after_a_while(
    barge_in: BargeIn,
) -> None:
    far = quieter(spoken("Can you hear me? I have a question about the price."), BACKGROUND_DB)
    heard = [hear(barge_in, far) for _ in range(8)]
    assert heard[0] is None
    assert heard[-1] is not None


def test_a_voice_or_line_without_high_sounds_is_learned() -> None:
    barge_in = BargeIn()
    hear(barge_in, dull(spoken("I would like to book an appointment for tomorrow afternoon.")))
    after_ms = hear(barge_in, dull(spoken("No, wait.")))
    assert after_ms is not None
    assert after_ms <= LATEST_MS
    assert hear(barge_in, dull(murmur(110))) is None


def test_a_listener_who_murmurs_all_the_time_does_not_stop_the_agent(barge_in: BargeIn) -> None:
    assert [hear(barge_in, murmur(110)) for _ in range(20)] == [None] * 20


def test_long_speech_on_a_line_without_high_sounds_stops_the_agent(barge_in: BargeIn) -> None:
    window = murmur(110)[2 * VAD_WINDOW_SAMPLES : 3 * VAD_WINDOW_SAMPLES]
    for _ in range(20):
        barge_in.hear_voice(window)
    assert not barge_in.stops_agent
    barge_in.hear_voice(window)
    assert barge_in.stops_agent


def test_each_sound_is_judged_by_itself(barge_in: BargeIn) -> None:
    assert hear(barge_in, spoken("No."))
    assert barge_in.stops_agent, "also after its end, when its text comes"
    assert hear(barge_in, murmur(110)) is None
    assert not barge_in.stops_agent


def test_one_word_from_a_sound_without_words_is_a_recogniser_s_guess(barge_in: BargeIn) -> None:
    hear(barge_in, murmur(110))
    assert not barge_in.stops_agent_as("Huh.")
    assert barge_in.stops_agent_as("Hold on.")


@pytest.mark.parametrize("text", ["等一下。", "请等一下我有问题", "ちょっと待って", "รอสักครู่"])
def test_several_words_are_no_guess_where_no_spaces_are_written(
    barge_in: BargeIn, text: str
) -> None:
    hear(barge_in, murmur(110))
    assert barge_in.stops_agent_as(text)


@pytest.mark.parametrize("text", ["喂。", "好的。", "はい。", "なるほど", "ครับ"])
def test_one_word_may_be_a_guess_where_no_spaces_are_written(barge_in: BargeIn, text: str) -> None:
    hear(barge_in, murmur(110))
    assert not barge_in.stops_agent_as(text)


@pytest.mark.parametrize(
    "text", ["嗯。", "嗯嗯嗯。", "嗯，嗯。", "うんうんうん。", "うーん", "ふーん", "อืม", "อืมอืม"]
)
def test_a_backchannel_in_another_script_does_not_stop_the_agent(
    barge_in: BargeIn, text: str
) -> None:
    hear(barge_in, spoken("No."))
    assert not barge_in.stops_agent_as(text)


@pytest.mark.parametrize(
    "text", ["Mhm.", "Mm-hmm.", "mhmm", "Uh-huh.", "Uh huh", "Mm hmm, mm-hmm.", "Hmm", "Aha!"]
)
def test_a_backchannel_does_not_stop_the_agent_however_it_sounds(
    barge_in: BargeIn, text: str
) -> None:
    hear(barge_in, spoken("No."))
    assert is_backchannel(text)
    assert not barge_in.stops_agent_as(text)


@pytest.mark.parametrize("text", ["Mhm, but wait.", "Huh?", "Ham.", "Uh, no.", "Aham Street"])
def test_anything_with_a_word_in_it_is_none(text: str) -> None:
    assert not is_backchannel(text)


def silence(barge_in: BargeIn, seconds: float) -> None:
    for _ in range(round(seconds * 1000 / WINDOW_MS)):
        barge_in.hear_silence()


@pytest.mark.parametrize("text", ["It is for my son.", "But not before ten.", "Please be quick."])
def test_a_caller_who_goes_on_after_a_pause_stops_the_agent_no_later_than_others(
    text: str,
) -> None:
    going_on, another = BargeIn(), BargeIn()
    for each in (going_on, another):
        hear(each, spoken("I would like to book an appointment."))
    silence(going_on, 0.4)
    silence(another, 3)
    stopped_ms = hear(going_on, spoken(text))
    assert going_on.goes_on
    assert stopped_ms is not None
    stopped_later_ms = hear(another, spoken(text))
    assert not another.goes_on
    assert stopped_later_ms is not None
    assert stopped_ms < stopped_later_ms


@pytest.mark.parametrize(
    "sound",
    [
        murmur(110),
        murmur(210),
        cough(),
        door(),
        music(3),
        quieter(spoken("And then the train was late again, can you believe it?"), BACKGROUND_DB),
    ],
    ids=["mhm", "higher mhm", "cough", "door", "music", "voice in the background"],
)
def test_what_is_no_word_does_not_stop_the_agent_shortly_after_words_either(
    barge_in: BargeIn, sound: Samples
) -> None:
    silence(barge_in, 0.3)
    assert hear(barge_in, sound) is None


def test_only_words_count_as_what_a_caller_goes_on_with(barge_in: BargeIn) -> None:
    silence(barge_in, 3)
    hear(barge_in, cough())
    silence(barge_in, 0.3)
    hear(barge_in, spoken("Yes."))
    assert not barge_in.goes_on
