"""The system prompt, compiled from persona and playbook, and the call's first sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from contracts.agent_config import AgentConfig, Persona, Playbook
from pipelines.texts.agent_texts import fill_agent
from pipelines.texts.phrases import greeting
from pipelines.texts.prompt_extraction import Extraction, extract_from_prompt
from pipelines.texts.template import fill_template

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

    ``advanced.prompt_mode`` ``raw`` takes ``system_prompt`` to the letter, variables apart;
    ``builder`` writes sections from persona and playbook. There, a lone ``system_prompt`` is turned
    into both, and one beside them is appended as additional instructions.
    """
    return written_prompt(fill_agent(described(agent), variables).agent)


def described(agent: AgentConfig) -> AgentConfig:
    """``agent`` with a persona and playbook, made from its prompt if it has nothing else; a prompt
    that they say in full is left out, so that nothing is said twice."""
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


def written_prompt(agent: AgentConfig) -> str:
    """The prompt of an agent that is ``described`` and filled in."""
    if agent.advanced.prompt_mode == "raw":
        return agent.system_prompt or ""
    sections = (
        _identity(agent),
        _section("How to speak", _bullets(_speaking_rules(agent))),
        _persona(agent),
        _playbook(agent),
        _limits(agent),
        _section(_extra_title(agent), agent.system_prompt),
    )
    return "\n\n".join(s for s in sections if s)


def opener(
    agent: AgentConfig, variables: Mapping[str, object], locale: str | None = None
) -> str | None:
    """What the agent says before the caller has said anything; ``None`` to wait for the caller."""
    if agent.advanced.start_speaking_phrasing == "wait_for_user":
        return None
    return first_sentence(agent, variables, locale)


def first_sentence(
    agent: AgentConfig, variables: Mapping[str, object], locale: str | None = None
) -> str:
    """The agent's first utterance, whoever speaks first: its opener or a plain greeting."""
    agent = described(agent)
    written = fill_template(agent.playbook.opener or "", variables).strip()
    name = fill_template(agent.spoken_name, variables).strip() or agent.name
    company = fill_template(agent.persona.company_name or "", variables).strip()
    return written or greeting(locale or agent.language, name, company)


def _extracted(agent: AgentConfig) -> Extraction:
    return extract_from_prompt(agent.system_prompt or "", agent.name)


def _extra_title(agent: AgentConfig) -> str:
    """A prompt whose persona and playbook were edited since still says what was there before."""
    if not agent.system_prompt:
        return _EXTRA_TITLE
    extracted, stored = _extracted(agent).playbook, agent.playbook
    kept = (getattr(stored, name) for name in Playbook.model_fields)
    shared = zip(kept, (getattr(extracted, name) for name in Playbook.model_fields), strict=True)
    is_edited = any(mine and mine == found for mine, found in shared)
    return _EXTRA_TITLE_AFTER_EDITS if is_edited else _EXTRA_TITLE


def _speaking_rules(agent: AgentConfig) -> tuple[str, ...]:
    if agent.persona.voice_config.barge_in_enabled:
        return _SPEAKING_RULES
    return (*_SPEAKING_RULES, _NOT_INTERRUPTIBLE)


def _identity(agent: AgentConfig) -> str:
    persona = agent.persona
    line = f"You are {agent.spoken_name}"
    if persona.role:
        line += f", {persona.role}"
    if persona.company_name:
        line += f" at {persona.company_name}"
    return f"{line}. You speak {agent.language}."


def _persona(agent: AgentConfig) -> str:
    persona = agent.persona
    company = [persona.company_description]
    if persona.company_website:
        company.append(f"Website: {persona.company_website}")
    approaches = (f"{p.type}: {p.approach}" for p in persona.caller_personas)
    sections = (
        _section("Tone", persona.tone_override),
        _section("Company", "\n".join(line for line in company if line)),
        _section("Who you talk to", persona.audience_description),
        _section("Kinds of callers and how to treat them", _bullets(approaches)),
        _section("What you know", _bullets(persona.knowledge_base)),
        _section("A call succeeds when", _bullets(persona.success_criteria)),
    )
    return "\n\n".join(s for s in sections if s)


def _playbook(agent: AgentConfig) -> str:
    playbook = agent.playbook
    questions = (
        q.question + (f" (listen for: {q.listens_for})" if q.listens_for else "")
        for q in playbook.qualification_flow
    )
    slots = (
        f"{s.name}{'' if s.required else ' (optional)'}"
        + (f": {s.description}" if s.description else "")
        for s in playbook.required_slots
    )
    objections = (f'When "{o.trigger}": {o.response}' for o in playbook.objection_handlers)
    scripts = (
        f"{s.title}{f' (when {s.when})' if s.when else ''}: {s.content}" for s in playbook.scripts
    )
    sections = (
        _section("Your first words", playbook.opener),
        _section("Questions to ask, in this order", _bullets(questions)),
        _section("Information to collect and confirm", _bullets(slots)),
        _section("Objections", _bullets(objections)),
        _section("Scripts", _bullets(scripts)),
        _section("Closing", playbook.closing_cta),
        _section("If the closing fails", playbook.fallback_cta),
        _section("Handing over to a person", playbook.escalation_rule),
        _section("Last words of the call", playbook.end_call_message),
    )
    return "\n\n".join(s for s in sections if s)


def _limits(agent: AgentConfig) -> str:
    sections = (
        _section("Do not talk about", agent.advanced.off_limits_topics),
        _section("Never claim", agent.advanced.prohibited_claims),
    )
    return "\n\n".join(s for s in sections if s)


def _section(title: str, body: str | None) -> str:
    return f"# {title}\n{body.strip()}" if body and body.strip() else ""


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line.strip()}" for line in lines if line.strip())
