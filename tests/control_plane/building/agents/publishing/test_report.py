from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from control_plane.building.agents.publishing.prompt_preview import prompt_preview
from control_plane.building.agents.publishing.report import publish_report
from control_plane.building.agents.stacks import StackReport
from control_plane.building.agents.tool_capabilities import BoundToolView
from pipelines.stack import StackProblem
from tests.pipelines.plans import LOCAL_STACK

GOOD: dict[str, Any] = {
    "name": "Front desk",
    "persona": {"name": "Mia", "companyName": "Bright Smiles"},
    "playbook": {"opener": "Hello, this is Mia.", "endCallMessage": "Goodbye."},
}


def agent(**fields: Any) -> AgentConfig:
    return AgentConfig.model_validate(GOOD | fields)


def report(config: AgentConfig, stacks: StackReport | None = None, **options: Any) -> Any:
    served = StackReport({config.language: LOCAL_STACK}, {})
    return publish_report(config, stacks or served, **options)


def found(findings: Any) -> list[tuple[str, str]]:
    return [(finding.code, finding.field) for finding in findings]


def test_a_good_agent_has_nothing_to_report() -> None:
    said = report(agent())
    assert said.ready
    assert (said.blockers, said.warnings) == ((), ())


def test_a_bare_agent_may_be_published_and_is_told_what_it_lacks() -> None:
    said = report(AgentConfig(name="Reception"))
    assert said.ready
    assert found(said.warnings) == [
        ("nothing_to_say", "playbook"),
        ("opener_missing", "playbook.opener"),
        ("end_message_missing", "playbook.endCallMessage"),
    ]
    assert "Hello, this is Reception." in said.warnings[1].message


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"playbook": {"opener": "one\n{{ two"}}, "template_broken", "playbook.opener"),
        (
            {"playbook": {"scripts": [{"title": "a", "content": "{% set a = 1 %}"}]}},
            "template_broken",
            "playbook.scripts[0].content",
        ),
        ({"advanced": {"offLimitsTopics": "{{ 1 * 2 }}"}}, "template_broken", None),
        ({"advanced": {"prompt_mode": "raw"}}, "prompt_missing", "system_prompt"),
        (
            {"advanced": {"prompt_mode": "raw"}, "system_prompt": " "},
            "prompt_missing",
            "system_prompt",
        ),
        ({"custom_llm_url": "https://llm.example.com/v1"}, "tier_required", "custom_llm_url"),
    ],
)
def test_what_stands_in_the_way(fields: dict[str, Any], code: str, field: str | None) -> None:
    said = report(agent(**fields))
    assert not said.ready
    assert found(said.blockers) == [(code, field or "advanced.offLimitsTopics")]
    assert all(finding.message and finding.fix for finding in said.blockers)


def test_a_broken_template_names_its_line() -> None:
    [blocker] = report(agent(playbook={"opener": "one\n{{ two"})).blockers
    assert "Line 2 of playbook.opener" in blocker.message


def test_every_language_that_is_not_served_is_a_blocker() -> None:
    problem = StackProblem("stt", "No model covers it: choose another.", "stt_model")
    stacks = StackReport({"en-US": LOCAL_STACK}, {"fr-FR": problem, "de-DE": problem})
    said = report(agent(supported_languages=["en-US", "fr-FR", "de-DE"]), stacks)
    assert found(said.blockers) == [("language_not_served", "stt_model")] * 2
    assert "fr-FR" in said.blockers[0].message


def test_the_enterprise_tier_may_use_its_own_endpoints() -> None:
    config = agent(custom_llm_url="https://llm.example.com/v1")
    assert report(config, tier="enterprise").ready


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        (
            {"custom_llm_url": "wss://llm.example.com"},
            "custom_llm_url",
            "custom_llm_url must begin with https://, because a language model is asked over that.",
        ),
        (
            {"custom_transcriber_url": "https://stt.example.com"},
            "custom_transcriber_url",
            "custom_transcriber_url must begin with wss://, because a transcriber is asked over "
            "that.",
        ),
        (
            {"custom_voice_url": "https://tts.example.com"},
            "custom_voice_url",
            "custom_voice_url must begin with wss://, because custom_voice_mode is svc.",
        ),
        (
            {"custom_voice_url": "wss://tts.example.com", "custom_voice_mode": "compat"},
            "custom_voice_url",
            "custom_voice_url must begin with https://, because custom_voice_mode is compat.",
        ),
    ],
)
def test_an_endpoint_needs_the_scheme_of_its_format(
    fields: dict[str, Any], field: str, said: str
) -> None:
    found = report(agent(**fields), tier="enterprise")
    assert not found.ready
    [blocker] = found.blockers
    assert (blocker.code, blocker.field, blocker.message) == ("scheme_not_supported", field, said)
    managed = agent(**fields, agent_kind="managed", managed_sku_id="sku")
    assert report(managed, tier="enterprise").ready, "its SKU decides"


def test_an_agent_without_a_name_waits_for_one() -> None:
    assert found(report(agent(), is_named=False).blockers) == [("name_missing", "name")]


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"playbook": {"opener": "Hi"}}, "end_message_missing", "playbook.endCallMessage"),
        ({"persona": {"role": "{{ role }}"}}, "variable_needed", "persona.role"),
        ({"advanced": {"maxCallDuration": 20}}, "call_duration_out_of_range", None),
        ({"advanced": {"maxCallDuration": 7201}}, "call_duration_out_of_range", None),
        (
            {"advanced": {"silencePromptDelay": 20}},
            "hangup_before_nudge",
            "advanced.postSilenceHangup",
        ),
        (
            {"advanced": {"postSilenceHangup": 600}},
            "hangup_after_end",
            "advanced.postSilenceHangup",
        ),
        ({"advanced": {"maxTurnLength": 601}}, "turn_longer_than_call", "advanced.maxTurnLength"),
        ({"advanced": {"replyDelay": 9000}}, "reply_delay_long", "advanced.replyDelay"),
        (
            {"features": {"recording_enabled": True, "require_consent": False}},
            "recording_unannounced",
            "features.require_consent",
        ),
        ({"name": "x" * 101}, "name_long", "name"),
    ],
)
def test_what_the_owner_should_know(fields: dict[str, Any], code: str, field: str | None) -> None:
    said = report(agent(**fields))
    assert said.ready
    assert (code, field or "advanced.maxCallDuration") in found(said.warnings)


def playbook(**fields: Any) -> dict[str, Any]:
    return {"playbook": GOOD["playbook"] | fields}


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        (
            playbook(requiredSlots=[{"name": "day"}, {"name": "day"}]),
            "slot_twice",
            "playbook.requiredSlots[1].name",
        ),
        (
            playbook(requiredSlots=[{"name": " "}]),
            "slot_without_name",
            "playbook.requiredSlots[0].name",
        ),
        (
            playbook(requiredSlots=[{"name": "phoneNumber"}])
            | {"advanced": {"prompt_mode": "raw"}, "system_prompt": "Ask for a phone."},
            "slot_never_asked",
            "playbook.requiredSlots[0].name",
        ),
        (
            playbook(scripts=[{"title": "", "when": "!", "content": "x"}]),
            "never_set_off",
            "playbook.scripts[0].when",
        ),
        (
            playbook(
                scripts=[{"title": "a", "when": "Parking?", "content": "x"}],
                objectionHandlers=[{"trigger": "parking", "response": "y"}],
            ),
            "never_set_off",
            "playbook.objectionHandlers[0].trigger",
        ),
        (
            playbook(objectionHandlers=[{"trigger": "price", "response": ""}]),
            "nothing_to_answer",
            "playbook.objectionHandlers[0].trigger",
        ),
        (
            playbook(scripts=[{"title": "Pain", "content": "It is 100% Painless."}])
            | {"advanced": {"prohibitedClaims": "guaranteed, painless"}},
            "prohibited_claim_said",
            "playbook.scripts[0].content",
        ),
        (
            {"advanced": {"prompt_mode": "raw"}, "system_prompt": "Be kind."},
            "ignored_in_raw_mode",
            "advanced.prompt_mode",
        ),
    ],
)
def test_gaps_and_contradictions_in_what_is_said(
    fields: dict[str, Any], code: str, field: str
) -> None:
    said = report(agent(**fields))
    assert said.ready
    assert (code, field) in found(said.warnings)


@pytest.mark.parametrize(
    "fields",
    [
        playbook(requiredSlots=[{"name": "phoneNumber"}]),
        playbook(scripts=[{"title": "a", "content": "x"}, {"title": "b", "content": "x"}]),
        playbook(scripts=[{"title": "Pain", "content": "Painlessness is no word of ours."}])
        | {"advanced": {"prohibitedClaims": "painless"}},
        {"persona": {"role": "{{ role|default('clerk') }}", "companyName": "B"}},
        {"persona": {}, "playbook": {}, "system_prompt": 'Say goodbye with "Bye." Greeting: "Hi!"'},
    ],
)
def test_no_false_alarm(fields: dict[str, Any]) -> None:
    assert found(report(agent(**fields)).warnings) == []


def test_languages_that_only_the_platform_lacks_words_for() -> None:
    config = agent(language="fi-FI", supported_languages=["fi-FI", "en-US"])
    stacks = StackReport(
        {"fi-FI": LOCAL_STACK, "en-US": LOCAL_STACK},
        {},
        {"fi-FI": ("The voice Aoede is replaced by Bella.", "The fallback x is not used.")},
    )
    assert [code for code, _ in found(report(config, stacks).warnings)] == [
        "voice_replaced",
        "stack_differs",
        "phrases_missing",
        "offline_engine_speaks_english",
        "opener_in_one_language",
    ]


def test_a_voice_that_cannot_say_a_word_by_its_phonemes_is_named() -> None:
    entries = [
        {"word": "Nguyen", "say_as": "win", "ipa": "wɪn"},
        {"word": "Jorge", "say_as": "hor hay", "ipa": "ˈxoɾxe"},
        {"word": "SQL", "say_as": "sequel"},
    ]
    config = agent(advanced={"pronunciations": entries})
    flash = ProviderChoice(provider="elevenlabs", model="eleven_flash_v2_5", voice="Aria")
    voices = ResolvedChannel(primary=flash, fallback=LOCAL_STACK.tts.primary)
    stack = LOCAL_STACK.model_copy(update={"tts": voices})
    warnings = report(config, StackReport({"en-US": stack}, {})).warnings
    assert found(warnings) == [("ipa_not_spoken", "advanced.pronunciations")] * 2
    assert "elevenlabs/eleven_flash_v2_5 takes no phonemes" in warnings[0].message
    assert "says Nguyen, Jorge as" in warnings[0].message
    assert "local/hibari-en has not all of the phonemes: it says Jorge as" in warnings[1].message

    assert found(report(agent(advanced={"pronunciations": entries[::2]})).warnings) == []


def test_a_tool_that_cannot_run_is_named_with_the_reason() -> None:
    tool = BoundToolView(type="transfer", can_run=False, reasons=["No."], index=3, name="boss")
    [warning] = report(agent(), tools=[tool]).warnings
    assert (warning.code, warning.field) == ("tool_cannot_run", "tools[3]")
    assert "boss" in warning.message
    assert "No." in warning.message


_texts = st.sampled_from(
    ["", "Hi {{ name }}", "{{ broken", "{% for a in b %}{{ a }}{% endfor %}", "{{ a|nope }}"]
) | st.text(max_size=30)
_variables = st.dictionaries(
    st.sampled_from(["name", "a", "b"]),
    st.none() | st.text() | st.integers() | st.lists(st.text(max_size=5), max_size=3),
)
_configs = st.builds(
    AgentConfig,
    name=st.text(min_size=1, max_size=20),
    system_prompt=st.none() | _texts,
    persona=st.builds(
        dict,
        name=_texts,
        role=_texts,
        companyName=_texts,
        knowledgeBase=st.lists(_texts, max_size=2),
        callerPersonas=st.lists(st.builds(dict, type=_texts, approach=_texts), max_size=2),
    ),
    playbook=st.builds(
        dict,
        opener=_texts,
        qualificationFlow=st.lists(st.builds(dict, question=_texts, listensFor=_texts), max_size=2),
        requiredSlots=st.lists(st.builds(dict, name=_texts, description=_texts), max_size=2),
        objectionHandlers=st.lists(st.builds(dict, trigger=_texts, response=_texts), max_size=2),
        scripts=st.lists(st.builds(dict, title=_texts, when=_texts, content=_texts), max_size=2),
        escalationRule=_texts,
    ),
    advanced=st.builds(
        dict,
        prompt_mode=st.sampled_from(["raw", "builder"]),
        prohibitedClaims=_texts,
        offLimitsTopics=_texts,
        maxCallDuration=st.integers(1, 10_000),
        startSpeakingPhrasing=st.sampled_from(["agent_greets", "wait_for_user"]),
    ),
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_configs, _variables)
def test_any_agent_compiles_and_is_reported_on(
    config: AgentConfig, variables: dict[str, Any]
) -> None:
    said = report(config)
    assert said.ready is (not said.blockers)
    preview = prompt_preview(config, variables)
    assert preview.characters == len(preview.compiled_prompt)
    assert isinstance(preview.opener, str | None)


RULES = (
    "Offer the caller two slots from the calendar.\nUpsell the whitening package to adults.\n"
    "Escalate to tier two after three failed attempts.\nRoll a die before you answer.\n"
)


def _told(rules: str, **persona: Any) -> AgentConfig:
    return agent(system_prompt=rules, persona=GOOD["persona"] | persona)


def test_an_agent_that_the_offline_engine_cannot_follow_is_not_ready() -> None:
    said = report(_told(RULES))
    [blocker] = said.blockers
    assert blocker.code == "offline_engine_follows_too_little"
    assert "“Upsell the whitening package to adults.”" in blocker.message
    assert "accept_limited: true" in blocker.fix
    assert "2 of 6" in blocker.message


def test_its_owner_may_accept_that_and_is_warned() -> None:
    said = report(_told(RULES), accepts_limited=True)
    assert said.ready
    assert "offline_engine_follows_too_little" in [warning.code for warning in said.warnings]


def test_two_thirds_are_enough() -> None:
    facts = [f"We sell product number {number}." for number in range(7)]
    assert report(_told(RULES, knowledgeBase=facts)).ready


def test_a_language_model_follows_every_instruction() -> None:
    model = LOCAL_STACK.model_copy(
        update={
            "llm": LOCAL_STACK.llm.model_copy(
                update={
                    "primary": LOCAL_STACK.llm.primary.model_copy(update={"provider": "openai"})
                }
            )
        }
    )
    config = _told(RULES)
    assert report(config, StackReport({config.language: model}, {})).ready


def test_how_an_agent_sounds_and_what_every_agent_does_is_not_held_against_it() -> None:
    manners = "Be friendly.\nAsk one question at a time.\nConfirm all details.\nKeep it short.\n"
    assert report(_told(manners)).ready
