from __future__ import annotations

from pipelines.engine.providers.google_live.heard_words import HeardWords


def test_words_that_come_bit_by_bit_are_one_turn() -> None:
    heard = HeardWords(began_at=5.0)
    first, second = heard.take(" What are"), heard.take(" your hours?")
    last = heard.complete()
    assert first is not None
    assert second is not None
    assert last is not None
    told = [
        (each.transcript, each.is_final, each.turn_started_at) for each in (first, second, last)
    ]
    assert told == [
        ("What are", False, 5.0),
        ("What are your hours?", False, 5.0),
        ("What are your hours?", True, 5.0),
    ]
    assert first.item_id == second.item_id == last.item_id


def test_they_are_complete_once() -> None:
    heard = HeardWords(began_at=0.0)
    heard.take("Yes.")
    assert heard.complete() is not None
    assert heard.take(" No.") is None
    assert heard.complete() is None


def test_without_words_nothing_is_complete_and_late_ones_still_count() -> None:
    heard = HeardWords(began_at=0.0)
    assert heard.complete() is None
    assert heard.take("Yes.") is not None
    assert heard.complete() is not None
