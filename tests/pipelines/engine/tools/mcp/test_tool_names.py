"""Names of a server's tools are valid for every provider of language models, and unique."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.engine.tools.mcp.tool_names import name_for_model

VALID = re.compile(r"[a-z][a-zA-Z0-9_]{0,63}")


@pytest.mark.parametrize(
    ("tool", "taken", "name"),
    [
        ("find", set(), "crm_find"),
        ("find.a-b/c", set(), "crm_find_a_b_c"),
        ("findCustomer", set(), "crm_findCustomer"),
        ("find", {"crm_find"}, "crm_find_2"),
        ("find", {"crm_find", "crm_find_2"}, "crm_find_3"),
        ("x" * 100, set(), "crm_" + "x" * 60),
        ("x" * 100, {"crm_" + "x" * 60}, "crm_" + "x" * 58 + "_2"),
    ],
)
def test_a_name_begins_with_the_bindings(tool: str, taken: set[str], name: str) -> None:
    assert name_for_model("crm", tool, taken) == name


@given(st.lists(st.text(min_size=1, max_size=128), max_size=30))
def test_names_of_any_tools_are_valid_and_unique(tools: list[str]) -> None:
    taken: set[str] = set()
    for tool in tools:
        name = name_for_model("b" * 64, tool, taken)
        assert VALID.fullmatch(name)
        assert name not in taken
        taken.add(name)
