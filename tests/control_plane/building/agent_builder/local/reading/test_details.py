"""The details that a sentence tells the agent to ask for."""

from __future__ import annotations

import pytest

from control_plane.building.agent_builder.local.reading.details import details_in


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Ask for their name, phone number and shoe size.", ["name", "phone_number", "shoe_size"]),
        ("Collect the name politely.", ["name"]),
        ("Collect overdue payments politely.", []),
        ("Call our donors and collect donations.", []),
        ("Customers ask for refunds.", []),
    ],
)
def test_details_are_asked_for_and_tasks_are_not(sentence: str, names: list[str]) -> None:
    assert [slot.name for slot in details_in(sentence)] == names
