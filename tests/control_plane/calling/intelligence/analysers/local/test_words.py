from __future__ import annotations

import pytest

from control_plane.calling.intelligence.analysers.local.words import words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("customerName", ["customer", "name"]),
        ("customer_name", ["customer", "name"]),
        ("It’s fine.", ["it's", "fine"]),
        ("पूरा_नाम", ["पूरा", "नाम"]),
        ("ชื่อ-ลูกค้า", ["ชื่อ", "ลูกค้า"]),
    ],
)
def test_names_are_taken_apart_in_every_script(text: str, found: list[str]) -> None:
    assert words(text) == found
