from __future__ import annotations

import pytest

from pipelines.engine.channels.tts.voice_deadline import VoiceDeadline
from pipelines.settings import ProviderDeadlines


@pytest.fixture
def deadline() -> VoiceDeadline:
    return VoiceDeadline(ProviderDeadlines())


def test_a_voice_without_text_is_never_late(deadline: VoiceDeadline) -> None:
    assert deadline.due_at is None


def test_the_first_sound_is_due_from_the_first_text_on(deadline: VoiceDeadline) -> None:
    deadline.owes(10.0)
    deadline.owes(11.0)
    assert deadline.due_at == 11.5
    assert deadline.reason == "no sound within 1.5 s"


def test_a_pause_between_two_pieces_is_bounded(deadline: VoiceDeadline) -> None:
    deadline.owes(10.0)
    deadline.sound(10.2, 4.0)
    assert deadline.due_at == 11.7
    assert deadline.reason == "no more sound for 1.5 s"


def test_a_voice_that_has_spoken_all_it_was_given_may_wait(deadline: VoiceDeadline) -> None:
    deadline.owes(10.0)
    deadline.sound(10.2, 1.0)
    deadline.owes_nothing()
    assert deadline.due_at is None
    deadline.owes(20.0)
    assert deadline.due_at == 21.5


def test_a_voice_slower_than_it_is_played_is_given_up(deadline: VoiceDeadline) -> None:
    deadline.owes(0.0)
    now = 0.5
    while now < (deadline.due_at or 0.0):
        deadline.sound(now, 0.02)
        now += 0.2
    assert now < 2.5
    assert deadline.reason == "its sound comes slower than it is played"


def test_a_voice_as_fast_as_it_is_played_goes_on(deadline: VoiceDeadline) -> None:
    deadline.owes(0.0)
    for piece in range(300):
        now = 0.5 + 0.2 * piece
        assert deadline.due_at is not None
        assert now < deadline.due_at
        deadline.sound(now, 0.2)


def test_a_shortened_deadline_is_for_the_very_first_sound() -> None:
    deadline = VoiceDeadline(ProviderDeadlines(), shortened_seconds=0.6)
    deadline.owes(10.0)
    assert (deadline.due_at, deadline.is_shortened) == (10.6, True)
    assert deadline.reason == "no sound within 0.6 s"
    deadline.sound(10.5, 1.0)
    assert not deadline.is_shortened
    deadline.owes_nothing()
    deadline.owes(20.0)
    assert deadline.due_at == 21.5
