"""When a person takes over, and what the agent must not talk about or promise."""

from __future__ import annotations

import re

from control_plane.building.agent_builder.local.reading.tone import sentence_case

_ESCALATION = re.compile(
    r"\b(?:transfer(?:s|red)?|hand(?:s|ed)?[ -]?(?:it |them |the call )?(?:over|off)|handover|"
    r"escalat\w+|put(?:s)? (?:\w+ ){1,3}through|connect(?:s)? (?:them|the caller|callers|him|her|"
    r"people|\w+ callers?|customers?) (?:to|with)|forward(?:s)? (?:\w+ ){1,4}to|"
    r"route(?:s)? (?:\w+ ){1,4}to|human|real person|on-?call|live agent|"
    r"(?:a|the|our|my) (?:manager|supervisor|colleague|team member)|page the)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"^(?:and |also |then |but )*(?:(?:it|she|he|the (?:agent|assistant|bot)|you|please) "
    r"(?:should |must |can |will |has to )?)?",
    re.IGNORECASE,
)
_OFF_LIMITS = re.compile(
    r"\b(?:never|don't|do not|must not|mustn't|should not|shouldn't|cannot|may not|avoid|refuse to|"
    r"not allowed to) (?:ever )?(?:talk|discuss|speak|talking|discussing|speaking|comment|give|"
    r"giving|mention|mentioning|answer questions|provide|offer|bring up|reveal|share)\b"
    r"(?: (?:any|to (?:them|callers)))?(?: about| on| of)? (?P<topics>[^.;!?]+)",
    re.IGNORECASE,
)
_OFF_TOPICS = re.compile(
    r"\boff[- ]limits?(?: topics?)?(?: are| is|:)? (?P<topics>[^.;!?]+)", re.IGNORECASE
)
_PROMISES = re.compile(
    r"\b(?:never|don't|do not|must not|should not|shouldn't|cannot|may not|avoid) (?:ever )?"
    r"(?:promise|promising|claim|claiming|guarantee|guaranteeing|commit to|quote|state|say that)\b"
    r"(?: that)? (?P<claims>[^.;!?]+)",
    re.IGNORECASE,
)


def escalation_in(sentence: str) -> str:
    """The rule for handing over, in the owner's words; empty if the sentence has none."""
    if not _ESCALATION.search(sentence):
        return ""
    clause = _clause_about_handover(sentence)
    rule = sentence_case(_NO_SUBJECT.sub("", clause).strip(" ,"))
    return rule if rule[-1:] in ".!?" else f"{rule}."


def off_limits_in(sentence: str) -> str:
    """The topics that the agent must not talk about, separated by commas."""
    match = _OFF_TOPICS.search(sentence) or _OFF_LIMITS.search(sentence)
    return match["topics"].strip(' ,"') if match else ""


def prohibited_claims_in(sentence: str) -> str:
    """What the agent must not promise or claim; empty if the sentence says nothing about it."""
    match = _PROMISES.search(sentence)
    return match["claims"].strip(' ,"') if match else ""


def _clause_about_handover(sentence: str) -> str:
    """The sentence from the handover on, with the condition if one comes directly before it."""
    parts = re.split(
        r",? (?:and|but|then) (?=transfer|hand|escalat|put|connect|forward|route)|"
        r"; |, (?=transfer|hand|escalat|connect|forward|route)",
        sentence,
    )
    at = next((i for i, part in enumerate(parts) if _ESCALATION.search(part)), 0)
    has_condition_before = at > 0 and re.match(
        r"(?:if|when|whenever|in case)\b", parts[at - 1].strip(), re.IGNORECASE
    )
    start = at - 1 if has_condition_before else at
    return ", ".join(parts[start:])
