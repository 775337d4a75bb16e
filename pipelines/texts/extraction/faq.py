"""Questions that callers ask, with their answers, in the forms in which prompts list them.

A pair is ``Q: … / A: …``, a question with its answer behind it (``Where are you? We are …``) or on
the next line, or a keyword with what is true of it (``Parking: there is a garage``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.texts.extraction.internal_words import names_internals
from pipelines.texts.extraction.statements import sentences

FAQ_HEADING = re.compile(
    r"\b(?:faqs?|frequently[ -]asked|common(?:ly)?(?: asked)? questions|typical questions|"
    r"q ?(?:&|and|/) ?a|questions (?:and|&) answers|"
    r"(?:what )?(?:callers?|customers?|patients?|guests?|people|clients?) (?:\w+ )?ask)\b",
    re.IGNORECASE,
)
_QUESTION_MARK = re.compile(
    r"^[\W_]*(?:q(?:uestion)?|customer|caller|user|guest|patient)\s*\d*\s*[:.)]\s*"
    r"(?P<asked>[^\n]+?\?)[\W_]*(?:\s*(?:a(?:nswer)?|agent|assistant|you)\s*\d*\s*[:.)]\s*"
    r"(?P<answer>.+))?$",
    re.IGNORECASE,
)
_BARE_QUESTION = re.compile(r"^[\W_]*q(?:uestion)?\s*\d*\s*[:.)]\s*(?P<asked>.+)$", re.IGNORECASE)
_ANSWER_MARK = re.compile(
    r"^[\W_]*(?:a(?:nswer)?|agent|assistant|you|reply|response)\s*\d*\s*[:.)]\s*(?P<answer>.+)$",
    re.IGNORECASE,
)
_IN_ONE_LINE = re.compile(
    r"^[\"“']?(?P<asked>(?:\w[^?\n]{2,160})\?)[\"”']?[*_]*\s*(?:->|=>|→|[-–—:|]\s)?\s*"
    r"(?P<answer>\S.*)$"
)
_IF_ASKED = re.compile(
    r"^[\W_]*(?:if|when) "
    r"(?:(?:they|callers|people|someone|somebody|anyone|(?:the|a) \w+) asks?|asked)"
    r"[:,]? [\"“](?P<asked>[^\"”?\n]+\?)[\"”],? (?:then )?(?:say|answer|reply|respond|tell them)"
    r"[:,]? [\"“]?(?P<answer>[^\"”\n]+)[\"”]?$",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"^(?P<asked>(?:(?:what|where|when|how|who|which|do|does|is|are|can|could)\b[^?\n]{3,120})\?)"
    r"\s+(?P<answer>(?:we|our|yes|no|there|it|it's|parking|the)\b.+)$",
    re.IGNORECASE,
)
_ASKS_US = re.compile(
    r"^(?:(?:do|are|can|could|will|does|have|how|what|where|when|which|who|is)\b.*"
    r"\b(?:you|your|yours|i|we|my|it|there|the|people|customers|guests|patients|callers|kids|pets)\b)",
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"^(?:we|our|yes|no|there|you can)\b", re.IGNORECASE)
_KEYED = re.compile(
    r"^[*_]*(?P<about>[^:.?!|]{2,50}?)[*_]*\s*(?::|\s[-–—])\s*[*_]*(?P<answer>\S.+)$"
)
_NOT_SPOKEN = re.compile(
    r"^(?:ask|if|when|unless|always|never|do not|don't|then|say|tell|explain|collect|transfer|use|"
    r"call(?! \d)|run|check(?!-)|confirm|note|wait|continue|go to|proceed|offer|give|provide|"
    r"mention|let|"
    r"yes or no|y/n)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^(?:say|tell them|answer|reply)?[: ]*[\"“](?P<words>[^\"”]+)[\"”]\s*$", re.I)


@dataclass(frozen=True, slots=True)
class Answer:
    asked: str
    """The question, or the keyword."""
    said: str


def answer_in(line: str, *, is_faq: bool, is_listed: bool = False) -> Answer | None:
    """The pair in one line.

    Args:
        is_faq: the line stands below a heading such as "FAQ". Elsewhere, a question with words
            behind it is a pair only if these can be nothing but an answer.
        is_listed: it stands among facts, where "Parking: we have a garage" is a pair, too.
    """
    if (marked := _QUESTION_MARK.match(line)) and marked["answer"]:
        return _pair(marked["asked"], marked["answer"])
    if asked := _IF_ASKED.match(line):
        return _pair(asked["asked"], asked["answer"])
    found = _IN_ONE_LINE.match(line) if is_faq or is_listed else _OUTSIDE.match(line)
    if found and "?" not in found["answer"].rstrip("?") and not found["answer"].endswith("?"):
        return _pair(found["asked"], found["answer"])
    keyed = _KEYED.match(line) if is_faq or is_listed else None
    if keyed and not _ANSWER_MARK.match(line) and (is_faq or _STATEMENT.match(keyed["answer"])):
        return _pair(keyed["about"], keyed["answer"])
    return None


def running_answers(text: str) -> tuple[tuple[Answer, ...], str]:
    """The pairs within running text (``Where are you? We are at 5 King Street.``), and the text
    without them."""
    found: list[Answer] = []
    rest: list[str] = []
    for sentence in sentences(text):
        asked = rest[-1] if rest else ""
        is_asked = asked.endswith("?") and _ASKS_US.match(asked)
        pair = _pair(asked, sentence) if is_asked and _STATEMENT.match(sentence) else None
        if pair is None:
            rest.append(sentence)
        else:
            rest.pop()
            found.append(pair)
    return tuple(found), " ".join(rest)


def question_in(line: str, *, is_faq: bool) -> str:
    """The question that the next line may answer; empty if ``line`` is none."""
    if marked := _QUESTION_MARK.match(line):
        return marked["asked"].strip(' *_"“”')
    if bare := _BARE_QUESTION.match(line):
        return bare["asked"].strip(' *_"“”')
    bare_line = line.strip(' *_"“”#')
    if bare_line.endswith("?") and len(bare_line) <= 200 and (is_faq or _ASKS_US.match(bare_line)):
        return bare_line
    return ""


def answer_to(question: str, line: str, *, is_faq: bool) -> Answer | None:
    """The pair of ``question`` and the line below it, if that is its answer."""
    if marked := _ANSWER_MARK.match(line):
        return _pair(question, marked["answer"])
    words = line.strip()
    if words.endswith("?") or (not is_faq and not _STATEMENT.match(words)):
        return None
    return _pair(question, words)


def _pair(asked: str, said: str) -> Answer | None:
    words = said.strip().strip("*_ ")
    if quoted := _QUOTED.match(words):
        words = quoted["words"].strip()
    if not words or _NOT_SPOKEN.match(words) or names_internals(words):
        return None
    capital = words[:1].upper() + words[1:]
    end = "" if capital.endswith((".", "!", "?", "…")) else "."
    return Answer(asked.strip(' *_"“”'), f"{capital}{end}")
