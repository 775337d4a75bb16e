"""Answers that the agent should give to certain questions and objections."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.agent_config import ObjectionHandler, Script
from control_plane.building.agent_builder.local.reading.tone import sentence_case

_WHO = (
    r"(?:(?:the |a |an )?(?:caller|customer|client|guest|patient|user|lead|person|prospect|parent|"
    r"tenant|resident|driver)s?|they|someone|somebody|anyone|anybody|people|he|she)"
)
_ANSWERS = (
    r"(?:please )?(?:you |it |she |he |the (?:agent|assistant|bot) )?(?:should |must |can |to )?"
    r"(?P<verb>say|says|tell|tells|answer|answers|reply|replies|respond|responds|explain|explains|"
    r"mention|mentions|point out|offer|offers|let)"
    r"(?: (?:them|him|her|callers?|customers?|(?:the )?(?:caller|customer|guest|patient)))?"
    r"(?: know)?(?: with| by saying)?(?: that)?[:,]?"
)
_OBJECTION = re.compile(
    rf"\b(?:if|when|whenever|should) {_WHO} (?:say|says|object|objects|complain|complains|mention|"
    rf"mentions|think|thinks|worry|worries|feel|feels|claim|claims|hesitate|hesitates|find|finds|"
    rf"is|are|has|have|is having|are having|reports?|experiences?|push|pushes)"
    rf"(?: that| about| back| because| to)*"
    rf"[:,]? (?P<trigger>\"[^\"]+\"|[^,]+?),? (?:then )?{_ANSWERS} (?P<answer>.+)$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    rf"\b(?:if|when|whenever|should) (?:{_WHO} (?:ask|asks|inquire|inquires|enquire|want to know|"
    rf"wants to know)|asked)(?: about| for| whether| if)?[:,]? "
    rf"(?P<trigger>\"[^\"]+\"|[^,]+?),? (?:then )?{_ANSWERS} (?P<answer>.+)$",
    re.IGNORECASE,
)
_FAQ = re.compile(
    r"\b(?:Q|Question)\s*[:.)-]\s*(?P<trigger>.+?)\s*\b(?:A|Answer)\s*[:.)-]\s*(?P<answer>.+)$"
)
_OBJECTION_PAIR = re.compile(
    r"^(?:objection|handle)s?[: ]+\"?(?P<trigger>[^\":]+?)\"?\s*(?:->|→|=>|:|—)\s*(?P<answer>.+)$",
    re.IGNORECASE,
)
_HANDOVER = re.compile(
    r"\b(?:transfer|escalat|hand (?:them|it|the call)? ?over|human|put (?:them|him|her) through|"
    r"real person|manager)\b",
    re.IGNORECASE,
)
_LONGEST_ANSWER = 1_000


@dataclass(frozen=True)
class Responses:
    objections: tuple[ObjectionHandler, ...] = ()
    scripts: tuple[Script, ...] = ()


NO_RESPONSES = Responses()


def responses_in(sentence: str) -> Responses:
    """The responses that the sentence prescribes.

    ``If they say it is too expensive, tell them that …`` is an objection with its answer. An
    answer to a question is a script.
    """
    if (match := _FAQ.search(sentence)) and (answer := _spoken(match["answer"], "say")):
        question = match["trigger"].strip(' "')
        return Responses(scripts=(Script(title=_title(question), when=question, content=answer),))
    if _HANDOVER.search(sentence):
        return Responses()
    if match := _OBJECTION_PAIR.search(sentence):
        return _objection(match["trigger"], _spoken(match["answer"], "say"))
    if match := _QUESTION.search(sentence):
        trigger = match["trigger"].strip(' "')
        if answer := _spoken(match["answer"], match["verb"]):
            script = Script(title=_title(trigger), when=f"asks about {trigger}", content=answer)
            return Responses(scripts=(script,))
    if match := _OBJECTION.search(sentence):
        return _objection(match["trigger"], _spoken(match["answer"], match["verb"]))
    return Responses()


def _objection(trigger: str, answer: str) -> Responses:
    bare = trigger.strip(' ".')
    if not bare or not answer:
        return Responses()
    return Responses(objections=(ObjectionHandler(trigger=bare, response=answer),))


def _title(question: str) -> str:
    return sentence_case(question.strip(" ?."))[:80]


def _spoken(answer: str, verb: str) -> str:
    """The answer in the words that the agent says."""
    quoted = re.search(r"\"([^\"]{2,})\"", answer)
    text = quoted[1] if quoted else answer.strip(' "')
    text = text[:_LONGEST_ANSWER].strip()
    if not text:
        return ""
    if not quoted and verb.lower().startswith("offer"):
        text = f"We can offer {text}"
    if not quoted and (told := re.match(r"to (?!the\b|an?\b|your\b)(?P<what>.+)", text)):
        text = f"Please {told['what']}"
    text = sentence_case(text)
    return text if text[-1] in ".?!" else f"{text}."
