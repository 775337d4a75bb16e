"""Differences by JSON Pointer, held against applying them."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from control_plane.building.agents.versions.json_diff import Difference, differences

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text("a/~0", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("a/~0", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


def applied(document: Any, changes: list[Difference]) -> Any:
    """RFC 6902 in small: removals from the end, so that earlier places keep their numbers."""
    root = {"": copy.deepcopy(document)}
    removals = [change for change in changes if change.op == "remove"]
    for change in [c for c in changes if c.op != "remove"] + removals[::-1]:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in change.path.split("/")]
        parent: Any = root
        for part in parts[:-1]:
            parent = parent[int(part)] if isinstance(parent, list) else parent[part]
        last = int(parts[-1]) if isinstance(parent, list) else parts[-1]
        if change.op == "remove":
            del parent[last]
        elif change.op == "add" and isinstance(parent, list):
            parent.append(change.after)
        else:
            parent[last] = change.after
    return root[""]


@given(JSON, JSON)
def test_applying_the_differences_gives_the_other_document(before: Any, after: Any) -> None:
    assert applied(before, list(differences(before, after))) == after


@given(JSON)
def test_a_document_does_not_differ_from_itself(document: Any) -> None:
    assert list(differences(document, copy.deepcopy(document))) == []


def test_each_change_tells_what_was_and_what_is() -> None:
    before = {"a": {"b": 1, "c": 2}, "list": [1, 2]}
    after = {"a": {"b": 3, "d": None}, "list": [1]}
    assert list(differences(before, after)) == [
        Difference("replace", "/a/b", 1, 3),
        Difference("remove", "/a/c", 2, None),
        Difference("add", "/a/d", None, None),
        Difference("remove", "/list/1", 2, None),
    ]


def test_true_is_not_one() -> None:
    assert list(differences({"a": True}, {"a": 1})) == [Difference("replace", "/a", True, 1)]
