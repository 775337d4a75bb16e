"""What a dead worker's journal tells of its recording."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from contracts.events import CallEvent, CallMetered, EventBody, RecordingStarted, RecordingStopped
from runtime.journal.adoption import unstopped_recording

RECORDING = UUID(int=9)
STARTED = RecordingStarted(recording_id=RECORDING)
STOPPED = RecordingStopped(recording_id=RECORDING, duration_ms=5000)


def journal(*bodies: EventBody) -> list[CallEvent]:
    return [
        CallEvent(
            call_id=UUID(int=1),
            tenant_id=UUID(int=2),
            seq=number,
            occurred_at=datetime.now(UTC),
            worker_id="worker",
            body=body,
        )
        for number, body in enumerate(bodies, start=1)
    ]


def test_a_recording_that_broke_off_is_to_be_stopped() -> None:
    assert unstopped_recording(journal(STARTED, CallMetered(connected_ms=5000))) == RECORDING


def test_a_recording_that_was_stopped_or_never_began_is_not() -> None:
    assert unstopped_recording(journal(STARTED, STOPPED)) is None
    assert unstopped_recording(journal(CallMetered(connected_ms=5000))) is None
