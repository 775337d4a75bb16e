"""How much of what an agent was told the playbook engine can act on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.agent_config import AgentConfig
from pipelines.playbook.knowledge import sentences as known_sentences
from pipelines.texts.extraction.draft import ALWAYS
from pipelines.texts.extraction.statements import sentences, without_bullet
from pipelines.texts.prompt import described

_EVERY_AGENT_DOES = re.compile(
    r"\b(?:one question at a time|one at a time|greet\w*|welcome (?:them|the)|introduce yourself|"
    r"how you can (?:help|assist)|confirm (?:the|all|their|that|every|back)|repeat (?:the|back|"
    r"them|all)|"
    r"read (?:it|them|the \w+) back|summari[sz]e|thank (?:them|the|you)|say goodbye|"
    r"end the call|hang up|wait for|listen|"
    r"(?:never|don'?t|do not) (?:make (?:things |anything |something )?up|invent|guess|lie|argue|"
    r"pretend|interrupt|hallucinate)|"
    r"(?:admit|say) that you(?: are|'re) (?:an? )?(?:ai|automated|assistant)|"
    r"speaking with|state (?:the|your) (?:amount|business|reason|purpose))\b",
    re.IGNORECASE,
)
_SAYS_WHO_CALLS = re.compile(
    r"^(?:you(?:'re| are)? (?:calling|answer(?:ing)?) |this is an? (?:outbound|inbound) call)",
    re.IGNORECASE,
)
"""What it calls about has become the agent's first words."""
_ABOUT_STYLE = re.compile(
    r"\b(?:tone|friendly|warm\w*|polite\w*|concise|brief\w*|short|natural\w*|conversational\w*|"
    r"professional\w*|calm\w*|empath\w*|contractions|clear\w*|slowly|casual\w*|formal\w*|accent|filler|"
    r"spell out|pronounce|pronunciation|emoji|markdown|sentences?|respectful\w*|patient(?:ly)?$|"
    r"helpful|format|response guidelines?|style|personality)\b",
    re.IGNORECASE,
)
"""How words are said: nobody can count whether it is followed."""
_HEADING_WORDS = 6


@dataclass(frozen=True, slots=True)
class Coverage:
    followed: int
    """Questions, details, answers, facts and rules that the engine works with."""
    not_followed: tuple[str, ...]
    """Sentences that only a language model can follow, in the owner's words."""

    @property
    def share(self) -> float:
        """0 to 1; 1 for an agent that was told nothing."""
        total = self.followed + len(self.not_followed)
        return self.followed / total if total else 1.0


def coverage(agent: AgentConfig) -> Coverage:
    """What of ``agent`` the engine follows. What it says in any case (a greeting, a goodbye) and
    how it is to sound are not counted."""
    agent = described(agent)
    left = tuple(_instructions(agent))
    done = [text for text in left if _EVERY_AGENT_DOES.search(text) or _SAYS_WHO_CALLS.match(text)]
    not_followed = tuple(text for text in left if text not in done)
    if agent.advanced.prompt_mode == "raw":
        return Coverage(len(done), not_followed)
    return Coverage(len(done) + _parts(agent), not_followed)


def _parts(agent: AgentConfig) -> int:
    persona, playbook = agent.persona, agent.playbook
    named = (persona.name, persona.role, persona.company_name, agent.advanced.off_limits_topics)
    scripts = [script for script in playbook.scripts if script.when != ALWAYS]
    return (
        sum(bool(text) for text in named)
        + len(known_sentences(persona))
        + len(playbook.qualification_flow)
        + len(playbook.required_slots)
        + len(playbook.objection_handlers)
        + len(scripts)
        + bool(playbook.escalation_rule)
    )


def _instructions(agent: AgentConfig) -> Iterator[str]:
    """The sentences that no part of the playbook was made of."""
    texts = [agent.system_prompt or ""]
    texts += [script.content for script in agent.playbook.scripts if script.when == ALWAYS]
    for text in texts:
        for line in text.splitlines():
            bare = without_bullet(line)
            if bare.endswith(":") and len(bare.split()) <= _HEADING_WORDS:
                continue
            for sentence in sentences(bare):
                if any(letter.isalpha() for letter in sentence) and not _is_aside(sentence):
                    yield sentence


def _is_aside(sentence: str) -> bool:
    """A heading, a stage direction, or about the manner of speaking."""
    is_heading = sentence.startswith(("#", "[", "<")) or sentence.isupper()
    return is_heading or _ABOUT_STYLE.search(sentence) is not None
