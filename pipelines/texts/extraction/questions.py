"""What the agent asks: complete questions, and details to collect."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contracts.agent_config import RequiredSlot
from pipelines.texts.extraction.draft import Draft
from pipelines.texts.extraction.quotations import quoted_in
from pipelines.texts.extraction.second_person import (
    CALLER,
    question_about,
    question_whether,
    sentence,
)
from pipelines.texts.extraction.statements import Statement
from pipelines.texts.extraction.topics import Topic

_ASIDES = (
    r"(?:(?:please|then|next|first|finally|also|always|politely|and|you should|you must"
    r"|you need to|you will|be sure to|make sure (?:to|you)|remember to|try to|you),? )*"
)
_ASK = re.compile(rf"^{_ASIDES}ask (?:{CALLER} )?(?P<what>.+)$", re.IGNORECASE)
_COLLECT = re.compile(
    rf"^{_ASIDES}(?:collect|gather|get|obtain|capture|take(?: down)?|note(?: down)?|write down"
    rf"|record|request|find out|ask (?:{CALLER} )?for|ask (?={CALLER}(?:'s|s'|’s) )"
    r"|ask (?=their ))"
    r"(?: (?:the )?following(?: (?:information|details|data))?)?:? (?P<what>.+)$",
    re.IGNORECASE,
)
_IF = re.compile(r"^(?:if|whether) (?P<clause>.+)$", re.IGNORECASE)
_WH = re.compile(r"^(?:what|which|when|where|why|how|who)\b", re.IGNORECASE)
_ABOUT = re.compile(r"^(?:about|regarding|concerning) (?P<what>.+)$", re.IGNORECASE)
_IS_DETAIL = re.compile(
    r"\b(?:names?|phone|numbers?|e-?mails?|address|dates?|times?|days?|age|birth|budget|size|reason|"
    r"type|preferred|details?|zip|post ?code|account|order|policy|reference|company|title|guests|"
    r"people|symptoms?|insurance|party|city|location|vehicle|make|model|year|quantity|amount|id|"
    r"destination|subject|department|breed|species|topic|matter|message|language|grade|course|product|"
    r"contact|occasion|allergies|requests?|service|issue|problem|request|nights|rooms|room)\b",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"\s*(?:[,;]\s*(?:and |or )?|\s(?:and|as well as|plus|&)\s+)\s*")
_BRACKETS = re.compile(r"\([^()]*\)")
_PURPOSE = re.compile(
    r"\s(?:so that|so we|in order to|to make|because|before|when|if|for the)\b.*$", re.I
)
_DETERMINERS = re.compile(
    r"^(?:(?:the |a |an |any |some |their |your |his or her |his/her |also |both |and |for )|"
    rf"{CALLER}(?:'s|s'|’s) )+",
    re.IGNORECASE,
)
_KEYED = re.compile(r"^(?P<name>[\w /'-]{2,40}?)(?:\s*\([^()]*\))?\s*[:–—]\s+(?P<about>.+)$")
_OPTIONAL = re.compile(
    r"\b(?:optional|if (?:available|any|they have one|possible|applicable))\b", re.I
)
_OFFERS_HELP = re.compile(
    r"^(?:for |about )?(?:how|what|if|whether|in what way) (?:you|we|i|they)\b.*\b(?:help|assist"
    r"|do for|be of (?:help|service))\b",
    re.IGNORECASE,
)
"""Not a detail: the agent's first words ask this."""
_ABOUT_SPEAKING = re.compile(
    r"^(?:only |just |no more than |at most )?(?:one|a single|1|two|short|brief|clarifying|"
    r"follow[- ]?up|open[- ]ended|multiple|several|too many)\b.*\bquestions?\b"
    r"|^questions?\b.*\b(?:one (?:at a time|by one)|naturally|politely)",
    re.IGNORECASE,
)
"""How to ask, not what for."""
_MAX_NAME_WORDS = 5
_MAX_ITEMS = 25


def read_question(said: Statement, draft: Draft) -> bool:
    """Add questions and details to collect. Returns whether there were any."""
    text = said.text.strip()
    if said.topic in (Topic.RULES, Topic.OBJECTIONS, Topic.KNOWLEDGE, Topic.OPENER):
        return _read_instruction(text, draft)
    is_asked = said.topic in (Topic.QUESTIONS, Topic.SLOTS)
    if text.endswith("?") and (is_asked or said.is_item) and not quoted_in(text):
        draft.ask(text)
        return True
    if _read_instruction(text, draft):
        return True
    if is_asked and said.is_item and (words := quoted_in(text)):
        draft.ask(words)
        return True
    if said.topic is Topic.SLOTS:
        return _collect(text, draft, is_listed=True)
    return False


def _read_instruction(text: str, draft: Draft) -> bool:
    if match := _COLLECT.match(text):
        return _collect(match["what"], draft)
    match = _ASK.match(text)
    if match is None:
        return False
    what = match["what"].strip()
    if _OFFERS_HELP.match(what) or _ABOUT_SPEAKING.match(what):
        return False
    if words := quoted_in(what):
        draft.ask(words if words.endswith("?") else sentence(words))
    elif found := _IF.match(what):
        draft.ask(question_whether(found["clause"]))
    elif what.rstrip().endswith("?"):
        draft.ask(sentence(what.lstrip(": ")))
    elif _WH.match(what):
        draft.ask(question_about(what))
    elif found := _ABOUT.match(what):
        draft.ask(f"What can you tell me about {_plain(found['what'])}?")
    else:
        return False
    return True


def _collect(what: str, draft: Draft, *, is_listed: bool = False) -> bool:
    """``their name and phone number`` becomes two slots; a clause becomes a question."""
    what = what.strip().rstrip(".!")
    if _OFFERS_HELP.match(what) or _ABOUT_SPEAKING.match(what):
        return False
    if _WH.match(what):
        draft.ask(question_about(what))
        return True
    if found := _IF.match(what):
        draft.ask(question_whether(found["clause"]))
        return True
    if is_listed and (keyed := _KEYED.match(what)):
        draft.collect([_slot(keyed["name"], what, keyed["about"])])
        return True
    items = [item for item in _items(what) if item]
    if not items or len(items) > _MAX_ITEMS:
        return False
    if not is_listed and not any(_IS_DETAIL.search(item) for item in items):
        return False
    for item in items:
        if _WH.match(item):
            draft.ask(question_about(item))
        elif name := _name_of(item):
            draft.collect([_slot(name, item, item)])
    return True


def _items(what: str) -> Iterator[str]:
    """``what``, split at commas and "and", except within brackets and "date and time"."""
    brackets: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        brackets.append(match[0])
        return f"\0{len(brackets) - 1}\0"

    text = _BRACKETS.sub(set_aside, what)
    text = re.sub(r"\b(date|day) and time\b", "\\1\1and\1time", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(first|full) and last\b", "\\1\1and\1last", text, flags=re.IGNORECASE)
    for item in _SEPARATORS.split(text):
        item = re.sub(r"\0(\d+)\0", lambda m: brackets[int(m[1])], item.replace("\1", " "))
        yield item.strip(" .:")


def _slot(name: str, item: str, description: str) -> RequiredSlot:
    key = "_".join(re.findall(r"[^\W_]+", re.sub(r"['’]", "", name.lower())))
    said = _plain(description).strip()
    # A name loses its apostrophe, a description keeps it.
    is_said = said.lower() == name.lower() and not re.search(r"['’]", name)
    about = "" if is_said else description.strip()
    return RequiredSlot(name=key, description=about, required=not _OPTIONAL.search(item))


def _name_of(item: str) -> str:
    text = _PURPOSE.sub("", _BRACKETS.sub("", _plain(item))).strip(" .:,")
    words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text)
    return " ".join(words[:_MAX_NAME_WORDS])


def _plain(text: str) -> str:
    return _DETERMINERS.sub("", text.strip().rstrip(".?! "))
