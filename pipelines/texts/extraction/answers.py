"""The agent's answers to what callers say, and when it hands over to a person."""

from __future__ import annotations

import re

from contracts.agent_config import ObjectionHandler, Script
from pipelines.texts.extraction.draft import Draft
from pipelines.texts.extraction.identity import IMPERATIVE
from pipelines.texts.extraction.internal_words import names_internals
from pipelines.texts.extraction.quotations import quoted_in
from pipelines.texts.extraction.second_person import CALLER, sentence, to_caller
from pipelines.texts.extraction.statements import QUOTED, Statement
from pipelines.texts.extraction.topics import Topic

_CONDITIONAL = re.compile(
    r"^(?:and |but |also,? )?(?:if|when|whenever|should|in case) (?P<when>[^,:]{3,300}?)[,:]\s*"
    r"(?P<then>.+)$",
    re.IGNORECASE,
)
_QUOTED_CONDITION = re.compile(
    rf"^(?:and |but )?(?:if|when|whenever) (?:{CALLER} )?"
    r"(?:says?|asks?|objects?|mentions?|complains?)(?: that)?,? "
    r"(?P<quote>[\"“'‘].+?[\"”'’])(?!\w),? *:?(?P<then>.+)$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:asks?|asked|asking|wants? to know|questions?|inquires?|wonders?)\b", re.IGNORECASE
)
_WHO_SAYS = re.compile(
    rf"^(?:{CALLER} )?(?:(?:says?|asks?|asked|objects?|mentions?|complains?|wants? to know"
    r"|inquires?|are experiencing|is experiencing|are|is|thinks?|feels?|worries|expresses|raises"
    r"|has|have|reports?|describes?|experiences?)\b"
    r"(?: (?:that|about|if|whether|for|like))?)? ?",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"^(?:then |please |you (?:can |should )?|just |politely |gently )*(?:say|reply|respond|answer"
    rf"|tell|explain|reassure|let|inform|assure|mention|state|advise|instruct"
    rf"|direct|urge)\b(?: (?:to )?{CALLER})?(?: know)?"
    r"(?: (?:with|by saying|something like))?(?:(?P<that> that)"
    r"|(?P<to> to(?= (?!the\b|a\b|your\b))))?"
    r"[,: ]*(?P<reply>.+)$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"^(?:we|our|the|it|there|this|that|a|an|your|you|yes|no|they|prices?|i|most|all|every)\b", re.I
)
_ARROW = re.compile(r"^(?P<when>.{2,200}?)\s*(?:->|=>|→|⇒)\s*(?P<reply>.+)$")
_KEYED = re.compile(r"^(?P<when>[^:.]{2,120}):\s+(?P<reply>.+)$")
_QUESTION = re.compile(r"^q(?:uestion)?\s*[:.]\s*(?P<asked>.+)$", re.IGNORECASE)
_ANSWER = re.compile(r"^a(?:nswer)?\s*[:.]\s*(?P<reply>.+)$", re.IGNORECASE)
_HANDS_OVER = re.compile(
    r"\b(?:transfer\w*|escalat\w+|hand (?:over|off)|put (?:them|the \w+) through|forward the call|"
    r"connect (?:them|the \w+) (?:to|with)|(?:real|live) (?:person|human|agent)|"
    r"(?:human|person|manager|representative) (?:takes|should take) over)\b",
    re.IGNORECASE,
)


def read_handover(said: Statement, draft: Draft) -> bool:
    if _HANDS_OVER.search(said.text) or said.topic is Topic.ESCALATION:
        draft.escalation.append(sentence(said.text))
        return True
    return False


def read_answer(said: Statement, draft: Draft) -> bool:
    """Add an answer to something that callers say. Returns whether there was one."""
    text = said.text
    if match := _QUESTION.match(text):
        draft.scripts.append(Script(title="Question", when=match["asked"], content=""))
        return True
    if match := _ANSWER.match(text):
        return _answer_question(match["reply"], draft)
    if match := _ARROW.match(text):
        return _handle(match["when"], match["reply"], draft, is_listed=True)
    if match := _QUOTED_CONDITION.match(text) or _CONDITIONAL.match(text):
        groups = match.groupdict()
        when = groups.get("quote") or groups.get("when") or ""
        reply = _reply(match["then"])
        is_asked = _ASKING.search(text[: match.start("then")]) is not None
        return bool(reply) and _handle(when, reply, draft, is_question=is_asked)
    if said.topic is Topic.OBJECTIONS and (match := _KEYED.match(text)):
        return _handle(match["when"], match["reply"], draft, is_listed=True)
    return False


def _handle(
    when: str, reply: str, draft: Draft, *, is_question: bool = False, is_listed: bool = False
) -> bool:
    trigger = _WHO_SAYS.sub("", when.strip()).strip(" \"“”'‘’.?,") or when.strip()
    words = quoted_in(reply) or reply.strip()
    if is_listed and not quoted_in(reply):
        words = _reply(reply) or ("" if IMPERATIVE.match(reply) else sentence(reply))
    if not words or names_internals(words):
        return False
    if is_question:
        title = trigger[:1].upper() + trigger[1:]
        draft.scripts.append(Script(title=title[:80], when=trigger, content=words))
    else:
        draft.objections.append(ObjectionHandler(trigger=trigger, response=words))
    return True


def _reply(then: str) -> str:
    """The words to say: those in quotation marks, or a clause that can be said as it is."""
    match = _SAYS.match(then.strip())
    if match is None:
        return ""
    if QUOTED.search(match["reply"]):
        return quoted_in(match["reply"])
    if match["to"]:
        return sentence(f"Please {to_caller(match['reply'].strip())}")
    if match["that"] or _CLAUSE.match(match["reply"]):
        return sentence(to_caller(match["reply"]))
    return ""


def _answer_question(reply: str, draft: Draft) -> bool:
    if not draft.scripts or draft.scripts[-1].content:
        return False
    asked = draft.scripts[-1].when
    draft.scripts[-1] = Script(title=asked.rstrip("?")[:80], when=asked, content=reply)
    return True
