"""What each level of redaction leaves of an event. ``docs/webhooks.md`` lists the same."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

import pytest

from control_plane.notifying.webhooks.event_names import EMITTED_EVENTS
from control_plane.notifying.webhooks.redaction import (
    CARD,
    MAIL,
    NUMBER,
    PHONE,
    RedactionLevel,
    is_card_number,
    masked_text,
    redacted,
)
from control_plane.notifying.webhooks.samples import sample_data

ID = UUID(int=7)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Call +1 415 555 0100 or mia@example.com.", f"Call {PHONE} or {MAIL}."),
        ("mia@example.com+tom@example.com, a@b.c@d@e.fg.", f"{MAIL}, {MAIL}@{MAIL}."),
        ("Write to x@localhost or y@mail.example", f"Write to x@localhost or {MAIL}"),
        ("Ring 0049 30 901820 now", f"Ring {PHONE} now"),
        ("It is (415) 555-0100", f"It is {PHONE}"),
        ("My card is 4242 4242 4242 4242, thanks", f"My card is {CARD}, thanks"),
        ("My card is 4242 4242 4242 4241", f"My card is {NUMBER}"),
        ("The code is 4711.", f"The code is {NUMBER}."),
        ("Account 12-3456-78", f"Account {NUMBER}"),
        ("A table for 4 at 7:30 on 2026-05-03", "A table for 4 at 7:30 on 2026-05-03"),
        ("Room 101", "Room 101"),
    ],
)
def test_partial_masks_numbers_and_addresses_in_words(text: str, masked: str) -> None:
    assert masked_text(text, in_words=True) == masked


@pytest.mark.parametrize("part", ["a", "-", "1.", "a+", "a@", "1 ", "1"])
def test_the_time_for_a_text_grows_with_its_length(part: str) -> None:
    """A word of 100,000 characters took a minute, in which no other tenant was served."""
    began = time.process_time()
    masked_text(part * 100_000 + "!", in_words=True)
    assert time.process_time() - began < 5


def test_outside_of_words_only_phone_numbers_and_mail_addresses_are_masked() -> None:
    text = "Order 123456 of mia@example.com, +14155550100"
    assert masked_text(text, in_words=False) == f"Order 123456 of {MAIL}, {PHONE}"


def test_partial_keeps_ids_times_and_costs_and_masks_what_was_said() -> None:
    data = sample_data("call.completed", ID, ID)
    left = redacted(data, RedactionLevel.PARTIAL)
    for name in ("call_id", "session_id", "cost", "duration", "status", "provider_cost_breakdown"):
        assert left[name] == data[name]
    assert left["transcript"]["segments"][1] == data["transcript"]["segments"][1] | {
        "text": f"My number is {PHONE}."
    }
    assert PHONE in left["transcript"]["text"]
    assert left["structured_data"] == {"phone": PHONE}


def test_partial_masks_the_dialed_number() -> None:
    data = {"to_number": "+14155550100", "call_id": "0198f0a1-0000-7000-8000-004155550100"}
    assert redacted(data, RedactionLevel.PARTIAL) == data | {"to_number": PHONE}


def test_partial_masks_numbers_that_are_no_text() -> None:
    data: dict[str, Any] = {"structured_data": {"account": 12345678, "guests": 4, "vip": True}}
    left = redacted(data, RedactionLevel.PARTIAL)
    assert left == {"structured_data": {"account": NUMBER, "guests": 4, "vip": True}}


@pytest.mark.parametrize("value", [12345678.0, 1234.56, -1234.5, 1e22, 12.345])
def test_partial_masks_numbers_with_a_fraction_from_four_digits_on(value: float) -> None:
    left = redacted({"structured_data": {"account": value}}, RedactionLevel.PARTIAL)
    assert left == {"structured_data": {"account": NUMBER}}


@pytest.mark.parametrize("value", [0.0, 0.95, 4.5, -12.5, 999.0])
def test_partial_keeps_numbers_with_a_fraction_of_fewer_digits(value: float) -> None:
    data = {"structured_data": {"rating": value}}
    assert redacted(data, RedactionLevel.PARTIAL) == data


@pytest.mark.parametrize("event", EMITTED_EVENTS)
def test_full_sends_no_words(event: str) -> None:
    data = sample_data(event, ID, ID) | {"metadata": {"agent_id": "a", "detail": "He said so"}}
    left = redacted(data, RedactionLevel.FULL)
    assert set(left) == set(data), "receivers find every field"
    for name in ("transcript", "summary", "structured_data", "recording", "title", "message"):
        assert left.get(name) is None
    assert left["metadata"] == {"agent_id": "a", "detail": None}
    for name in ("call_id", "status", "cost", "duration", "notification_id", "event_category"):
        assert left.get(name) == data.get(name)


def test_none_changes_nothing() -> None:
    data = sample_data("call.completed", ID, ID)
    assert redacted(data, RedactionLevel.NONE) == data


def test_card_numbers_have_a_check_digit() -> None:
    assert is_card_number("4242424242424242")
    assert not is_card_number("4242424242424241")
