"""Removes parts of an agent, for example for ``Don't ask for the phone number any more``."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from contracts.agent_config import AgentConfig
from control_plane.building.agent_builder.local.reading.details import detail_named

_REMOVE = re.compile(
    r"\b(?:(?:don't|do not|stop|no longer|never|not) (?:ask|asking|collect|collecting)"
    r"(?: (?:for|about|them|callers))*|(?:remove|delete|drop|get rid of|take out)"
    r"(?: the| all| any)?(?: (?:questions?|slots?|fields?|objections?|scripts?) (?:for|about|on))?)"
    r" (?P<what>.+)$",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"\b(?:questions?|slots?|fields?|objections?(?: handlers?)?|scripts?|any ?more|any longer|"
    r"the|their|about|for)\b",
    re.IGNORECASE,
)
_ALIKE = 80


def remove(clause: str, config: AgentConfig) -> AgentConfig | None:
    """Remove what the clause names; ``None`` if the agent has nothing of the kind."""
    match = _REMOVE.search(clause)
    if match is None:
        return None
    what = match["what"].strip(' ."')
    names = {slot.name for slot in detail_named(what)}
    words = " ".join(_NOISE.sub(" ", what).split()).lower()

    def is_meant(text: str) -> bool:
        return bool(words) and fuzz.token_set_ratio(words, text.lower()) >= _ALIKE

    playbook = config.playbook
    after = playbook.model_copy(
        update={
            "required_slots": tuple(
                slot
                for slot in playbook.required_slots
                if slot.name not in names and not is_meant(slot.name.replace("_", " "))
            ),
            "qualification_flow": tuple(
                item for item in playbook.qualification_flow if not is_meant(item.question)
            ),
            "objection_handlers": tuple(
                item for item in playbook.objection_handlers if not is_meant(item.trigger)
            ),
            "scripts": tuple(
                item
                for item in playbook.scripts
                if not (is_meant(item.title) or is_meant(item.when))
            ),
        }
    )
    return None if after == playbook else config.model_copy(update={"playbook": after})
