"""Which words can be the answer to a question that is answered in the caller's own words."""

from __future__ import annotations

import re

from pipelines.playbook.values.phrase import Found, Phrase
from pipelines.playbook.values.slot_types import Field
from pipelines.playbook.values.yes_no import yes_or_no

_ASKS = re.compile(
    r"^(?:(?:and|but|so|well|ok|okay|wait|yes|no|sorry|oh|um|first|before that|quick question) )*"
    r"(?:(?:what|where|when|who|how|why|which)(?! (?:i|we|my|it|happened|hurts|bothers|im)\b)"
    r"|whats|wheres|whos|hows|do you|does (?:it|that|this|the|your)|did you|are you|is there|"
    r"are there|is it|is that|is this|is the|will you|will it|have you|can you (?:tell|say|"
    r"explain)|"
    r"could you (?:tell|say|explain)|can i (?:ask|pay|park|bring)|do i|should i|will i)\b"
)
_PLACE = re.compile(
    r"\d|\b(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|square|court|ct|place|way|boulevard|"
    r"blvd|terrace|crescent|close|row|hill|park|gardens?|apartment|apt|flat|suite|unit|building|"
    r"house|farm|floor|corner|highway|route|mall|station|downtown|next to|opposite|number|village|"
    r"box|plaza|alley|quay|mews)\b"
)
_MAY_BE_NONE = re.compile(
    r"\b(?:any|anything|allerg\w*|dietary|special|wishes|requests?|notes?|comments?|preferences?|"
    r"feedback|improve\w*|extras?|toppings?|medications?|conditions?)\b",
    re.IGNORECASE,
)
_OPEN_QUESTION = re.compile(r"\b(?:what|which|where|when|who|why|how)\b", re.IGNORECASE)
_VOLUNTEERED = re.compile(
    r"\b(?:reason|problem|issue|fault|incident|symptoms?|order|service|need|wrong|happened)\b"
)
_LEAD_IN = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|yes|so|well|um|please|there|sure|"
    r"okay|ok|"
    r"this is \w+|my name is \w+(?: \w+)?|im calling|i am calling|im phoning|calling|because|"
    r"its about|it is about|about|regarding) )+"
)
_ASKING_FOR = re.compile(
    r"^(?:id like|i would like|i want|i need|we need|wed like|can i|could i|may i|id love|"
    r"im looking for|i was hoping)"
    r"(?: to)?(?: (?:book|make|schedule|get|have|order|arrange|set up|reserve|come in|speak|"
    r"talk|see|"
    r"ask|know|report|file))?(?: (?:for|to|with|in))?(?: (?:an?|some|the|my))? ?"
)
_GENERIC = re.compile(
    r"^(?:appointments?|tables?|bookings?|reservations?|rooms?|help|questions?|information|visit|"
    r"slots?|delivery|pickup|takeaway|service|somebody|someone|person|it|that|this|dentist|doctor|"
    r"order|orders?|claim|quote|estimate|things?|something|call|message|for|at|on|next|this|please|"
    r"to|in|you|with|a|the|an|me|us|of|and|morning|afternoon|evening|i|id|like|would|book|make|"
    r"schedule|need|want|first|check|one|my|place|put|calling|can|could|get|order|report|leave|new|"
    r"today|tomorrow|problem|issue|emergency)$"
)
_LEAST_WORDS = 2
_LEAST_OF_A_SERVICE = 1
_WORDS_OF_YES_OR_NO = 3


def asks_something(said: Phrase) -> bool:
    """Whether the caller asks for information. "Can I get a check-up?" asks for a thing."""
    return bool(_ASKS.search(said.plain))


def fits(field: Field, said: Phrase) -> bool:
    """Whether the words can be a value of ``field``, which takes free text."""
    if yes_or_no(said) is not None and len(said.words) <= _WORDS_OF_YES_OR_NO:
        if field.is_qualification and not _OPEN_QUESTION.search(field.question):
            return True
        about = f"{field.label} {field.description} {field.question}"
        return yes_or_no(said) is False and bool(_MAY_BE_NONE.search(about))
    if "address" in field.label.split():
        return bool(_PLACE.search(said.text)) and not said.is_question
    return True


def first_words(field: Field, said: Phrase) -> list[Found]:
    """What the caller says at once, unasked, about a reason, a problem, an order or a service."""
    if not _VOLUNTEERED.search(f"{field.label} {field.question}") or asks_something(said):
        return []
    plain = said.plain
    start = len(lead_in[0].split()) if (lead_in := _LEAD_IN.match(f"{plain} ")) else 0
    rest = " ".join(said.words[start:])
    if asking := _ASKING_FOR.match(rest):
        start += len(asking[0].split())
    kept = [i for i in range(start, len(said.words)) if i not in said.taken]
    telling = [i for i in kept if not _GENERIC.match(said.words[i])]
    least = _LEAST_OF_A_SERVICE if asking and field.label == "service" else _LEAST_WORDS
    if len(telling) < least or not kept:
        return []
    until = next((i for i in range(kept[0], len(said.words)) if i in said.taken), len(said.words))
    words = range(kept[0], until)
    if sum(i in words for i in telling) < least:
        return []
    text = " ".join(said.surface[i] for i in words)
    return [Found(text, text, words)]
