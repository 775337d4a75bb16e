"""Warnings before publishing. None of them prevents it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from control_plane.building.agents.publishing.conversation_advice import conversation_advice
from control_plane.building.agents.publishing.finding import Finding, PublishSubject
from control_plane.building.agents.publishing.handoff_targets import handoffs_of
from control_plane.building.agents.publishing.knowledge_advice import knowledge_advice
from control_plane.building.agents.publishing.offline_coverage import too_little_followed
from control_plane.building.agents.publishing.pronunciation_advice import pronunciation_advice
from control_plane.building.agents.publishing.timing_advice import timing_advice
from pipelines.stack import LOCAL
from pipelines.texts.agent_texts import needed_variables
from pipelines.texts.language import primary_language
from pipelines.texts.phrases import has_phrases

_LONGEST_NAME = 100
"""The recommended maximum (API spec, "Agent")."""


def advice(subject: PublishSubject) -> Iterator[Finding]:
    yield from conversation_advice(subject.config)
    yield from knowledge_advice(subject.config, subject.pages)
    yield from timing_advice(subject.config)
    yield from pronunciation_advice(subject.config, subject.stacks)
    if subject.accepts_limited:
        yield from too_little_followed(subject)
    for check in (_variables, _stacks, _languages, _tools, _handoffs, _recording, _name):
        yield from check(subject)


def _variables(subject: PublishSubject) -> Iterator[Finding]:
    for name, field in needed_variables(subject.config).items():
        yield Finding(
            code="variable_needed",
            field=field,
            message=f"{{{{ {name} }}}} stays empty in calls that do not send this variable.",
            fix=f"Send it with every call, or write {{{{ {name}|default('…') }}}}.",
        )


def _stacks(subject: PublishSubject) -> Iterator[Finding]:
    for locale, sentences in subject.stacks.warnings.items():
        for sentence in sentences:
            is_voice = "voice" in sentence.lower()
            yield Finding(
                code="voice_replaced" if is_voice else "stack_differs",
                field="voice" if is_voice else "provider_config",
                message=f"{locale}: {sentence}",
                fix="Choose a model or voice that the catalogue offers for this language, or "
                "accept this one.",
            )


def _languages(subject: PublishSubject) -> Iterator[Finding]:
    config = subject.config
    languages = tuple(dict.fromkeys((config.language, *config.languages)))
    for locale in languages:
        if not has_phrases(locale):
            yield Finding(
                code="phrases_missing",
                field="supported_languages",
                message=f"The platform has no built-in sentences in {locale}: when the caller is "
                "silent or the time is up, the agent says so in English.",
                fix="Write an opener and an endCallMessage, and test a call in this language.",
            )
        stack = subject.stacks.stacks.get(locale)
        is_offline = stack is not None and stack.llm.primary.provider == LOCAL
        if is_offline and primary_language(locale) != "en":
            yield Finding(
                code="offline_engine_speaks_english",
                field="llm_provider",
                message=f"In {locale} the offline engine asks your questions in order, but does "
                "not understand the answers.",
                fix="Set a provider key for a language model.",
            )
    preferred = config.persona.voice_config.language
    if preferred is not None and preferred not in languages:
        yield Finding(
            code="voice_language_not_supported",
            field="persona.voiceConfig.language",
            message=f"Calls are in {config.language}: the agent does not support {preferred}.",
            fix=f"Add {preferred} to supported_languages, or leave voiceConfig.language out.",
        )
    if len({primary_language(locale) for locale in languages}) > 1 and config.playbook.opener:
        yield Finding(
            code="opener_in_one_language",
            field="playbook.opener",
            message="The opener is spoken as it is written, in whichever language the call is.",
            fix="Use one agent for each language, or choose the words with a variable.",
        )


def _tools(subject: PublishSubject) -> Iterator[Finding]:
    for tool in subject.tools:
        if not tool.can_run:
            yield Finding(
                code="tool_cannot_run",
                field=f"tools[{tool.index}]",
                message=f"The tool {tool.name} is not offered in calls. {' '.join(tool.reasons)}",
                fix="Remove the tool, or choose a stack that can run it.",
            )


def _handoffs(subject: PublishSubject) -> Iterator[Finding]:
    """No blockers: of two agents that hand over to each other, one must be published first. And
    without a model for the other agent, calls go on without the tool."""
    for index, tool in handoffs_of(subject.config):
        if (name := subject.handoffs.unpublished.get(tool.agent_id)) is not None:
            yield Finding(
                code="handoff_target_unpublished",
                field=f"tools[{index}].agent_id",
                message=f"The tool {tool.name} is not offered in calls as long as {name} has not "
                "been published.",
                fix=f"Publish {name}; this agent need not be published again.",
            )
        if (unserved := subject.handoffs.unserved.get(tool.agent_id)) is not None:
            yield Finding(
                code="handoff_target_not_served",
                field=f"tools[{index}].agent_id",
                message=f"The tool {tool.name} is not offered in calls in which {unserved.name} "
                f"cannot talk. {' '.join(unserved.problems)}",
                fix=f"Follow that advice for {unserved.name}, and publish it again.",
            )


def _recording(subject: PublishSubject) -> Iterator[Finding]:
    features = subject.config.features
    if features.recording_enabled and not features.require_consent:
        yield Finding(
            code="recording_unannounced",
            field="features.require_consent",
            message="Calls are recorded without an announcement, which many countries forbid.",
            fix="Set features.require_consent to true, or announce it in the opener.",
        )


def _name(subject: PublishSubject) -> Iterator[Finding]:
    if len(subject.config.name) > _LONGEST_NAME:
        yield Finding(
            code="name_long",
            field="name",
            message=f"The name has {len(subject.config.name)} characters and is cut off in lists.",
            fix=f"Use at most {_LONGEST_NAME} characters.",
        )
