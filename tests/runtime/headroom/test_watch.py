"""What the judge says closes and opens a worker's slots."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from runtime.headroom import watch
from runtime.headroom.headroom import Headroom
from runtime.headroom.limits import HeadroomLimits
from runtime.headroom.watch import HeadroomWatch
from runtime.slots import Slots


class Scene:
    def __init__(self) -> None:
        self.now = 1_000.0
        self.queue_seconds = 0.0
        self.slots = Slots(3)
        self.headroom = Headroom(HeadroomLimits(), lambda: self.now)
        self.watch = HeadroomWatch(self.headroom, self.slots, lambda: self.queue_seconds)

    def look(self, times: int, loop_lag_seconds: float = 0.0) -> None:
        for _ in range(times):
            self.now += 0.05
            self.watch.look(loop_lag_seconds)


async def test_a_full_worker_is_closed_and_one_with_room_is_opened():
    scene = Scene()
    scene.slots.admit().hold()
    with capture_logs() as logs:
        scene.look(5, loop_lag_seconds=0.05)
        assert (scene.slots.usable, scene.slots.reasons) == (1, ["loop_blocked"])
        scene.look(60)
    assert (scene.slots.usable, scene.slots.reasons) == (3, [])
    assert [(each["event"], each.get("reason")) for each in logs] == [
        ("headroom.gone", "loop_blocked"),
        ("headroom.there_again", None),
    ]


async def test_one_reason_takes_the_place_of_another():
    scene = Scene()
    scene.slots.admit().hold()
    scene.look(5, loop_lag_seconds=0.05)
    scene.queue_seconds = 1.1
    scene.look(60)
    assert scene.slots.reasons == ["models_busy"]


async def test_a_worker_whose_last_call_has_ended_is_open_at_the_next_look():
    scene = Scene()
    place = scene.slots.admit()
    place.hold()
    scene.look(5, loop_lag_seconds=0.05)
    assert scene.slots.usable == 1
    place.leave()
    assert scene.slots.usable == 0
    scene.look(1, loop_lag_seconds=0.05)
    assert (scene.slots.usable, scene.slots.reasons) == (3, [])


async def test_a_worker_without_a_call_takes_none_while_the_models_are_behind():
    scene = Scene()
    scene.queue_seconds = 1.1
    scene.look(1)
    assert (scene.slots.usable, scene.slots.reasons) == (0, ["models_busy"])


async def test_a_worker_without_a_call_is_not_looked_at_until_one_comes(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.0)
    scene = Scene()
    looks: list[float] = []
    scene.watch.look = looks.append
    watching = asyncio.create_task(scene.watch.run())
    for _ in range(5):
        await asyncio.sleep(0)
    assert not looks
    place = scene.slots.admit()
    for _ in range(5):
        await asyncio.sleep(0)
    assert looks
    place.leave()
    watching.cancel()


async def test_what_one_call_measured_is_forgotten_when_the_next_one_comes():
    scene = Scene()
    watching = asyncio.create_task(scene.watch.run())
    place = scene.slots.admit()
    scene.now += 2
    for _ in range(5):
        scene.headroom.frame_was_late(0.05)
    assert scene.headroom.is_strained
    place.leave()
    watching.cancel()
    again = asyncio.create_task(scene.watch.run())
    await asyncio.sleep(0)
    assert not scene.headroom.is_strained
    again.cancel()
