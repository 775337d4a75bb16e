"""Details that agents commonly ask for, as slots that the playbook engine understands.

Names and descriptions are chosen so that ``pipelines.playbook.values.slot_types`` finds the right
kind: the name decides the kind, and a description that is a question is asked word for word.
References such as "order number" are free text, because they may contain letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.agent_config import RequiredSlot


@dataclass(frozen=True)
class KnownDetail:
    pattern: re.Pattern[str]
    slots: tuple[RequiredSlot, ...]


def slot(name: str, description: str = "") -> RequiredSlot:
    return RequiredSlot(name=name, description=description)


NAME = slot("name", "The caller's first and last name")
PHONE = slot("phone_number", "A number to call back")
EMAIL = slot("email", "The caller's email address")
DAY = slot("day", "The day that suits the caller")
TIME = slot("time", "The time that suits the caller")
ADDRESS = slot("address", "What is the address?")
PARTY_SIZE = slot("party_size", "How many people will come")
PROBLEM = slot("problem", "What is the problem?")
ORDER_ID = slot("order_reference", "What is your order reference?")
MESSAGE = slot("message", "What may I pass on?")
COMPANY = slot("company", "Which company are you with?")


def _known(pattern: str, *slots: RequiredSlot) -> KnownDetail:
    return KnownDetail(re.compile(pattern, re.IGNORECASE), slots)


KNOWN_DETAILS: tuple[KnownDetail, ...] = (
    _known(r"e-?mail", EMAIL),
    _known(r"contact (?:details|information|info)", NAME, PHONE),
    _known(
        r"date of birth|birth ?(?:date|day)|\bdob\b",
        slot("date_of_birth", "What is your date of birth?"),
    ),
    _known(
        r"(?:company|team|organi[sz]ation|business) size|headcount|"
        r"(?:number of|how many) (?:employees|seats)",
        slot("team_size", "How many people are on your team?"),
    ),
    _known(r"order (?:number|id|no\b|ref|code)", ORDER_ID),
    _known(
        r"tracking (?:number|id|no\b|ref|code)",
        slot("tracking_reference", "What is your tracking reference?"),
    ),
    _known(
        r"(?:booking|reservation|confirmation) (?:number|id|no\b|ref|code)",
        slot("booking_reference", "What is your booking reference?"),
    ),
    _known(r"policy\b", slot("policy_reference", "What is your policy reference?")),
    _known(
        r"claim (?:number|id|no\b|ref)", slot("claim_reference", "What is your claim reference?")
    ),
    _known(
        r"(?:account|customer|client|member(?:ship)?) (?:number|id|no\b|ref)",
        slot("account_reference", "What is your account reference?"),
    ),
    _known(r"employee (?:number|id)", slot("employee_id", "What is your employee ID?")),
    _known(
        r"licen[cs]e plate|number plate|registration (?:number|plate)|\breg(?:istration)?$",
        slot("license_plate", "What is the license plate?"),
    ),
    _known(r"\b(?:phone|mobile|cell|telephone)\b|(?:callback|contact) number|^number$", PHONE),
    _known(
        r"(?:number of|how many) (?:people|guests|diners|persons|covers)|party size|group size|"
        r"size of (?:the|their) (?:party|group)|guest count|^(?:guests|people|covers)$",
        PARTY_SIZE,
    ),
    _known(
        r"(?:number of|how many|how long|length of).{0,20}(?:nights|stay)",
        slot("number_of_nights", "How many nights will you stay?"),
    ),
    _known(
        r"check-? ?in|arrival (?:date|day)", slot("check_in_date", "On which day do you arrive?")
    ),
    _known(
        r"check-? ?out|departure (?:date|day)",
        slot("check_out_date", "On which day do you leave?"),
    ),
    _known(r"room type|(?:type|kind) of room", slot("room_type", "What kind of room is it to be?")),
    _known(
        r"what happened|(?:description|details?) of (?:the )?(?:incident|accident|loss|damage)|"
        r"describe (?:the )?(?:incident|accident|damage)|how it happened",
        slot("incident", "What happened?"),
    ),
    _known(
        r"when (?:it|the \w+) (?:happened|occurred)|"
        r"(?:date|day|time) of (?:the )?(?:incident|accident|loss|damage)",
        slot("happened", "How long ago did it happen?"),
    ),
    _known(
        r"(?:date|day)s? (?:and|&|/) (?:time|hour)|time (?:and|&) (?:date|day)|"
        r"^(?:appointment|preferred|suitable|booking) slot$|when they(?:'d| would) like to come",
        DAY,
        TIME,
    ),
    _known(
        r"what(?:'s| is)? (?:wrong|broken)|\b(?:problem|issue|fault|symptoms|trouble)\b|"
        r"nature of (?:the )?(?:emergency|call|request)",
        PROBLEM,
    ),
    _known(r"zip ?code|\bzip\b", slot("zip_code", "What is your zip code?")),
    _known(r"post ?codes?|postal code", slot("postcode", "What is your postcode?")),
    _known(r"urgen|how soon|severity|priority", slot("urgency", "How urgent is it?")),
    _known(r"budget|price range", slot("budget", "What is your budget?")),
    _known(
        r"time ?line|time ?frame|move[- ]in date|start date|when they (?:want|plan|would like)",
        slot("timeline", "How soon would you like to start?"),
    ),
    _known(
        r"allerg|dietary|\bdiet\b",
        slot("dietary_needs", "Which allergies or dietary needs should we know about?"),
    ),
    _known(
        r"special (?:requests?|wishes|requirements|needs)",
        slot("special_wishes", "Which special wishes do you have, if any?"),
    ),
    _known(r"\boccasion\b", slot("occasion", "What is the occasion?")),
    _known(
        r"(?:delivery or (?:pick-? ?up|collection|take ?away)|"
        r"(?:pick-? ?up|collection|take ?away) or delivery)",
        slot("delivery_or_pickup", "We offer either delivery or pickup; which would you like?"),
    ),
    _known(
        r"^(?:the )?orders?$|items|what they(?:'d| would)? (?:want|like) to (?:order|eat)|dishes",
        slot("order", "What would you like to order?"),
    ),
    _known(
        r"^(?:which |what |type of |kind of |the |desired |requested )*"
        r"(?:service|treatment|procedure)s?(?: (?:they|needed|wanted|required).*)?$",
        slot("service", "Which service would you like?"),
    ),
    _known(
        r"\brat(?:e|ing)s?\b|\bscore\b|how (?:satisfied|happy)|satisfaction|\bnps\b",
        slot("rating", "On a scale from one to ten, as a number, how satisfied are you?"),
    ),
    _known(
        r"reason (?:for|of|why)|^(?:the )?(?:reason|purpose)$|why they(?:'re| are)? call",
        slot("reason", "What is the reason for your call?"),
    ),
    _known(
        r"insurance (?:provider|company|carrier|plan|details|information)|^insurance$",
        slot("insurance", "Which insurance do you have?"),
    ),
    _known(
        r"(?:make|model) (?:and|&) (?:model|make)|^(?:car|vehicle)(?: (?:type|model|details))?$",
        slot("vehicle", "Which make and model is it?"),
    ),
    _known(
        r"^(?:your |company |business )*(?:company|business|organi[sz]ation|employer)"
        r"(?: name)?$|where they work|name of (?:the )?(?:company|business)",
        COMPANY,
    ),
    _known(
        r"^(?:(?:full|first|last|and|owner|parent|student|caller|customer|guest|patient|contact|client|lead|person|"
        r"their|own)s?'?s? )*names?$|who (?:is calling|they are)",
        NAME,
    ),
    _known(
        r"\baddress\b|^(?:location|property)$|"
        r"where (?:they|the \w+) (?:live|are|is)(?: located)?$",
        ADDRESS,
    ),
    _known(
        r"^(?:(?:preferred|new|desired|suitable|appointment|visit|delivery|booking|requested|best|"
        r"convenient|another|different|viewing|moving|event|wedding|party) )*(?:date|day)s?$|"
        r"which (?:day|date)|what (?:day|date)",
        DAY,
    ),
    _known(
        r"^(?:(?:preferred|new|desired|suitable|appointment|visit|delivery|booking|requested|best|"
        r"convenient|another|different|viewing|pick-?up) )*(?:time|hour|time slot|time window)s?$|"
        r"which time|what time|time of day",
        TIME,
    ),
    _known(r"^(?:a |the |short )*messages?$", MESSAGE),
    _known(
        r"needs|requirements|use case|what they(?:'re| are) (?:looking for|interested in)|"
        r"pain points?|interests?$|what they need",
        slot("need", "What are you looking for?"),
    ),
)


def known_slots(item: str) -> tuple[RequiredSlot, ...]:
    """The slots for an item such as "their phone number"; empty if it is not well known."""
    return next((known.slots for known in KNOWN_DETAILS if known.pattern.search(item)), ())
