from __future__ import annotations

import json

import pytest

from knowledge.chunking import passages_of
from knowledge.parsing.formats import Format
from knowledge.parsing.readers import markdown_of

ROOMS = [
    {"room": f"number {number}", "notes": "Quiet. " * (number % 7), "# of beds": {"large": 2}}
    for number in range(50)
]


@pytest.mark.parametrize("document", [ROOMS, {"hotel": "Lake", "all": ROOMS}], ids=["array", "in"])
def test_no_passage_parts_the_objects_of_an_array(document: object) -> None:
    markdown = markdown_of(json.dumps(document).encode(), Format.JSON)
    texts = [passage.text for passage in passages_of(markdown, "Hotel")]
    assert len(texts) > 5
    assert sum(text.count("room: number") for text in texts) == len(ROOMS)
    for text in texts:
        first, last = text.splitlines()[0], text.splitlines()[-1]
        assert "room: number" in first or first == "• hotel: Lake"
        assert last.endswith("# of beds large: 2")
