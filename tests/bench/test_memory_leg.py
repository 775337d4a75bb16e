import numpy as np

from bench.memory_leg import SoundQueue


def test_sound_is_played_in_its_order_and_silence_follows() -> None:
    queue = SoundQueue(1_000)
    queue.push(np.arange(1, 13, dtype=np.int16))
    queue.push(np.arange(13, 25, dtype=np.int16))
    frames = [queue.pull() for _ in range(3)]
    assert [samples for _, samples in frames] == [20, 4, 0]
    played = np.concatenate([frame for frame, _ in frames])
    assert played.tolist() == [*range(1, 25), *[0] * 36]
    assert not queue


def test_while_it_pauses_it_plays_silence_and_keeps_the_sound() -> None:
    queue = SoundQueue(1_000)
    queue.push(np.ones(20, np.int16))
    queue.is_paused = True
    assert queue.pull()[1] == 0
    queue.is_paused = False
    assert queue.pull()[1] == 20
