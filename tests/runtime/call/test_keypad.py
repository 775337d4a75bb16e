from runtime.call.keypad import ENTRY_PAUSE_SECONDS, LONGEST_ENTRY, Keypad


def test_a_hash_ends_an_entry_and_is_no_part_of_it() -> None:
    keypad = Keypad()
    assert keypad.pressed("12", now=0) == []
    assert keypad.pressed("34#", now=1) == ["1234"]
    assert keypad.ends_at is None


def test_without_a_hash_an_entry_ends_after_a_pause() -> None:
    keypad = Keypad()
    keypad.pressed("1", now=0)
    keypad.pressed("2", now=1)
    assert keypad.due(now=ENTRY_PAUSE_SECONDS) is None
    assert keypad.due(now=1 + ENTRY_PAUSE_SECONDS) == "12"
    assert keypad.due(now=100) is None


def test_a_lone_hash_confirms() -> None:
    assert Keypad().pressed("#", now=0) == ["#"]


def test_several_entries_at_once_come_in_order() -> None:
    assert Keypad().pressed("1#2#3", now=0) == ["1", "2"]


def test_an_entry_without_end_is_cut() -> None:
    keypad = Keypad()
    assert keypad.pressed("7" * (LONGEST_ENTRY + 1), now=0) == ["7" * LONGEST_ENTRY]
