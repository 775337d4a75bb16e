"""The ids of a call's trace and of its root span, which follow from the call's id."""

from __future__ import annotations

from contextvars import ContextVar
from uuid import UUID

from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator

root_of: ContextVar[UUID | None] = ContextVar("root_of", default=None)
"""The call whose root span is being made."""

_SPAN_ID_MASK = (1 << 64) - 1


def root_span_id(call_id: UUID) -> int:
    """The second half of the call's id. It is not 0, because it begins with the UUID's variant."""
    return call_id.int & _SPAN_ID_MASK


class TraceIds(IdGenerator):
    """Ids of a call for its root span, random ones for all other spans."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    def generate_span_id(self) -> int:
        call_id = root_of.get()
        return self._random.generate_span_id() if call_id is None else root_span_id(call_id)

    def generate_trace_id(self) -> int:
        call_id = root_of.get()
        return self._random.generate_trace_id() if call_id is None else call_id.int
