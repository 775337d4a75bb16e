"""The agent's tasks on a call, and what follows from them: what to ask and how to close."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from contracts.agent_config import RequiredSlot
from control_plane.building.agent_builder.local.caller_questions import addressed
from control_plane.building.agent_builder.local.reading.bookings import booking_in
from control_plane.building.agent_builder.local.reading.known_details import (
    ADDRESS,
    DAY,
    EMAIL,
    MESSAGE,
    NAME,
    ORDER_ID,
    PHONE,
    PROBLEM,
    TIME,
    slot,
)

_GOOD_MOMENT = "Is this a good moment?"


@dataclass(frozen=True)
class Task:
    role: str
    """The job title of an agent with this task, for example ``receptionist``."""
    opening: str
    """What the agent says after the greeting if it calls somebody."""
    closing: str
    needs: tuple[RequiredSlot, ...] = ()
    """Details to ask for in any case."""
    helps: tuple[RequiredSlot, ...] = ()
    """Details to ask for if the prompt lists none."""
    is_outbound: bool = False
    is_accompanying: bool = False
    """Whether agents with other tasks do this too, such as taking messages."""
    stands_alone: bool = False
    """Whether other tasks in the prompt ("reschedule if needed") are part of this one."""


def _book(text: str) -> Task:
    booking = booking_in(text)
    article = "an" if booking.noun[0] in "aeiou" else "a"
    return Task(
        role="receptionist"
        if booking.noun in ("appointment", "consultation")
        else "booking assistant",
        opening=f"I'm calling about {article} {booking.noun}. {_GOOD_MOMENT}",
        closing=f"Thank you. Your request for {article} {booking.noun} is noted.",
        needs=booking.needs,
        helps=booking.helps,
    )


def _fixed(task: Task) -> Callable[[str], Task]:
    return lambda _: task


_REMINDED_OF = re.compile(
    r"\bremind(?:s|ing|er|ers)?\b (?:[\w.']+ ){0,7}?"
    r"(?P<joint>about|to|(?<=them )of|(?<=him )of|(?<=her )of) "
    r"(?P<what>[^.,;:!?\"]{3,80}?)(?= (?:and|so|or|but|before|which) |[.,;:!?]|$)",
    re.IGNORECASE,
)


def _remind(text: str) -> Task:
    match = _REMINDED_OF.search(text)
    is_visit = bool(re.search(r"\b(?:appointment|visit|booking|reservation)s?\b", text, re.I))
    what = addressed(match["what"].strip()) if match else "your appointment" if is_visit else ""
    joint = "to" if match and match["joint"].lower() == "to" else "of"
    can_move = bool(
        re.search(r"\bresched|\bmove\b|\banother (?:day|time|date)|\bcancel", text, re.I)
    )
    if not re.search(r"appointment|visit|booking|viewing|meeting|class|reservation", what):
        request = "Please tell me if there is anything that I should note about it."
    elif can_move:
        request = (
            "Please tell me whether you can still make it, or which other day and time would suit "
            "you."
        )
    else:
        request = "Please tell me whether you can still make it."
    another = " If you need another day or time, just tell me which." if can_move else ""
    return Task(
        role="reminder assistant",
        opening=f"This is a reminder{f' {joint} {what}' if what else ''}. {request}",
        closing=f"Thank you, I have noted your answer.{another}",
        # Not asked for, but noted and read back if the caller names them.
        needs=tuple(wanted.model_copy(update={"required": False}) for wanted in (DAY, TIME))
        if can_move
        else (),
        is_outbound=True,
        stands_alone=True,
    )


_TASKS: tuple[tuple[str, Callable[[str], Task]], ...] = (
    (r"\bremind(?:s|er|ers|ing)?\b(?! me\b)", _remind),
    (
        r"\bsurveys?\b|\bfeedback\b|\bnps\b|\bcsat\b|\bquestionnaire|\bsatisfaction\b|\bpoll\b",
        _fixed(
            Task(
                "survey assistant",
                f"I have a few short questions. {_GOOD_MOMENT}",
                "Those were all my questions. Thank you for your answers.",
                helps=(
                    slot(
                        "rating", "On a scale from one to ten, as a number, how satisfied are you?"
                    ),
                    slot("feedback", "What could we do better?"),
                ),
                is_outbound=True,
                stands_alone=True,
            )
        ),
    ),
    (
        r"\bclaims?\b(?! to\b| that\b)|\bfirst notice of loss|\bfnol\b",
        _fixed(
            Task(
                "claims assistant",
                f"I'm calling about your claim. {_GOOD_MOMENT}",
                "Thank you. I have noted what happened, for our claims team.",
                stands_alone=True,
                needs=(NAME,),
                helps=(
                    slot("policy_reference", "What is your policy reference?"),
                    slot("incident", "What happened?"),
                    slot("happened", "How long ago did it happen?"),
                    PHONE,
                ),
            )
        ),
    ),
    (
        r"\bre-?deliver|\bdeliver\w*\b.{0,60}\b(?:resched\w+|new (?:day|date|slot))|"
        r"\b(?:resched\w+|rearrang\w+)\b.{0,60}\bdeliver",
        _fixed(
            Task(
                "delivery assistant",
                f"I'm calling about your delivery. {_GOOD_MOMENT}",
                "Thank you. The new delivery day is noted.",
                stands_alone=True,
                needs=(DAY,),
                helps=(
                    NAME,
                    ORDER_ID,
                    TIME,
                ),
            )
        ),
    ),
    (
        r"\border status|\bstatus of (?:their |an |the )?orders?|\bwhere(?:'s| is) my (?:order|"
        r"package|parcel)|\btrack(?:s|ing)? (?:orders?|packages?|parcels?|shipments?)",
        _fixed(
            Task(
                "order assistant",
                f"I'm calling about your order. {_GOOD_MOMENT}",
                "Thank you. I have noted your question, so that our team can look the order up.",
                stands_alone=True,
                helps=(ORDER_ID, NAME, PHONE),
            )
        ),
    ),
    (
        r"\b(?:emergency|emergencies)\b(?! contact)|\burgent (?:calls?|jobs?|repairs?)\b|"
        r"\bplumb(?:er|ing)|\belectrician|\bdispatch|"
        r"\b(?:locksmith|boiler|leak|burst|roadside|towing)\b",
        _fixed(
            Task(
                "intake assistant",
                f"I'm calling about your request. {_GOOD_MOMENT}",
                "Thank you. I have noted everything for our team.",
                needs=(PROBLEM,),
                helps=(ADDRESS, NAME, PHONE),
            )
        ),
    ),
    (
        r"\btak(?:es?|ing) (?:\w+[ -]){0,3}orders?|\border(?:s|ing)? (?:food|pizza|takeaway)|"
        r"\b(?:food|pizza|takeaway|phone) orders?\b|\border[- ]taking",
        _fixed(
            Task(
                "order assistant",
                f"I'm calling about your order. {_GOOD_MOMENT}",
                "Thank you. Your order is noted.",
                needs=(slot("order", "What would you like to order?"), NAME),
                helps=(PHONE,),
            )
        ),
    ),
    (
        r"\bqualif(?:y|ies|ying|ication)|\bleads?\b|\bprospects?\b|\bsales (?:agent|assistant|rep)",
        _fixed(
            Task(
                "sales assistant",
                f"I'm calling about your interest in us. {_GOOD_MOMENT}",
                "Thank you. I have noted everything for our sales team.",
                needs=(NAME,),
                helps=(
                    slot("company", "Which company are you with?"),
                    slot("need", "What are you looking for?"),
                    EMAIL,
                ),
            )
        ),
    ),
    (
        r"\bhelp ?desk|\bIT support|\btech(?:nical)? support|\btroubleshoot|\bsupport (?:agent|"
        r"assistant|line|calls?|tickets?|for)\b|\bcustomer (?:support|service|care)|"
        r"\bcomplaints?\b|\btickets?\b",
        _fixed(
            Task(
                "support assistant",
                f"I'm calling about your request. {_GOOD_MOMENT}",
                "Thank you. I have noted the problem, so that our team can look into it.",
                needs=(PROBLEM,),
                helps=(NAME, PHONE),
            )
        ),
    ),
    (
        r"\bbook(?:s|ing|ings)?\b(?! ?(?:store|shop|club|s\b))|\breserv\w+|\bschedul\w+|"
        r"\bappointments?\b|\bviewings?\b|\bresched\w+|\btrials?\b|\bdemos?\b|\btest drives?\b",
        _book,
    ),
    (
        r"\bmessages?\b|\bafter[- ]hours\b|\bcall ?backs?\b|\bvoicemail",
        _fixed(
            Task(
                "assistant",
                _GOOD_MOMENT,
                "Thank you. I will pass your message on.",
                needs=(MESSAGE,),
                helps=(NAME, PHONE),
                is_accompanying=True,
            )
        ),
    ),
    (
        r"\banswer(?:s|ing)? (?:\w+ ){0,3}(?:questions?|calls?|phones?|faqs?|inquiries|enquiries)|"
        r"\bfaqs?\b|\bfront desk\b|\breception(?:ist)?\b|\binformation (?:line|about)\b|"
        r"\bexplains? (?:our|the|what)",
        _fixed(
            Task(
                "receptionist",
                f"I'm calling about your question. {_GOOD_MOMENT}",
                "Thank you. I have noted everything.",
                helps=(NAME, PHONE, slot("reason", "What is the reason for your call?")),
                is_accompanying=True,
            )
        ),
    ),
)
_REMINDER_FOR_CALLER = re.compile(
    r"\b(?:like|wants?|needs?|gets?|receives?|sends?|sending|texts?|offers?) "
    r"(?:\w+ ){0,3}reminders?\b",
    re.IGNORECASE,
)
"""A service to callers, not the reason for a call."""
_MOST_TASKS = 2


def tasks_in(text: str) -> tuple[Task, ...]:
    """The main tasks of the prompt; empty if it names none."""
    text = _REMINDER_FOR_CALLER.sub(" ", text)
    found: list[Task] = []
    for pattern, make in _TASKS:
        if not re.search(pattern, text, re.IGNORECASE):
            continue
        task = make(text)
        if task.stands_alone and not found:
            return (task,)
        found.append(task)
    leading = [task for task in found if not task.is_accompanying]
    return tuple((leading or found)[: _MOST_TASKS if leading else 1])
