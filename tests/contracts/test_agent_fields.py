"""``docs/agent-fields.md`` names every field of an agent, and for each a test that exists.

``make docs`` updates the page.
"""

from __future__ import annotations

import os

from tests.contracts.agent_fields_table import DOCUMENT, ROOT, fields, said, with_table


def test_every_field_is_explained_and_nothing_else() -> None:
    assert [field.path for field in fields()] == list(said())


def test_the_tests_that_show_it_exist() -> None:
    missing = []
    for path, row in said().items():
        file, _, name = row.test.partition("::")
        source = ROOT / "tests" / file
        if not source.is_file() or f"def {name}(" not in source.read_text():
            missing.append(f"{path}: {row.test}")
    assert missing == []


def test_the_page_has_the_present_table() -> None:
    page = DOCUMENT.read_text()
    if os.environ.get("SWITCHBOARD_UPDATE_DOCS"):
        DOCUMENT.write_text(with_table(page))
    assert DOCUMENT.read_text() == with_table(page), "run `make docs`"
