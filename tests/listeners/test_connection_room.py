"""Which connection goes when there are too many."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from listeners.connection_room import (
    RESERVED_FILES,
    ConnectionRoom,
    most_connections,
)


@dataclass(eq=False)
class FakeConnection:
    name: str
    address: str
    dropped: list[str] = field(default_factory=list)

    def drop(self) -> None:
        self.dropped.append(self.name)


def waiting(room: ConnectionRoom, dropped: list[str], *named: tuple[str, str]) -> None:
    for name, address in named:
        room.waits(FakeConnection(name, address, dropped))


def test_the_one_that_has_waited_longest_goes_first() -> None:
    room, dropped = ConnectionRoom(100), list[str]()
    waiting(room, dropped, ("first", "a"), ("second", "b"))
    assert [room.make_room("c") for _ in range(3)] == [True, True, False]
    assert dropped == ["first", "second"]


def test_one_whose_request_is_answered_stays() -> None:
    room, dropped = ConnectionRoom(100), list[str]()
    answered = FakeConnection("answered", "a", dropped)
    room.waits(answered)
    waiting(room, dropped, ("waiting", "b"))
    room.is_answered(answered)
    assert room.make_room("c")
    assert dropped == ["waiting"]


def test_one_that_waits_again_has_not_waited_longest() -> None:
    room, dropped = ConnectionRoom(100), list[str]()
    again = FakeConnection("again", "a", dropped)
    room.waits(again)
    waiting(room, dropped, ("waiting", "b"))
    room.waits(again)
    assert room.make_room("c")
    assert dropped == ["waiting"]


def test_an_address_with_many_gives_up_its_own() -> None:
    room, dropped = ConnectionRoom(8), list[str]()
    waiting(room, dropped, ("neighbour", "b"), *((f"flood {n}", "a") for n in range(3)))
    assert room.make_room("a")
    assert dropped == ["flood 0"]
    assert room.make_room("a")
    assert dropped[1:] == ["neighbour"], "it has no more than a quarter any longer"


@pytest.mark.parametrize(
    ("wanted", "open_files", "most"),
    [(10_000, 65_536, 10_000), (10_000, 1_024, 1_024 - RESERVED_FILES), (10_000, 256, 64)],
)
def test_connections_leave_file_descriptors_for_the_process(
    wanted: int, open_files: int, most: int
) -> None:
    assert most_connections(wanted, open_files) == most
