"""Which of the due deliveries begin now. Pure.

Each endpoint has a few slots, so that one that hangs occupies no others. Tenants take turns, and so
do an endpoint's new events and what is replayed to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

SLOTS = 200
SLOTS_OF_ENDPOINT = 8
SLOTS_OF_FAILING_ENDPOINT = 2
"""Its last try has failed."""
SLOTS_OF_DEAD_ENDPOINT = 1
SLOTS_OF_TENANT = 100
"""So that one tenant with many hanging endpoints leaves room for the others."""


@dataclass(frozen=True)
class Due:
    """A delivery that could be tried now."""

    id: UUID
    tenant_id: UUID
    webhook_id: UUID
    is_to_failing_endpoint: bool = False
    is_to_dead_endpoint: bool = False
    is_replay: bool = False


@dataclass
class Busy:
    """How many tries are under way."""

    by_endpoint: Counter[UUID] = field(default_factory=Counter)
    by_tenant: Counter[UUID] = field(default_factory=Counter)
    replays: Counter[UUID] = field(default_factory=Counter)
    """By endpoint."""
    slots: dict[UUID, int] = field(default_factory=dict)
    """Of the endpoints with tries under way."""

    @property
    def free(self) -> int:
        return SLOTS - self.by_endpoint.total()

    def add(self, due: Due) -> None:
        self.slots[due.webhook_id] = _slots(due)
        for counter, key in self._counters(due):
            counter[key] += 1

    def remove(self, due: Due) -> None:
        for counter, key in self._counters(due):
            counter[key] -= 1
            if counter[key] <= 0:
                del counter[key]
        if due.webhook_id not in self.by_endpoint:
            self.slots.pop(due.webhook_id, None)

    def has_room_for(self, due: Due) -> bool:
        return (
            self.free > 0
            and self.by_endpoint[due.webhook_id] < _slots(due)
            and self.by_tenant[due.tenant_id] < SLOTS_OF_TENANT
        )

    def lets_others_go_first(self, due: Due) -> bool:
        """A replay, while more than half of its endpoint's tries are of replays."""
        return due.is_replay and 2 * self.replays[due.webhook_id] > self.by_endpoint[due.webhook_id]

    @property
    def full_endpoints(self) -> list[UUID]:
        """Those that can take nothing more."""
        return [key for key, tries in self.by_endpoint.items() if tries >= self.slots[key]]

    @property
    def full_tenants(self) -> list[UUID]:
        return [key for key, tries in self.by_tenant.items() if tries >= SLOTS_OF_TENANT]

    def _counters(self, due: Due) -> list[tuple[Counter[UUID], UUID]]:
        counters = [(self.by_endpoint, due.webhook_id), (self.by_tenant, due.tenant_id)]
        return [*counters, (self.replays, due.webhook_id)] if due.is_replay else counters


def _slots(due: Due) -> int:
    if due.is_to_dead_endpoint:
        return SLOTS_OF_DEAD_ENDPOINT
    return SLOTS_OF_FAILING_ENDPOINT if due.is_to_failing_endpoint else SLOTS_OF_ENDPOINT


def chosen(due: Sequence[Due], busy: Busy) -> list[Due]:
    """The deliveries to begin, in that order; adds them to ``busy``.

    A tenant's deliveries keep their order, except for replays that let others go first, and each
    tenant gets one turn after the other.
    """
    queues: Mapping[UUID, deque[Due]] = defaultdict(deque)
    for each in sorted(due, key=busy.lets_others_go_first):
        queues[each.tenant_id].append(each)
    turns = deque(queues.values())
    begun: list[Due] = []
    while turns and busy.free > 0:
        queue = turns.popleft()
        while queue:
            each = queue.popleft()
            if busy.has_room_for(each):
                busy.add(each)
                begun.append(each)
                turns.append(queue)
                break
    return begun
