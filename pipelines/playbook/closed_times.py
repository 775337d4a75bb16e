"""Refuses days and times at which the business is closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time

from pipelines.playbook import wording
from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.state import Value
from pipelines.playbook.values.slot_types import Field, Kind

_AT_THE_BUSINESS = frozenset(
    "day date time when hour appointment visit booking meeting preferred reservation pickup pick "
    "arrival viewing class lesson session treatment suitable requested desired slot of the".split()
)
"""Words of labels of days and times at which callers come to the business."""


@dataclass(frozen=True, slots=True)
class ClosedValue:
    key: str
    reason: str


def closed_value(plan: DialoguePlan, values: Mapping[str, Value]) -> ClosedValue | None:
    """The value that cannot be, and the sentence that says why; ``None`` if all can."""
    day_field = _visit(plan, values, Kind.DATE)
    day = date.fromisoformat(values[day_field.key].value) if day_field else None
    if day_field is not None and day is not None and plan.hours.is_closed_on(day):
        return ClosedValue(day_field.key, wording.closed_on(plan.hours, day))
    time_field = _visit(plan, values, Kind.TIME)
    if time_field is None or ":" not in values[time_field.key].value:
        return None
    if plan.hours.is_open_at(time.fromisoformat(values[time_field.key].value), day):
        return None
    return ClosedValue(time_field.key, wording.closed_at(plan.hours, day))


def _visit(plan: DialoguePlan, values: Mapping[str, Value], kind: Kind) -> Field | None:
    return next(
        (
            field
            for field in plan.slots
            if field.kind is kind
            and field.key in values
            and not field.is_past
            and set(field.label.split()) <= _AT_THE_BUSINESS
        ),
        None,
    )
