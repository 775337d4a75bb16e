"""The details that an agent asks for if its prompt lists none, or not all that its task needs."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.agent_config import RequiredSlot
from control_plane.building.agent_builder.local.reading.known_details import known_slots
from control_plane.building.agent_builder.local.reading.prompt_reading import Reading
from pipelines.playbook.values.slot_types import label_of


def slots_of(reading: Reading) -> Iterable[RequiredSlot]:
    """The details that the prompt lists, then those that its tasks need.

    If the prompt lists none, details that are merely useful for the tasks are added as well.
    """
    is_listed = bool(reading.details or reading.questions)
    wanted = list(reading.details)
    for task in reading.tasks:
        more = (
            task.needs if is_listed else (*_without_contact(task.helps), *task.needs, *task.helps)
        )
        wanted += more
    by_name: dict[str, RequiredSlot] = {}
    for slot in wanted:
        by_name.setdefault(slot.name, slot)
    return by_name.values()


def _without_contact(helps: tuple[RequiredSlot, ...]) -> tuple[RequiredSlot, ...]:
    """The details without the caller's name and contact, which are asked for last."""
    return tuple(slot for slot in helps if slot.name not in ("name", "phone_number", "email"))


def completed(listed: Iterable[RequiredSlot], reading: Reading) -> tuple[RequiredSlot, ...]:
    """The details that a prompt lists, then what its tasks need besides: an appointment without a
    day is none."""
    listed = tuple(listed)
    known = {slot.name for slot in listed}
    for slot in listed:
        known |= {same.name for same in known_slots(label_of(slot.name))}
    missing = {
        slot.name: slot
        for task in reading.tasks
        if not (task.is_accompanying or reading.is_outbound)
        for slot in task.needs
        if slot.name not in known
    }
    return (*listed, *missing.values())
