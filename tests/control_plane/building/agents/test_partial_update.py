"""Partial updates, without a database. The model is RFC 7396, restated in the test."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from control_plane.building.agents.documents import checked, stored_form
from control_plane.building.agents.partial_update import changed_fields, merged

TEXTS = st.none() | st.text(max_size=5)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(min_size=1, max_size=5),
        "language": st.sampled_from(["en-US", "EN-gb", "hi-IN"]),
        "supported_languages": st.lists(st.sampled_from(["en-US", "fr-FR", "hi-IN"]), max_size=3),
        "system_prompt": TEXTS,
        "llm_provider": TEXTS,
        "persona": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "companyName": TEXTS,
                "knowledgeBase": st.none() | st.lists(st.text(max_size=3), max_size=2),
                "voiceConfig": st.none()
                | st.fixed_dictionaries(
                    {}, optional={"bargeInEnabled": st.booleans(), "voiceId": TEXTS}
                ),
            },
        ),
        "playbook": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "opener": TEXTS,
                "requiredSlots": st.none()
                | st.lists(st.fixed_dictionaries({"name": st.text(max_size=3)}), max_size=2),
            },
        ),
        "advanced": st.none()
        | st.fixed_dictionaries(
            {}, optional={"maxCallDuration": st.integers(1, 9), "stt_keywords": TEXTS}
        ),
        "post_call": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "structured_extraction": st.none()
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "prompt": TEXTS,
                        "json_schema": st.none()
                        | st.dictionaries(
                            st.sampled_from(["a", "b"]), st.none() | st.booleans(), max_size=2
                        ),
                    },
                )
            },
        ),
        "tools": st.none() | st.lists(st.just({"type": "end_call"}), max_size=1),
    },
)


def replaced(document: Any, change: Any, path: tuple[str, ...] = ()) -> Any:
    """The model: what a partial update means, said in the shortest way."""
    if not isinstance(change, dict) or path[-1:] == ("json_schema",):
        return change
    base = document if isinstance(document, dict) else {}
    return base | {
        name: replaced(base.get(name), value, (*path, name)) for name, value in change.items()
    }


@given(st.lists(CHANGES, max_size=6))
def test_any_sequence_of_updates_equals_the_merged_document(
    changes: list[dict[str, Any]],
) -> None:
    """Each update is checked and stored before the next one, as the service does."""
    stored = stored_form(checked({"name": "Desk"}))
    document: Any = {"name": "Desk"}
    for change in changes:
        stored = stored_form(checked(merged(stored, change)))
        document = replaced(document, change)
    assert stored == stored_form(checked(document))


@given(CHANGES)
def test_an_update_that_is_repeated_changes_nothing_more(change: dict[str, Any]) -> None:
    once = stored_form(checked(merged({"name": "Desk"}, change)))
    assert stored_form(checked(merged(once, change))) == once
    assert merged(once, {}) == once


def test_what_is_left_out_stays_at_every_depth() -> None:
    stored = {"persona": {"name": "Mia", "voiceConfig": {"voiceId": "a", "language": None}}}
    change = {"persona": {"voiceConfig": {"voiceId": "b"}}}
    assert merged(stored, change) == {
        "persona": {"name": "Mia", "voiceConfig": {"voiceId": "b", "language": None}}
    }
    assert stored["persona"]["voiceConfig"] == {"voiceId": "a", "language": None}


def test_arrays_and_json_schemas_are_replaced_whole() -> None:
    extraction = {"json_schema": {"type": "object", "required": ["a"]}, "prompt": "p"}
    stored = {"tools": [1, 2], "post_call": {"structured_extraction": extraction}}
    change = {"tools": [3], "post_call": {"structured_extraction": {"json_schema": {"a": None}}}}
    assert merged(stored, change) == {
        "tools": [3],
        "post_call": {"structured_extraction": {"json_schema": {"a": None}, "prompt": "p"}},
    }


def test_changed_fields_are_named_by_their_paths() -> None:
    before = {"name": "a", "persona": {"role": None, "name": "b"}, "tools": []}
    after = {"name": "a", "persona": {"role": "clerk", "name": "b"}, "tools": [{}]}
    assert changed_fields(before, after) == ["persona.role", "tools"]
