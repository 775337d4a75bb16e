"""Broken documents of the link: plans, events, commands, reports, heartbeats, live messages."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from uuid import UUID

from pydantic import BaseModel, ValidationError

from contracts.call_offer import CallOffer
from contracts.live_messages import LiveMessage, LiveTranscript, ParticipantStateChanged
from contracts.versions import call_id_in, fault, read_json
from tests.contracts.test_release_0_1 import MODELS, documents
from tests.fuzz.mutation import mutated_json
from tests.fuzz.outcome import Outcome
from tests.fuzz.own_time import own_ms

LONGEST_MS = 250.0
_LIVE = (
    LiveTranscript(utterance=1, speaker="user", text="Hello", is_final=True, at_ms=5, sequence=0),
    ParticipantStateChanged(participant_id=UUID(int=3), state="connected"),
)


def samples() -> list[tuple[type[BaseModel], str]]:
    """Of every kind, with its model."""
    own: list[BaseModel] = [
        CallOffer.made(UUID(int=1), UUID(int=2), datetime(2026, 1, 1, tzinfo=UTC), 30_000),
        *(LiveMessage(body=body) for body in _LIVE),
    ]
    recorded: list[tuple[type[BaseModel], str]] = [
        (MODELS[name], line) for name, line in documents()
    ]
    return recorded + [(type(each), each.model_dump_json()) for each in own]


def fuzz_documents(dice: Random, count: int) -> Outcome:
    """Read ``count`` broken documents: each is read or refused as a whole, and soon."""
    outcome = Outcome("documents")
    known = samples()
    while outcome.inputs < count:
        model, sample = dice.choice(known)
        document = mutated_json(dice, sample)
        began_at_ms = own_ms()
        try:
            outcome.taken += _is_read(model, document)
        except Exception as error:  # noqa: BLE001 - any of them is a fault
            outcome.faults.append(f"{error!r} from {document[:200]!r}")
        took_ms = own_ms() - began_at_ms
        outcome.longest_ms = max(outcome.longest_ms, took_ms)
        outcome.inputs += 1
        outcome.note_memory(outcome.inputs / count)
    if outcome.longest_ms > LONGEST_MS:
        outcome.faults.append(f"one document took {outcome.longest_ms:.0f} ms")
    outcome.close()
    return outcome


def _is_read(model: type[BaseModel], document: str | bytes) -> bool:
    call_id_in(document)
    try:
        read = read_json(model, document)
    except ValidationError as error:
        fault(error)
        return False
    read.model_dump_json(by_alias=True)
    return True
