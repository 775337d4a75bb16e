"""Everything that an operator can set is on a page."""

from __future__ import annotations

import re

import pytest

from carriers.account import CarrierName
from switchboard.processes.process_environment import variables_of
from switchboard.settings import Settings
from tests.docs.blocks import PAGES

FOR_TESTS = {f"{name}_base_url" for name in CarrierName}
"""Addresses of stand-ins."""
MADE_BY_ITSELF = {"bridge_id"}
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]+\b")
NAMED = {name for page in PAGES for name in _VARIABLE.findall(page.read_text())}


@pytest.mark.parametrize("field", sorted(Settings.model_fields.keys() - FOR_TESTS - MADE_BY_ITSELF))
def test_every_setting_is_on_a_page(field: str) -> None:
    names = set(variables_of(field))
    # Tables leave the prefix out.
    assert (names | {name.removeprefix("SWITCHBOARD_") for name in names}) & NAMED
