"""Who the agent is, who it works for, how it speaks, and what its calls are for."""

from __future__ import annotations

import re

from pipelines.texts.extraction.draft import Draft
from pipelines.texts.extraction.internal_words import names_internals
from pipelines.texts.extraction.second_person import sentence
from pipelines.texts.extraction.statements import Statement
from pipelines.texts.extraction.topics import Topic

_PLACEHOLDER = r"\{\{[^{}]{1,60}\}\}"
_PROPER = rf"(?:[A-Z][\w'’&-]*|{_PLACEHOLDER})"
_PERSON = rf"(?:{_PROPER}(?: {_PROPER}){{0,2}})"
_COMPANY = rf"(?:the )?{_PROPER}(?:,? (?:{_PROPER}|&|of|and(?= [A-Z])|Inc\.?|Ltd\.?|LLC|GmbH))*"
_YOU_ARE = re.compile(
    r"^(?:hi[,!]? |ok[,!]? )?(?:you(?:'re|’re| are| will be)(?: now)?|act as|i am|i'm"
    r"|imagine you are|your role is(?: to be)?) (?:called |named )?(?P<rest>.+?)[.!]?$",
    re.IGNORECASE,
)
_NAMED_FIRST = re.compile(
    rf"^(?P<name>{_PERSON})(?:$|,? (?=an? |the |our |from |at |with |of |and ))"
)
_NAMED_LATER = re.compile(
    rf",? (?:named|called|and your name is|whose name is|your name is) (?P<name>{_PERSON})"
)
_AT_COMPANY = re.compile(
    r",? (?:at|for|of|from|with|representing|(?:who works|working) (?:at|for)) "
    rf"(?P<company>{_COMPANY})"
    r"(?=$|[,.;!]| (?:who|that|which|and|in|on|where|\w+ing)\b)(?P<rest>.*)$"
)
_NAME = re.compile(
    rf"^(?:your|the agent's|the assistant's|agent) name is (?P<name>{_PERSON})[.!]?$", re.IGNORECASE
)
_WORKS_FOR = re.compile(
    r"^(?i:you (?:are )?|please )?(?i:work|answer(?:ing)?|take|handle|make|call(?:ing)?|speak"
    r"|represent|book|schedule|manage)\b[^.]*?(?: (?:for|at|of|from|on behalf of)|(?<=represent))"
    rf" (?:(?:my|our) (?P<kind>[a-z]+(?: [a-z]+){{0,3}}?),? )?(?P<company>{_COMPANY})"
    r"(?:,(?P<about> an? [^.]+))?[.!]?$"
)
_OUR_COMPANY = re.compile(
    r"^(?i:i|we) (?i:run|own|have|operate|manage|are|work for) (?P<kind>an? [^.,]{3,60}?),? "
    rf"(?i:called|named) (?P<company>{_COMPANY})(?P<where> (?:in|near|at) [^.,]+)?[.!]?$"
)
_AUDIENCE = re.compile(
    r"^(?:you(?:'ll|'re| will| are)? (?:be )?(?:talk|speak|deal)(?:ing|s)? (?:to|with) |"
    r"(?:your |the |most |our )?(?:callers|customers|audience) (?:are|is|will be) )",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"^(?:your|the)(?: \w+)? (?:goal|objective|task|job|purpose|mission|aim)"
    r"(?: of (?:the|this|every|each) call)? is (?:to )?(?P<goal>.+)$",
    re.IGNORECASE,
)
_TONE_WORDS = (
    r"friendly|polite|warm|calm|brief|concise|professional|empathetic|patient|casual|formal|kind"
    r"|cheerful|energetic|courteous|natural|conversational|upbeat|respectful|short|helpful|gentle"
    r"|enthusiastic|relaxed|clear|slowly|reassuring|confident|humorous|direct|to the point"
    r"|succinct"
)
_TONE = re.compile(
    r"^(?:please )?(?:always )?(?:be|sound|stay|remain|speak|talk|act|keep|use|maintain|respond"
    rf"|reply|adopt|your tone|the tone|tone|have)\b[^.]*\b(?:{_TONE_WORDS})\b",
    re.IGNORECASE,
)
_WEBSITE = re.compile(r"(?:https?://|www\.)[^\s,;)\"'>]+", re.IGNORECASE)
IMPERATIVE = re.compile(
    r"^(?:please|always|never|do|don'?t|then|first|finally|also|only|if|when|once|after|before"
    r"|unless|you|your|the (?:agent|assistant|caller|customer|user)|callers?|ask|be|make|use|keep"
    r"|avoid|ensure|remember|tell|say|speak|talk|greet|confirm|verify|collect|offer|provide|help"
    r"|handle|answer|respond|reply|explain|give|let|end|close|transfer|book|schedule|check"
    r"|repeat|listen|wait|thank(?! you)"
    r"|try|stay|introduce|mention|note|record|follow|get|find|gather|proceed"
    r"|continue|start|begin|politely|read|no|not|refuse|limit|must|should)\b",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"\b(?:is|are|was|has|have|had|offers?|costs?|opens?|closes?|closed|accepts?|provides?|starts?|"
    r"includes?|located|can|takes?|serves?|sells?|works?|lies|lasts?|charges?|requires?|"
    r"delivers?|ships?|does|do)\b|^[\w ]{2,30}: \S|\d",
    re.IGNORECASE,
)
_ABOUT_CALLS = re.compile(
    r"\b(?:outbound|inbound)\b|\btranscri(?:pts?|ptions?|bed)\b|\bvoice (?:agent|assistant|ai)\b"
    r"|\bthis is an? (?:phone|voice) call\b",
    re.IGNORECASE,
)
"""For the agent to know, not for callers."""
_ABOUT_US = re.compile(r"^(?:we|our (?:company|firm|clinic|business|restaurant|shop|team))\b", re.I)


def read_identity(said: Statement, draft: Draft, agent_name: str) -> bool:
    """Add what ``said`` says about the agent itself. Returns whether it said anything."""
    text = said.text
    if match := _NAME.match(text):
        draft.name = draft.name or match["name"]
        return True
    if (
        (match := _YOU_ARE.match(text))
        and not draft.role
        and _is_someone(match["rest"], agent_name)
    ):
        _take_identity(match["rest"], draft, agent_name)
        return True
    if match := _OUR_COMPANY.match(text):
        draft.company = draft.company or match["company"]
        about = f"{match['company']} is {match['kind']}{match['where'] or ''}"
        draft.about_company.append(sentence(about))
        return True
    if match := _WORKS_FOR.match(text):
        draft.company = draft.company or match["company"]
        if about := match["about"] or (f" a {match['kind']}" if match["kind"] else ""):
            draft.about_company.append(sentence(f"{match['company']} is{about}"))
    if match := _GOAL.match(text):
        draft.criteria.append(sentence(match["goal"]))
        return True
    if _AUDIENCE.match(text):
        draft.audience.append(text)
        return True
    if _TONE.match(text):
        draft.tone.append(sentence(text))
        return True
    return False


def read_by_topic(said: Statement, draft: Draft) -> bool:
    """Take a sentence as what its heading announces, if the sentence itself does not show it."""
    text, is_instruction = said.text, IMPERATIVE.match(said.text) is not None
    match said.topic:
        case Topic.NAME if not draft.name and len(text.split()) <= 4:
            draft.name = text.rstrip(".")
        case Topic.ROLE if not draft.role:
            draft.role = text.rstrip(".")
        case Topic.COMPANY_NAME if not draft.company and len(text.split()) <= 8:
            draft.company = text.rstrip(".")
        case Topic.TONE:
            draft.tone.append(sentence(text))
        case Topic.AUDIENCE:
            draft.audience.append(text)
        case Topic.GOAL:
            draft.criteria.append(text)
        case _ if names_internals(text) or _ABOUT_CALLS.search(text) or text.endswith("?"):
            return False
        case Topic.COMPANY | Topic.COMPANY_NAME if not is_instruction:
            draft.about_company.append(text)
        case Topic.KNOWLEDGE if not is_instruction:
            draft.knowledge.append(text)
        case _:
            return False
    return True


def read_fact(said: Statement, draft: Draft) -> bool:
    """Take a plain statement as something that the agent knows."""
    if site := _WEBSITE.search(said.text):
        draft.website = draft.website or site[0].rstrip(".")
    if said.topic is Topic.WEBSITE and draft.website:
        return True
    of_company = draft.company and said.text.startswith(draft.company)
    is_about_us = of_company or _ABOUT_US.match(said.text)
    if said.topic in (Topic.RULES, Topic.OBJECTIONS) and not is_about_us:
        return False
    if _ABOUT_CALLS.search(said.text) or said.text.endswith("?"):
        return False
    if names_internals(said.text) or IMPERATIVE.match(said.text) or not _FACT.search(said.text):
        return False
    if is_about_us and not draft.about_company:
        draft.about_company.append(said.text)
    else:
        draft.knowledge.append(said.text)
    return True


def _is_someone(rest: str, agent_name: str) -> bool:
    """``a receptionist …``, ``Mia …``, not ``on the phone`` or ``not allowed to …``."""
    has_article = re.match(r"^(?:an?|the|our)\b", rest, re.IGNORECASE)
    is_named = rest[:1].isupper() or rest.startswith("{{")
    return bool(has_article or is_named or rest.lower().startswith(agent_name.lower() or "\0"))


def _take_identity(rest: str, draft: Draft, agent_name: str) -> None:
    if agent_name and re.match(rf"{re.escape(agent_name)}(?!\w)", rest, re.IGNORECASE):
        draft.name, rest = rest[: len(agent_name)], rest[len(agent_name) :]
    elif match := _NAMED_FIRST.match(rest):
        draft.name, rest = match["name"], rest[match.end() :]
    elif match := _NAMED_LATER.search(rest):
        draft.name, rest = match["name"], rest[: match.start()] + rest[match.end() :]
    rest = rest.lstrip(" ,")
    if match := _AT_COMPANY.search(f" {rest}"):
        draft.company = draft.company or match["company"]
        role, tail = f" {rest}"[: match.start()].strip(" ,"), match["rest"].strip(" ,")
        about = re.match(r"^(?:an?|the) .+", tail)
        if about:
            draft.about_company.append(sentence(f"{match['company']} is {tail}"))
            draft.role = role
        else:
            draft.role = f"{role}{'' if match['rest'].startswith(' ') else ','} {tail}".strip(" ,")
    else:
        draft.role = rest
