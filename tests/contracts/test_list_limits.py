"""Every list and every map of an agent has a limit: others share the processes that read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.agent_config import MAX_ITEMS, MAX_PASSAGES, AgentConfig
from contracts.tool_bindings import MAX_KEYWORDS
from contracts.versions import read_object

HANDLER = {"trigger": "too expensive", "response": "We have a cheaper one."}


def agent(**playbook: Any) -> dict[str, Any]:
    return {"name": "Nora", "playbook": playbook}


def extraction(keywords: int) -> dict[str, Any]:
    schema = {f"x-{number}": number for number in range(keywords)}
    return {"name": "Nora", "post_call": {"structured_extraction": {"json_schema": schema}}}


def without_limit(schema: Any, path: str = "") -> Iterator[str]:
    """Paths of the arrays and maps in a JSON Schema that may have any number of entries."""
    if isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from without_limit(part, f"{path}/{index}")
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")
    if kind == "array" and "maxItems" not in schema:
        yield path
    is_map = kind == "object" and schema.get("additionalProperties") is not False
    if is_map and "maxProperties" not in schema:
        yield path
    for name, part in schema.items():
        yield from without_limit(part, f"{path}/{name}")


def test_every_list_and_map_has_a_limit() -> None:
    assert list(without_limit(AgentConfig.model_json_schema())) == []


def test_the_walk_finds_what_has_none() -> None:
    schema = {"properties": {"a": {"type": "array"}, "b": {"anyOf": [{"type": "object"}]}}}
    assert list(without_limit(schema)) == ["/properties/a", "/properties/b/anyOf/0"]


@pytest.mark.parametrize(
    "sent",
    [
        agent(objectionHandlers=[HANDLER] * 18_000),
        agent(objectionHandlers=[HANDLER] * (MAX_ITEMS + 1)),
        {"name": "Nora", "persona": {"knowledgeBase": ["fact"] * (MAX_PASSAGES + 1)}},
        extraction(MAX_KEYWORDS + 1),
    ],
)
def test_a_longer_list_is_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="at most"):
        AgentConfig.model_validate(sent)


def test_a_list_at_the_limit_is_taken() -> None:
    taken = AgentConfig.model_validate(agent(objectionHandlers=[HANDLER] * MAX_ITEMS))
    assert len(taken.playbook.objection_handlers) == MAX_ITEMS


def test_what_was_stored_before_there_was_a_limit_is_cut() -> None:
    stored = read_object(AgentConfig, agent(objectionHandlers=[HANDLER] * 18_000))
    assert len(stored.playbook.objection_handlers) == MAX_ITEMS


def test_a_schema_that_was_stored_before_there_was_a_limit_is_whole() -> None:
    stored = read_object(AgentConfig, extraction(MAX_KEYWORDS + 1))
    schema = stored.post_call.structured_extraction.json_schema
    assert schema is not None
    assert len(schema) == MAX_KEYWORDS + 1
    at_the_limit = AgentConfig.model_validate(extraction(MAX_KEYWORDS))
    assert at_the_limit.post_call.structured_extraction.json_schema is not None
