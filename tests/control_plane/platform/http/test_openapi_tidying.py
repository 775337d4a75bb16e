"""Examples keep their nulls, and nothing is declared that nothing refers to."""

from __future__ import annotations

from typing import Any

from control_plane.platform.http.openapi_tidying import (
    drop_unused_schemas,
    restore_nulls,
    write_summaries_as_sentences,
)


def document(schemas: dict[str, Any], used: str) -> dict[str, Any]:
    return {
        "paths": {"/": {"$ref": f"#/components/schemas/{used}"}},
        "components": {"schemas": schemas},
    }


def test_a_required_field_that_may_be_null_comes_back_at_any_depth() -> None:
    maybe_text = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    inner = {"properties": {"note": maybe_text}, "required": ["note"]}
    reference = {"$ref": "#/components/schemas/Inner"}
    outer = {
        "properties": {
            "one": {"anyOf": [reference, {"type": "null"}]},
            "many": {"type": "array", "items": reference},
            "name": {"type": "string"},
            "label": maybe_text,
        },
        "required": ["one", "many", "name", "label"],
        "example": {"one": {}, "many": [{}, {"note": "kept"}]},
    }
    tidied = document({"Inner": inner, "Outer": outer}, used="Outer")

    restore_nulls(tidied)

    assert outer["example"] == {
        "one": {"note": None},
        "many": [{"note": None}, {"note": "kept"}],
        "label": None,
    }, "a missing name is a mistake of the example's, for the linter to find"


def test_schemas_that_only_unused_ones_refer_to_go_as_well() -> None:
    tidied = document(
        {
            "Used": {"$ref": "#/components/schemas/Below"},
            "Below": {"type": "string"},
            "Unused": {"$ref": "#/components/schemas/BelowUnused"},
            "BelowUnused": {"type": "string"},
        },
        used="Used",
    )

    drop_unused_schemas(tidied)

    assert tidied["components"]["schemas"].keys() == {"Used", "Below"}


def test_the_name_of_a_function_becomes_a_summary_in_words() -> None:
    summaries = ["Create Api Key", "List Llm Options", "Get Call", "Sign up"]
    paths = {str(index): {"get": {"summary": each}} for index, each in enumerate(summaries)}
    write_summaries_as_sentences({"paths": paths})
    assert [each["get"]["summary"] for each in paths.values()] == [
        "Create API key",
        "List LLM options",
        "Get call",
        "Sign up",
    ]
