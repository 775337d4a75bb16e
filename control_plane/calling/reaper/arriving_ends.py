"""Which calls' ends are in the event stream and will be applied. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from uuid import UUID

from contracts.events import CallEnded
from control_plane.calling.calls.events.envelope import ReceivedEvent, Unreadable


class ArrivingEnds:
    """Fed with every entry of the stream. Keeps only numbers, because the stream can be long."""

    def __init__(self) -> None:
        self._seqs: dict[UUID, set[int]] = defaultdict(set)
        self._end_seqs: dict[UUID, int] = {}

    def add(self, received: ReceivedEvent | Unreadable) -> None:
        if isinstance(received, Unreadable):
            return
        call_id, seq = received.envelope.call_id, received.envelope.seq
        self._seqs[call_id].add(seq)
        if received.event is not None and isinstance(received.event.body, CallEnded):
            self._end_seqs[call_id] = seq

    def on_their_way(
        self, applied_seqs: Mapping[UUID, int], leased: Collection[UUID]
    ) -> frozenset[UUID]:
        """Those of the running calls in ``applied_seqs`` whose ``call.ended`` will be applied.

        An end behind a gap is applied only after its worker has sent the missing events again.
        While the call is ``leased`` its worker is alive and will do so. Without a lease the end
        does not count.

        Args:
            applied_seqs: how far each call's events are applied.
        """
        return frozenset(
            call_id
            for call_id, end_seq in self._end_seqs.items()
            if call_id in applied_seqs
            and (
                call_id in leased
                or self._seqs[call_id].issuperset(range(applied_seqs[call_id] + 1, end_seq))
            )
        )
