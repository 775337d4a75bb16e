from __future__ import annotations

from pydantic import TypeAdapter

from contracts.agent_config import PostCall
from control_plane.calling.calls.creating.post_call_merge import PostCallOverride, merge_post_call

AGENTS = PostCall.model_validate(
    {
        "summary": {"enabled": True, "prompt": "Briefly."},
        "structured_extraction": {"json_schema": {"type": "object", "title": "A"}, "prompt": "P"},
        "model": {"provider": "openai", "model": "gpt-4o-mini"},
    }
)


def merged(override: dict[str, object]) -> PostCall:
    return merge_post_call(AGENTS, TypeAdapter(PostCallOverride).validate_python(override))


def test_without_an_override_the_agents_settings_hold() -> None:
    assert merge_post_call(AGENTS, None) == AGENTS
    assert merged({}) == AGENTS


def test_only_what_the_call_sets_is_overridden() -> None:
    both = merged({"summary": {"enabled": False}})
    assert (both.summary.enabled, both.summary.prompt) == (False, "Briefly.")
    assert both.model == AGENTS.model


def test_null_takes_a_setting_away() -> None:
    assert merged({"summary": {"prompt": None}}).summary.prompt is None


def test_null_takes_a_part_away() -> None:
    agents = AGENTS.model_dump()
    cleared = merged({"structured_extraction": None, "model": None})
    assert cleared.model_dump() == agents | {
        "structured_extraction": {"json_schema": None, "prompt": None},
        "model": {"provider": None, "model": None},
    }


def test_a_batch_keeps_that_a_part_was_taken_away() -> None:
    sent = TypeAdapter(PostCallOverride).validate_python({"structured_extraction": None})
    kept = sent.model_dump(mode="json", exclude_unset=True)
    assert merged(kept).structured_extraction.json_schema is None


def test_a_schema_is_replaced_as_a_whole() -> None:
    both = merged({"structured_extraction": {"json_schema": {"type": "array"}}})
    assert both.structured_extraction.json_schema == {"type": "array"}
    assert both.structured_extraction.prompt == "P"
