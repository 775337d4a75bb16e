import asyncio

import numpy as np

from runtime.media.audio.paced_output import SAMPLES_PER_FRAME, PacedOutput
from runtime.media.room import Samples


def ramp(samples: int, start: int = 1) -> Samples:
    return np.arange(start, start + samples).astype(np.int16)


def test_pushed_audio_is_played_in_order_without_gaps_whatever_the_chunks() -> None:
    voice = PacedOutput()
    for start, size in ((1, 100), (101, 700), (801, 640)):
        voice.push(ramp(size, start))
    played = np.concatenate([voice.pull() for _ in range(3)])
    assert np.array_equal(played, ramp(1440))


def test_silence_where_nothing_is_queued() -> None:
    assert not PacedOutput().pull().any()


def test_a_last_part_of_a_frame_is_filled_up_with_silence() -> None:
    voice = PacedOutput()
    voice.push(ramp(100))
    frame = voice.pull()
    assert frame.shape == (SAMPLES_PER_FRAME,)
    assert np.array_equal(frame[:100], ramp(100))
    assert not frame[100:].any()


def test_clear_silences_the_very_next_frame_and_says_what_was_dropped() -> None:
    voice = PacedOutput()
    voice.push(ramp(24_000))
    voice.pull()
    assert voice.clear() == (24_000 - SAMPLES_PER_FRAME) / 24_000
    assert not voice.pull().any()
    assert voice.clear() == 0.0


def test_pause_holds_and_resume_goes_on_at_the_same_sample() -> None:
    voice = PacedOutput()
    voice.push(ramp(960))
    first = voice.pull()
    voice.pause()
    voice.pause()
    assert not voice.pull().any()
    assert voice.queued_seconds == 0.02
    voice.resume()
    voice.resume()
    assert np.array_equal(np.concatenate([first, voice.pull()]), ramp(960))


def test_what_is_pushed_after_a_clear_is_played() -> None:
    voice = PacedOutput()
    voice.push(ramp(960))
    voice.clear()
    voice.push(ramp(480, start=500))
    assert np.array_equal(voice.pull(), ramp(480, start=500))


def test_the_listener_learns_exactly_what_was_played() -> None:
    voice, played = PacedOutput(), list[int]()
    voice.on_played = played.append
    voice.pull()
    voice.push(ramp(500))
    voice.pull()
    voice.pause()
    voice.pull()
    voice.resume()
    voice.pull()
    voice.pull()
    assert played == [480, 20]


async def test_wait_played_ends_with_the_last_frame() -> None:
    voice = PacedOutput()
    voice.push(ramp(600))
    waiting = asyncio.create_task(voice.wait_played())
    voice.pull()
    await asyncio.sleep(0)
    assert not waiting.done()
    voice.pull()
    await asyncio.wait_for(waiting, 1)


async def test_wait_played_ends_with_clear() -> None:
    voice = PacedOutput()
    voice.push(ramp(600))
    waiting = asyncio.create_task(voice.wait_played())
    await asyncio.sleep(0)
    voice.clear()
    await asyncio.wait_for(waiting, 1)


async def test_nothing_queued_is_played_already() -> None:
    voice = PacedOutput()
    voice.push(ramp(0))
    await asyncio.wait_for(voice.wait_played(), 1)


def test_samples_that_nobody_has_heard_yet_are_not_told_of() -> None:
    voice, played = PacedOutput(), list[int]()
    voice.on_played = played.append
    voice.push(ramp(1_200))
    for _ in range(5):
        voice.pull(unheard_frames=4)
    assert played == [480]
    assert voice.queued_seconds == 720 / 24_000
    voice.pull(unheard_frames=1)
    assert played == [480, 480, 240]


def test_a_person_who_hears_later_than_before_is_told_of_once() -> None:
    voice, played = PacedOutput(), list[int]()
    voice.on_played = played.append
    voice.push(ramp(480 * 6))
    for unheard_frames in (0, 0, 3, 3, 3, 3):
        voice.pull(unheard_frames)
    assert played == [480, 480, 480]


def test_clear_drops_what_a_carrier_holds() -> None:
    voice, played = PacedOutput(), list[int]()
    voice.on_played = played.append
    voice.push(ramp(4_800))
    for _ in range(4):
        voice.pull(unheard_frames=3)
    assert voice.clear() == (4_800 - 480) / 24_000
    voice.pull()
    assert played == [480]


def test_pause_takes_back_what_a_carrier_holds_and_resume_says_it_again() -> None:
    voice, cleared = PacedOutput(), list[None]()
    voice.on_cleared = lambda: cleared.append(None)
    voice.push(ramp(480 * 6))
    for _ in range(4):
        voice.pull(unheard_frames=2)
    voice.pause()
    voice.pause()
    assert len(cleared) == 1, "the carrier is told once"
    assert not voice.pull(unheard_frames=2).any()
    voice.resume()
    said = np.concatenate([voice.pull(unheard_frames=2) for _ in range(4)])
    assert np.array_equal(said, ramp(480 * 4, start=961))


def test_pause_takes_nothing_back_where_everything_was_heard() -> None:
    voice, cleared = PacedOutput(), list[None]()
    voice.on_cleared = lambda: cleared.append(None)
    voice.push(ramp(960))
    voice.pull()
    voice.pause()
    assert cleared == []


async def test_wait_played_waits_for_what_a_carrier_holds() -> None:
    voice = PacedOutput()
    voice.push(ramp(480))
    waiting = asyncio.create_task(voice.wait_played())
    for _ in range(2):
        voice.pull(unheard_frames=2)
    await asyncio.sleep(0)
    assert not waiting.done()
    voice.pull(unheard_frames=2)
    await asyncio.wait_for(waiting, 1)
