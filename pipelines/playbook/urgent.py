"""What is answered before anything else: emergencies, other languages, anger."""

from __future__ import annotations

import re

from pipelines.playbook import wording
from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.intents import Intent
from pipelines.playbook.other_languages import other_language
from pipelines.playbook.side_requests import Answer
from pipelines.playbook.state import Question, Topic
from pipelines.playbook.triggers import strongest
from pipelines.playbook.values.phrase import Phrase

_SENDS_FOR_HELP = re.compile(
    r"\b(?:911|999|112|000|ambulance|emergency (?:number|room|services?|line|department)|nine "
    r"one one|"
    r"hospital|poison control|988|evacuate|leave the (?:house|building))\b",
    re.IGNORECASE,
)
_STRENGTH = 0.5


def urgent_answer(plan: DialoguePlan, said: Phrase, wants: frozenset[Intent]) -> Answer | None:
    """The answer, or ``None`` if nothing is urgent. Such words never fill a field."""
    if not plan.is_english:
        return None
    if Intent.EMERGENCY in wants:
        note = "The caller reports an emergency."
        return Answer(_emergency(plan, said), outranks_answer=True, is_final=True, note=note)
    if (language := other_language(said)) is not None:
        note = f"The caller speaks {language.name}. A person should call back."
        question = Question(Topic.GO_ON)
        return Answer(wording.only_english(language.only_english), True, question, note)
    if Intent.ANGRY in wants:
        note = "The caller is angry. A person should call back."
        return Answer(wording.soothing(plan), True, Question(Topic.GO_ON), note)
    return None


def _emergency(plan: DialoguePlan, said: Phrase) -> str:
    """The owner's own words for an emergency, if there are any."""
    own = [
        response
        for response in (*plan.objections, *plan.scripts)
        if _SENDS_FOR_HELP.search(response.text)
    ]
    found = strongest(own, said, _STRENGTH) or (own[0] if own else None)
    return found.text if found else wording.emergency()
