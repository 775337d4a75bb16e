"""``THIRD_PARTY.md`` agrees with the lock file, and hides nothing that a licence asks for."""

from __future__ import annotations

import os
import re
import sys

import pytest

from tests.deploy.third_party import (
    DOCUMENT,
    locked_versions,
    normal,
    packages,
    read_notes,
    render,
    shipped,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the page describes Linux")

UPDATE = "SWITCHBOARD_UPDATE_DOCS"
"""Environment variable: with it, the document is written instead of compared."""
PERMISSIVE = re.compile(r"\b(MIT|Apache|BSD|0BSD|ISC|PSF|Python Software Foundation)\b")


def test_the_document_is_up_to_date() -> None:
    notes = read_notes()
    text = render(packages(notes), notes)
    if os.environ.get(UPDATE):
        DOCUMENT.write_text(text)
    assert DOCUMENT.read_text() == text, f"run `make docs` to update {DOCUMENT.name}"


def test_every_package_names_its_licence() -> None:
    assert [each.name for each in packages(read_notes()) if not each.licence] == []


def test_what_is_not_plainly_permissive_says_what_follows() -> None:
    notes = read_notes()
    explained = {normal(name.strip()) for names in notes.obligations for name in names.split(",")}
    unexplained = [
        each.name
        for each in packages(notes)
        if (not PERMISSIVE.search(each.licence) or re.search(r"GPL|MPL|Model", each.licence))
        and each.name not in explained
    ]
    assert unexplained == []


def test_notes_are_about_packages_that_are_shipped() -> None:
    notes = read_notes()
    named = {
        name.strip() for names in (*notes.licences, *notes.obligations) for name in names.split(",")
    }
    assert {normal(name) for name in named} - shipped() == set()


def test_nothing_that_only_tests_need_is_listed() -> None:
    assert {"pytest", "mypy", "hypothesis"} & shipped() == set()
    assert {"fastapi", "livekit-agents", "moonshine-voice"} <= shipped() <= set(locked_versions())
