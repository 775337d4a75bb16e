"""The system prompt, compiled from persona and playbook, and the call's first sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from contracts.agent_config import AgentConfig
from pipelines.phrases import greeting
from pipelines.template import fill_template

_SPEAKING_RULES = (
    "You are on a live voice call: everything you write is spoken aloud.",
    "Answer in one to three short sentences, then let the caller speak.",
    "Ask one question at a time.",
    "Write plain sentences only: no lists, markdown, emoji, links or stage directions.",
    "What you hear comes from speech recognition and may contain errors; when unsure, ask again.",
    "When the conversation is over, say goodbye and call the tool end_call.",
)


def compile_prompt(agent: AgentConfig, variables: Mapping[str, object]) -> str:
    """The prompt that a language model gets, with ``variables`` filled in.

    ``advanced.prompt_mode`` ``raw`` takes ``system_prompt`` alone; ``builder`` writes sections from
    persona and playbook and appends ``system_prompt`` as additional instructions.
    """
    if agent.advanced.prompt_mode == "raw":
        return fill_template(agent.system_prompt or "", variables).strip()
    sections = (
        _identity(agent),
        _section("How to speak", _bullets(_SPEAKING_RULES)),
        _persona(agent),
        _playbook(agent),
        _limits(agent),
        _section("Additional instructions", agent.system_prompt),
    )
    return fill_template("\n\n".join(s for s in sections if s), variables).strip()


def unknown_variables(agent: AgentConfig, variables: Mapping[str, object]) -> tuple[str, ...]:
    """Names that the agent's texts use and ``variables`` lacks, in the order of the texts."""
    return ()


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
    written = fill_template(agent.playbook.opener or "", variables).strip()
    return written or greeting(
        locale or agent.language, agent.spoken_name, agent.persona.company_name
    )


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
