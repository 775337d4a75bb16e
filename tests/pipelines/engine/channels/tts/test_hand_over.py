from __future__ import annotations

import numpy as np

from pipelines.engine.channels.tts.hand_over import AHEAD_SECONDS, HandOver

RATE_HZ = 24_000


def sound(seconds: float) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.arange(round(seconds * RATE_HZ)).astype(np.int16)


def drained(hand_over: HandOver, until: float) -> float:
    """Ask whenever something is due. Returns how many seconds were handed on by then."""
    while hand_over.due_at is not None and hand_over.due_at <= until:
        hand_over.due(hand_over.due_at)
    return hand_over.handed_samples / RATE_HZ


def test_the_first_sound_is_handed_on_at_once() -> None:
    hand_over = HandOver(RATE_HZ)
    first = sound(0.02)
    assert np.array_equal(hand_over.take(first, 5.0), first)


def test_sound_goes_on_just_ahead_of_what_is_heard() -> None:
    hand_over = HandOver(RATE_HZ)
    hand_over.take(sound(6.0), 0.0)
    for heard in np.arange(0.0, 4.5, 0.05):
        handed = drained(hand_over, float(heard))
        assert heard < handed <= heard + AHEAD_SECONDS + 0.01


def test_all_of_it_goes_on_when_the_voice_has_finished() -> None:
    hand_over = HandOver(RATE_HZ)
    whole = sound(6.0)
    parts = [hand_over.take(whole, 0.0), hand_over.finish(0.1)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert hand_over.due_at is None


def test_the_last_words_of_a_voice_that_stopped_wait() -> None:
    hand_over = HandOver(RATE_HZ)
    hand_over.take(sound(3.0), 0.0)
    assert 2.0 < drained(hand_over, 60.0) < 2.5
    assert hand_over.due_at is None


def test_a_voice_that_is_as_fast_as_it_is_played_is_never_held_up() -> None:
    hand_over = HandOver(RATE_HZ)
    for piece in range(50):
        now = 0.2 * piece
        drained(hand_over, now)
        hand_over.take(sound(0.2), now)
        assert hand_over.plays_until > now


def test_what_is_held_when_a_voice_breaks_off_is_cut() -> None:
    hand_over = HandOver(RATE_HZ)
    whole = sound(3.0)
    parts = [hand_over.take(whole, 0.0), hand_over.all_but_the_last_words(0.1)]
    parts.append(hand_over.break_off(1_000, 0.2))
    handed = np.concatenate(parts)
    assert np.array_equal(handed, whole[: handed.size])
    assert hand_over.held.size == 0
    assert np.array_equal(hand_over.handed, handed)
