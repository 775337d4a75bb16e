from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from contracts.call_offer import OFFER_TTL, CallOffer
from link.stream_entry import StreamEntry
from runtime.link.offered_call import OfferedCall, UnreadableOffer, read_offer
from tests.runtime.fakes import call_plan

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PLAN = call_plan(created_at=NOON - timedelta(minutes=10))
OFFER = CallOffer.made(PLAN.call_id, PLAN.tenant_id, NOON)
DOCUMENT, HEADER = PLAN.model_dump_json(), OFFER.model_dump_json()
ENTRY_ID = f"{int(NOON.timestamp() * 1000)}-0"


def test_an_offer_is_valid_until_its_own_deadline_however_old_its_call_is() -> None:
    offered = read_offer(StreamEntry(ENTRY_ID, DOCUMENT, HEADER))
    assert offered == OfferedCall(OFFER, PLAN)
    assert not OFFER.has_expired(NOON + OFFER_TTL)
    assert OFFER.has_expired(NOON + OFFER_TTL + timedelta(seconds=1))


def test_an_offer_of_release_0_1_was_made_when_its_entry_was_added() -> None:
    assert read_offer(StreamEntry(ENTRY_ID, DOCUMENT)) == OfferedCall(OFFER, PLAN)


def test_fields_of_a_later_release_are_ignored() -> None:
    later = [json.dumps(json.loads(each) | {"mood": "sunny"}) for each in (DOCUMENT, HEADER)]
    assert read_offer(StreamEntry(ENTRY_ID, *later)) == OfferedCall(OFFER, PLAN)


NEWER_PLAN = json.dumps(json.loads(DOCUMENT) | {"version": 2})
NEWER_HEADER = json.dumps(json.loads(HEADER) | {"version": 2})


@pytest.mark.parametrize(
    ("document", "header", "call_id"),
    [
        (NEWER_PLAN, HEADER, PLAN.call_id),
        (NEWER_PLAN, "", PLAN.call_id),
        (DOCUMENT, NEWER_HEADER, PLAN.call_id),
        ("{", HEADER, PLAN.call_id),
        (DOCUMENT, "{", PLAN.call_id),
        ("", "", None),
        ("[]", "5", None),
    ],
)
def test_what_cannot_be_read_still_names_its_call_if_any_part_does(
    document: str, header: str, call_id: UUID | None
) -> None:
    offered = read_offer(StreamEntry(ENTRY_ID, document, header))
    assert isinstance(offered, UnreadableOffer)
    assert offered.call_id == call_id
    assert offered.fault.startswith("Call")
