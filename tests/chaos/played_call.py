"""What a simulated worker has written down about one call: what the database has to agree with."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from contracts.call_plan import CallPlan
from contracts.events import CallEvent, EventBody
from tests.chaos.fates import Death


@dataclass
class PlayedCall:
    """``is_shipped``: every journaled event was seen to be applied."""

    plan: CallPlan
    worker_id: str
    death: Death
    journal: list[CallEvent] = field(default_factory=list)
    is_shipped: bool = False

    def note(self, body: EventBody) -> CallEvent:
        event = CallEvent(
            call_id=self.plan.call_id,
            tenant_id=self.plan.tenant_id,
            seq=len(self.journal) + 1,
            occurred_at=datetime.now(UTC),
            worker_id=self.worker_id,
            body=body,
        )
        self.journal.append(event)
        return event
