"""The system prompt, compiled from persona and playbook, and the call's first sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from contracts.agent_config import (
    Advanced,
    AgentConfig,
    ObjectionHandler,
    Persona,
    Playbook,
    QualificationQuestion,
    RequiredSlot,
    Script,
)
from pipelines.texts.agent_texts import TextFiller, texts_of
from pipelines.texts.extraction.prompt_extraction import Extraction, extract_from_prompt
from pipelines.texts.page_texts import NO_PAGES, PageTexts, looked_up_text, passages
from pipelines.texts.phrases import greeting
from pipelines.texts.prompt_template import Line, PromptSection, PromptTemplate, text_part
from pipelines.texts.templates.template import fill_template

_SPEAKING_RULES = (
    "You are on a live voice call: everything you write is spoken aloud.",
    "Answer in one to three short sentences, then let the caller speak.",
    "Ask one question at a time.",
    "Write plain sentences only: no lists, markdown, emoji, links or stage directions.",
    "What you hear comes from speech recognition and may contain errors; when unsure, ask again.",
    "When the conversation is over, say goodbye and call the tool end_call.",
)
_NOT_INTERRUPTIBLE = "The caller cannot interrupt you, so be especially brief."
_EXTRA_TITLE = "Additional instructions"
_EXTRA_TITLE_AFTER_EDITS = f"{_EXTRA_TITLE} (where they differ from the above, the above holds)"


def compile_prompt(agent: AgentConfig, variables: Mapping[str, object]) -> str:
    """The prompt that a language model gets, with ``variables`` filled in. Never raises.

    In the mode ``raw`` (``advanced.prompt_mode``) it is ``system_prompt``, unchanged but for the
    variables; off-limits topics and prohibited claims follow, if the agent has them. In the mode
    ``builder`` it has a section for each part of persona and playbook: a ``system_prompt`` on its
    own is turned into both, and one beside them is appended as additional instructions.
    """
    return prompt_template(agent).filled(TextFiller(variables))


def prompt_template(
    agent: AgentConfig, pages: PageTexts = NO_PAGES, *, looks_up: bool = False
) -> PromptTemplate:
    """``compile_prompt`` up to the point where the variables of a call are needed. Never raises.

    Args:
        pages: the texts of web pages that the knowledge base names, as they are to stand there.
        looks_up: leave out what calls look up (``knowledge_to_look_up``).
    """
    return PromptTemplate(sections=tuple(_sections(described(agent), pages, looks_up=looks_up)))


def knowledge_to_look_up(agent: AgentConfig, pages: PageTexts) -> str | None:
    """What calls can look up instead of having it in their prompt, as Markdown; ``None`` if the
    knowledge base is short, or the prompt is ``raw`` and has none."""
    if agent.advanced.prompt_mode == "raw":
        return None
    # A persona that was extracted from a prompt is stored with the agent.
    return looked_up_text(agent.persona, pages)


def texts_beside_prompt(
    agent: AgentConfig, template: PromptTemplate
) -> tuple[tuple[str, str], ...]:
    """The texts of an agent that has been ``described`` which have placeholders and are not in its
    prompt, such as those of tools: field and text."""
    in_prompt = {text.field for text in template.open_texts}
    return tuple(
        (field, text) for field, text in texts_of(agent) if "{" in text and field not in in_prompt
    )


def described(agent: AgentConfig) -> AgentConfig:
    """``agent`` with a persona and a playbook, extracted from its prompt if it has neither.

    A prompt is left out if persona and playbook were extracted from it, so that nothing is said
    twice.
    """
    if agent.advanced.prompt_mode == "raw" or not (agent.system_prompt or "").strip():
        return agent
    extracted = _extracted(agent)
    has_nothing_else = agent.persona == Persona() and agent.playbook == Playbook()
    if has_nothing_else or extracted == Extraction(agent.persona, agent.playbook):
        return agent.model_copy(
            update={
                "persona": extracted.persona,
                "playbook": extracted.playbook,
                "system_prompt": None,
            }
        )
    return agent


def opener(
    agent: AgentConfig, variables: Mapping[str, object], locale: str | None = None
) -> str | None:
    """What the agent says before the caller speaks; ``None`` if it waits for the caller."""
    if agent.advanced.start_speaking_phrasing == "wait_for_user":
        return None
    return first_sentence(agent, variables, locale)


def first_sentence(
    agent: AgentConfig, variables: Mapping[str, object], locale: str | None = None
) -> str:
    """The agent's first sentence, even if the caller speaks first: its opener or a greeting."""
    agent = described(agent)
    written = fill_template(agent.playbook.opener or "", variables).strip()
    name = fill_template(agent.spoken_name, variables).strip() or agent.name
    company = fill_template(agent.persona.company_name or "", variables).strip()
    return written or greeting(locale or agent.language, name, company)


def _extracted(agent: AgentConfig) -> Extraction:
    return extract_from_prompt(agent.system_prompt or "", agent.name)


def _extra_title(agent: AgentConfig) -> str:
    """A prompt still has the old words of a persona and playbook that were edited afterwards."""
    if not agent.system_prompt:
        return _EXTRA_TITLE
    extracted, stored = _extracted(agent).playbook, agent.playbook
    kept = (getattr(stored, name) for name in Playbook.model_fields)
    shared = zip(kept, (getattr(extracted, name) for name in Playbook.model_fields), strict=True)
    is_edited = any(mine and mine == found for mine, found in shared)
    return _EXTRA_TITLE_AFTER_EDITS if is_edited else _EXTRA_TITLE


def _sections(agent: AgentConfig, pages: PageTexts, *, looks_up: bool) -> Iterator[PromptSection]:
    """The prompt of an agent that is ``described``."""
    prompt = text_part("system_prompt", agent.system_prompt)
    if agent.advanced.prompt_mode == "raw":
        yield PromptSection(lines=((prompt,),))
        yield from _limits(agent.advanced)
        return
    yield PromptSection(lines=(_identity(agent),))
    yield _list("How to speak", ((rule,) for rule in _speaking_rules(agent)))
    yield from _persona(agent.persona, pages, looks_up=looks_up)
    yield from _playbook(agent.playbook)
    yield from _limits(agent.advanced)
    yield PromptSection(title=_extra_title(agent), lines=((prompt,),))


def _limits(advanced: Advanced) -> Iterator[PromptSection]:
    yield _text("Do not talk about", "advanced.offLimitsTopics", advanced.off_limits_topics)
    yield _text("Never claim", "advanced.prohibitedClaims", advanced.prohibited_claims)


def _speaking_rules(agent: AgentConfig) -> tuple[str, ...]:
    if agent.persona.voice_config.barge_in_enabled:
        return _SPEAKING_RULES
    return (*_SPEAKING_RULES, _NOT_INTERRUPTIBLE)


def _identity(agent: AgentConfig) -> Line:
    persona = agent.persona
    return (
        text_part("persona.name", persona.name, before="You are ", otherwise=agent.name),
        text_part("persona.role", persona.role, before=", "),
        text_part("persona.companyName", persona.company_name, before=" at "),
        f". You speak {agent.language}.",
    )


def _persona(persona: Persona, pages: PageTexts, *, looks_up: bool) -> Iterator[PromptSection]:
    of = "persona"
    yield _text("Tone", f"{of}.toneOverride", persona.tone_override)
    yield PromptSection(
        title="Company",
        lines=(
            (text_part(f"{of}.companyDescription", persona.company_description),),
            (text_part(f"{of}.companyWebsite", persona.company_website, before="Website: "),),
        ),
    )
    yield _text("Who you talk to", f"{of}.audienceDescription", persona.audience_description)
    yield _list(
        "Kinds of callers and how to treat them",
        (
            (
                text_part(f"{of}.callerPersonas[{i}].type", caller.type),
                ": ",
                text_part(f"{of}.callerPersonas[{i}].approach", caller.approach),
            )
            for i, caller in enumerate(persona.caller_personas)
        ),
    )
    yield _list("What you know", passages(persona, pages, is_looked_up=looks_up))
    yield _texts("A call succeeds when", f"{of}.successCriteria", persona.success_criteria)


def _playbook(playbook: Playbook) -> Iterator[PromptSection]:
    of = "playbook"
    yield _text("Your first words", f"{of}.opener", playbook.opener)
    yield _list(
        "Questions to ask, in this order",
        (
            _question(f"{of}.qualificationFlow[{i}]", question)
            for i, question in enumerate(playbook.qualification_flow)
        ),
    )
    yield _list(
        "Information to collect and confirm",
        (_slot(f"{of}.requiredSlots[{i}]", slot) for i, slot in enumerate(playbook.required_slots)),
    )
    yield _list(
        "Objections",
        (
            _objection(f"{of}.objectionHandlers[{i}]", handler)
            for i, handler in enumerate(playbook.objection_handlers)
        ),
    )
    yield _list(
        "Scripts",
        (_script(f"{of}.scripts[{i}]", script) for i, script in enumerate(playbook.scripts)),
    )
    yield _text("Closing", f"{of}.closingCTA", playbook.closing_cta)
    yield _text("If the closing fails", f"{of}.fallbackCTA", playbook.fallback_cta)
    yield _text("Handing over to a person", f"{of}.escalationRule", playbook.escalation_rule)
    yield _text("Last words of the call", f"{of}.endCallMessage", playbook.end_call_message)


def _question(path: str, question: QualificationQuestion) -> Line:
    listens_for = text_part(
        f"{path}.listensFor", question.listens_for, before=" (listen for: ", after=")"
    )
    return text_part(f"{path}.question", question.question), listens_for


_SECRET = " (a secret: on a phone let the caller enter it on the keypad, and never say it back)"


def _slot(path: str, slot: RequiredSlot) -> Line:
    return (
        text_part(f"{path}.name", slot.name),
        "" if slot.required else " (optional)",
        _SECRET if slot.sensitive else "",
        text_part(f"{path}.description", slot.description, before=": "),
    )


def _objection(path: str, handler: ObjectionHandler) -> Line:
    trigger = text_part(f"{path}.trigger", handler.trigger)
    return 'When "', trigger, '": ', text_part(f"{path}.response", handler.response)


def _script(path: str, script: Script) -> Line:
    return (
        text_part(f"{path}.title", script.title),
        text_part(f"{path}.when", script.when, before=" (when ", after=")"),
        ": ",
        text_part(f"{path}.content", script.content),
    )


def _text(title: str, field: str, text: str | None) -> PromptSection:
    return PromptSection(title=title, lines=((text_part(field, text),),))


def _texts(title: str, field: str, texts: Iterable[str]) -> PromptSection:
    return _list(title, ((text_part(f"{field}[{i}]", text),) for i, text in enumerate(texts)))


def _list(title: str, lines: Iterable[Line]) -> PromptSection:
    return PromptSection(title=title, is_list=True, lines=tuple(lines))
