"""``apply_changes``, without HTTP: keys, types, the blocklist and what a change implies."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from control_plane.building.agents.changes.apply_changes import (
    NOT_IN_EDIT_MODE,
    Mode,
    Outcome,
    apply_changes,
)
from control_plane.building.agents.changes.flat_keys import flattened, nested, paths_of_keys

LIVE = "gpt-realtime"


def outcome(
    current: dict[str, Any],
    *changes: tuple[str, Any],
    mode: Mode = "edit",
    lenient: bool = False,
) -> Outcome:
    return apply_changes(current, changes, mode, lenient=lenient, is_realtime=LIVE.__eq__)


def test_a_field_is_named_by_its_path_or_alone() -> None:
    by_path = outcome({}, ("playbook.opener", "Hi"), ("advanced.maxCallDuration", 90))
    alone = outcome({}, ("opener", "Hi"), ("maxCallDuration", 90))
    assert by_path.update == alone.update
    assert by_path.update == {"playbook": {"opener": "Hi"}, "advanced": {"maxCallDuration": 90}}


@pytest.mark.parametrize("key", ["model", "provider", "enabled", "prompt", "persona.colour", ""])
def test_a_name_that_could_be_several_fields_is_not_known_alone(key: str) -> None:
    [error] = outcome({}, (key, "x")).errors
    assert error["field"] == key


def test_name_and_language_are_the_agents_own() -> None:
    changes = ("name", "Desk"), ("persona.name", "Mia"), ("language", "fr-FR")
    assert outcome({}, *changes).update == {
        "name": "Desk",
        "persona": {"name": "Mia"},
        "language": "fr-FR",
    }


def test_the_config_keeps_the_keys_that_the_client_uses() -> None:
    current = {"name": "Desk", "advanced.maxCallDuration": 60, "opener": "Hi"}
    changed = outcome(current, ("maxCallDuration", 90), ("playbook.opener", "Hello"))
    assert changed.config == {"name": "Desk", "advanced.maxCallDuration": 90, "opener": "Hello"}
    assert changed.applied == [("advanced.maxCallDuration", 90), ("opener", "Hello")]


def test_an_agent_as_it_is_read_can_be_the_current_config() -> None:
    read = AgentConfig(name="Desk").model_dump(mode="json", by_alias=True) | {
        "id": "x",
        "provider_config": {},
        "compiled_prompt": "…",
        "published_version": None,
        "created_at": "",
        "updated_at": "",
    }
    changed = outcome(read, ("opener", "Hi"))
    assert changed.errors == []
    assert changed.config["playbook.opener"] == "Hi"


def test_every_field_has_a_key_and_paths_lead_back() -> None:
    document = AgentConfig(name="Desk").model_dump(mode="json", by_alias=True)
    flat = flattened(document)
    assert set(flat) <= set(paths_of_keys())
    assert nested(flat) == document


@pytest.mark.parametrize("seconds", [30, 300.5, 7200])
def test_the_longest_call_is_30_to_7200_seconds(seconds: float) -> None:
    assert outcome({}, ("maxCallDuration", seconds)).errors == []


@pytest.mark.parametrize("seconds", [29, 29.9, 7200.1, 7201, -1, 0])
def test_any_other_duration_is_refused(seconds: float) -> None:
    refused = outcome({"opener": "Hi"}, ("opener", "Hello"), ("maxCallDuration", seconds))
    assert {error["field"] for error in refused.errors} == {"maxCallDuration"}
    assert (refused.config, refused.applied, refused.update) == ({"opener": "Hi"}, [], {})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("maxCallDuration", "300"),
        ("recording_enabled", "yes"),
        ("recording_enabled", 1),
        ("opener", 5),
        ("knowledgeBase", "one text"),
        ("requiredSlots", [{"name": "date", "required": "yes"}]),
        ("language", "xx-QQ"),
        ("persona", "a friendly person"),
        ("voice", None),
        ("startSpeakingPhrasing", "sing"),
    ],
)
def test_types_are_enforced_to_the_letter(key: str, value: object) -> None:
    refused = outcome({}, (key, value))
    assert refused.errors
    assert all(error["field"].startswith(key) for error in refused.errors)


@pytest.mark.parametrize("key", sorted(NOT_IN_EDIT_MODE))
def test_what_an_assistant_may_not_change_on_an_existing_agent(key: str) -> None:
    [error] = outcome({}, (key, None), mode="edit").errors
    assert "mode 'edit'" in error["message"]


def test_a_new_agent_may_be_anything() -> None:
    assert outcome({}, ("tools", [{"type": "end_call"}]), mode="create").errors == []


@pytest.mark.parametrize("mode", ["create", "edit"])
def test_what_the_service_derives_is_never_changed(mode: Mode) -> None:
    [error] = outcome({}, ("provider_config", {}), mode=mode, lenient=True).errors
    assert "derived" in error["message"]


def test_unknown_fields_fail_everything_unless_lenient() -> None:
    current, changes = {"colour": "red"}, [("size", 3), ("opener", "Hi")]
    strict = outcome(current, *changes)
    lenient = outcome(current, *changes, lenient=True)
    assert [error["field"] for error in strict.errors] == ["colour", "size"]
    assert strict.applied == []
    assert lenient.errors == []
    assert (lenient.config, len(lenient.warnings)) == ({"opener": "Hi"}, 2)


@pytest.mark.parametrize(
    ("current", "change", "implied"),
    [
        ({"llm_model": "gpt-4.1"}, ("llm_provider", "google"), {"llm_model": None}),
        (
            {"tts_fallback_model": "x"},
            ("tts_fallback_provider", None),
            {"tts_fallback_model": None},
        ),
        (
            {"stt_provider": "deepgram", "tts_model": "x"},
            ("llm_model", LIVE),
            {"stt_provider": None, "tts_model": None},
        ),
        (
            {"language": "en-US", "supported_languages": ["en-US"]},
            ("language", "fr-FR"),
            {"supported_languages": ["fr-FR", "en-US"]},
        ),
        ({"voiceId": "aura"}, ("voice", "Aoede"), {"voiceId": None}),
        ({}, ("llm_provider", "google"), {}),
        ({"supported_languages": []}, ("language", "fr-FR"), {}),
    ],
)
def test_a_change_implies_others(
    current: dict[str, Any], change: tuple[str, Any], implied: dict[str, Any]
) -> None:
    changed = outcome(current, change)
    assert changed.errors == []
    assert dict(changed.applied) == dict([change]) | implied


def test_the_kind_of_an_agent_and_its_sku_go_together() -> None:
    managed = outcome({}, ("managed_sku_id", "starter"), mode="create")
    custom = outcome(managed.config, ("agent_kind", "custom"), mode="create")
    assert managed.config == {"managed_sku_id": "starter", "agent_kind": "managed"}
    assert custom.config == {"managed_sku_id": None, "agent_kind": "custom"}


def test_what_is_changed_by_name_is_not_implied_away() -> None:
    changes = ("llm_provider", "google"), ("llm_model", "gemini-2.5-flash")
    assert dict(outcome({"llm_model": "gpt-4.1"}, *changes).applied) == dict(changes)


def test_null_empties_an_object() -> None:
    emptied = outcome({"persona.role": "clerk"}, ("persona", None))
    assert emptied.update["persona"]["role"] is None
    assert emptied.errors == []
