import numpy as np

from bench.memory_caller import PATIENCE_FRAMES, PAUSE_FRAMES, MemoryCaller, Noticed

LINE = np.full(640, 5_000, np.int16)
"""Two frames."""
VOICE, SILENCE = np.full(480, 5_000, np.int16), np.zeros(480, np.int16)


def caller(noticed: Noticed) -> MemoryCaller:
    return MemoryCaller(0, [LINE], noticed, read_hz=16_000, write_hz=24_000)


def speaks(asked: MemoryCaller) -> bool:
    return bool(asked.read().max() == 5_000)


def test_a_caller_speaks_when_the_agent_has_been_silent_for_a_while() -> None:
    someone = caller(Noticed())
    someone.write(VOICE, 0)
    for _ in range(PAUSE_FRAMES):
        assert not speaks(someone)
        someone.write(SILENCE, 0)
    assert [speaks(someone) for _ in range(3)] == [True, True, False]


def test_an_answer_is_measured_from_the_last_sound_of_the_line() -> None:
    noticed = Noticed(is_measured=True)
    someone = caller(noticed)
    for _ in range(PATIENCE_FRAMES):
        someone.write(SILENCE, 0)
    speaks(someone), speaks(someone)
    someone.write(SILENCE, 0)
    assert not noticed.voice_to_voice_ms
    someone.write(VOICE, 0)
    assert len(noticed.voice_to_voice_ms) == 1


def test_a_line_without_an_answer_is_counted_when_the_caller_goes_on() -> None:
    noticed = Noticed(is_measured=True)
    someone = caller(noticed)
    for _ in range(2):
        for _ in range(PATIENCE_FRAMES):
            someone.write(SILENCE, 0)
        speaks(someone), speaks(someone)
    assert noticed.unanswered == 1
