from uuid import UUID, uuid4

import numpy as np

from runtime.media.audio.opus import SAMPLES_PER_FRAME
from runtime.media.audio.paced_output import PacedOutput
from runtime.media.audio.room_audio import RoomAudio
from runtime.media.room import Samples
from runtime.media.room_clock import Tick


class Person:
    def __init__(self, level: int = 0) -> None:
        self.level = level
        self.reads = 0
        self.heard: list[tuple[int, int]] = []
        self.unheard_frames = 0

    def read(self) -> Samples:
        self.reads += 1
        return np.full(SAMPLES_PER_FRAME, self.level, np.int16)

    def write(self, samples: Samples, sample: int) -> None:
        self.heard.append((int(samples[-1]), sample))


def agent(level: int, frames: int) -> PacedOutput:
    voice = PacedOutput()
    voice.push(np.full(480 * frames, level, np.int16))
    return voice


def settled(room: RoomAudio, legs: dict[UUID, Person], ticks: int = 3) -> Samples:
    for index in range(1, ticks + 1):
        (frame,) = room.tick(legs, Tick(index, 1))
    return frame


def test_legs_hear_the_agent_and_each_other_and_the_engine_hears_the_legs() -> None:
    one, two = Person(100), Person(30)
    frame = settled(RoomAudio(agent(1_000, 10)), {uuid4(): one, uuid4(): two})
    assert frame.shape == (320,)
    assert int(frame[-1]) == 130
    assert one.heard[-1][0] == 1_030
    assert two.heard[-1][0] == 1_100


def test_the_agent_stops_for_every_leg_in_the_frame_after_clear() -> None:
    voice, person = agent(1_000, 100), Person()
    room, legs = RoomAudio(voice), {uuid4(): person}
    settled(room, legs)
    voice.clear()
    room.tick(legs, Tick(4, 1))
    assert [level for level, _ in person.heard[-2:]] == [1_000, 0]


def test_the_agents_voice_waits_while_nobody_is_there_to_hear_it() -> None:
    voice, person = agent(1_000, 10), Person()
    room, legs = RoomAudio(voice), {uuid4(): person}
    settled(room, legs)
    waiting = voice.queued_seconds
    settled(room, {}, ticks=100)
    assert voice.queued_seconds == waiting > 0
    settled(room, legs)
    assert person.heard[-1][0] == 1_000


def test_what_is_heard_can_be_tapped() -> None:
    room, heard = RoomAudio(agent(1_000, 10)), []
    room.listeners.append(heard.append)
    room.tick({uuid4(): Person(100), uuid4(): Person(30)}, Tick(1, 1))
    room.tick({uuid4(): Person(100)}, Tick(4, 3))
    room.tick({}, Tick(5, 1))
    assert [each.index for each in heard] == [1, 4, 5]
    assert [[int(frame[0]) for frame in each.people] for each in heard] == [[130], [100] * 3, [0]]
    assert [int(each.agent[0]) for each in heard] == [1_000, 1_000, 0], "nobody heard the last one"


def test_the_engine_hears_silence_in_an_empty_room() -> None:
    assert not settled(RoomAudio(PacedOutput()), {}).any()


def test_after_a_late_tick_all_that_was_said_is_heard_but_nothing_is_played_in_a_burst() -> None:
    voice, person = agent(1_000, 100), Person(50)
    frames = RoomAudio(voice).tick({uuid4(): person}, Tick(6, 6))
    assert len(frames) == 6
    assert person.reads == 6
    assert len(person.heard) == 1
    assert voice.queued_seconds == 99 * 0.02


def test_a_standstill_is_not_made_up_for_without_end() -> None:
    assert len(RoomAudio(PacedOutput()).tick({uuid4(): Person()}, Tick(3_000, 3_000))) == 25


def test_packets_carry_the_rooms_time_so_that_a_gap_stays_a_gap() -> None:
    person = Person()
    room, legs = RoomAudio(PacedOutput()), {uuid4(): person}
    room.tick(legs, Tick(1, 1))
    room.tick(legs, Tick(4, 3))
    assert [sample for _, sample in person.heard] == [960, 4 * 960]


def test_a_muted_leg_is_heard_by_nobody_and_hears_all() -> None:
    one, two, room = Person(100), Person(30), RoomAudio(agent(1_000, 20))
    legs = {UUID(int=1): one, UUID(int=2): two}
    room.mute(UUID(int=1), muted=True)
    assert int(settled(room, legs)[-1]) == 30
    assert (one.heard[-1][0], two.heard[-1][0]) == (1_030, 1_000)
    assert one.reads == two.reads, "what it says meanwhile does not wait for later"
    room.mute(UUID(int=1), muted=False)
    assert int(settled(room, legs)[-1]) == 130


def test_a_leg_on_hold_hears_music_and_nobody_hears_it() -> None:
    room, held, other = RoomAudio(agent(1_000, 200)), Listener(), Person(30)
    legs = {UUID(int=1): held, UUID(int=2): other}
    room.hold(UUID(int=1), held=True)
    assert int(settled(room, legs, ticks=100)[-1]) == 30
    music = np.concatenate(held.frames[50:])
    assert 300 < np.sqrt(np.mean(music.astype(float) ** 2)) < 3_000, "audible, and below speech"
    assert other.heard[-1][0] == 1_000
    room.hold(UUID(int=1), held=False)
    settled(room, legs)
    assert int(held.frames[-1][-1]) == 1_030


def test_a_leg_that_was_held_is_not_when_it_comes_again() -> None:
    room, person = RoomAudio(agent(1_000, 20)), Person()
    room.hold(UUID(int=1), held=True)
    room.mute(UUID(int=1), muted=True)
    room.forget(UUID(int=1))
    settled(room, {UUID(int=1): person})
    assert person.heard[-1][0] == 1_000


class Listener(Person):
    def __init__(self) -> None:
        super().__init__(100)
        self.frames: list[Samples] = []

    def write(self, samples: Samples, sample: int) -> None:
        self.frames.append(samples.copy())


def test_what_one_person_has_heard_was_heard_and_music_is_not_the_agent() -> None:
    voice = agent(1_000, 10)
    played = list[int]()
    voice.on_played = played.append
    room = RoomAudio(voice)
    phone, browser = Person(), Person()
    phone.unheard_frames = 2
    for index in range(3):
        room.tick({UUID(int=1): phone}, Tick(index + 1, 1))
    assert len(played) == 1, "a phone alone hears late"
    room.tick({UUID(int=1): phone, UUID(int=2): browser}, Tick(4, 1))
    assert len(played) == 4, "a browser hears at once"
    room.hold(UUID(int=2), held=True)
    room.tick({UUID(int=1): phone, UUID(int=2): browser}, Tick(5, 1))
    assert len(played) == 4
