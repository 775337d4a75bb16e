"""What the agent is to do on a call, and what follows from it: what to ask, how to close."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from contracts.agent_config import RequiredSlot
from control_plane.agent_builder.draft.bookings import booking_in
from control_plane.agent_builder.draft.known_details import (
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


@dataclass(frozen=True)
class Task:
    role: str
    """``receptionist``: who does this."""
    purpose: str
    """``your appointment``: why such an agent calls somebody."""
    closing: str
    needs: tuple[RequiredSlot, ...] = ()
    """Asked for in any case."""
    helps: tuple[RequiredSlot, ...] = ()
    """Asked for when the prompt lists nothing itself."""
    first_question: str = ""
    """Ends the opener, and is the first of the flow."""
    is_outbound: bool = False
    is_accompanying: bool = False
    """Whether every agent does it beside its task: taking messages, answering questions."""
    stands_alone: bool = False
    """Whether what else the prompt mentions ("reschedule if needed") is part of this."""


def _book(text: str) -> Task:
    booking = booking_in(text)
    article = "an" if booking.noun[0] in "aeiou" else "a"
    return Task(
        role="receptionist"
        if booking.noun in ("appointment", "consultation")
        else "booking assistant",
        purpose=f"booking {article} {booking.noun}",
        closing=f"Thank you. Your request for {article} {booking.noun} is noted.",
        needs=booking.needs,
        helps=booking.helps,
    )


def _fixed(task: Task) -> Callable[[str], Task]:
    return lambda _: task


_REMIND = Task(
    role="assistant for appointments",
    purpose="your appointment",
    closing="Thank you, I have noted that.",
    needs=(
        DAY.model_copy(update={"required": False}),
        TIME.model_copy(update={"required": False}),
    ),
    first_question="Can you still make it?",
    is_outbound=True,
    stands_alone=True,
)
_TASKS: tuple[tuple[str, Callable[[str], Task]], ...] = (
    (r"\bremind(?:s|er|ers|ing)?\b(?! me\b)", _fixed(_REMIND)),
    (
        r"\bsurveys?\b|\bfeedback\b|\bnps\b|\bcsat\b|\bquestionnaire|\bsatisfaction\b|\bpoll\b",
        _fixed(
            Task(
                "survey assistant",
                "a few short questions",
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
                "your claim",
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
                "your delivery",
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
                "your order",
                "Thank you. I have noted your question, so that our team can look the order up.",
                stands_alone=True,
                helps=(ORDER_ID, NAME, PHONE),
            )
        ),
    ),
    (
        r"\b(?:emergency|emergencies)\b|\burgent (?:calls?|jobs?|repairs?)\b|\bplumb(?:er|ing)|\belectrician|\bdispatch|"
        r"\b(?:locksmith|boiler|leak|burst|roadside|towing)\b",
        _fixed(
            Task(
                "intake assistant",
                "your request",
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
                "your order",
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
                "your interest",
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
                "your request",
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
                "a message",
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
                "your question",
                "Thank you. I have noted everything.",
                helps=(NAME, PHONE, slot("reason", "What is the reason for your call?")),
                is_accompanying=True,
            )
        ),
    ),
)
_MOST_TASKS = 2
_OUTBOUND = re.compile(
    r"\b(?:outbound|cold[- ]call\w*)\b"
    r"|\b(?:agent|assistant|bot|it|that|which|who|to|should|will|please|and|i want you to)[ ,]+"
    r"(?:automatically )?(?:calls?|phones?|rings?|dials?|contacts?|follows? up with|"
    r"reach(?:es)? out to|calling) (?:\w+ ){0,3}(?:customers?|patients?|clients?|leads?|guests?|"
    r"members?|people|tenants?|prospects?|users?|subscribers?|candidates?|buyers?|donors?|"
    r"debtors?|attendees|voters|drivers|them)\b",
    re.IGNORECASE,
)


def tasks_in(text: str) -> tuple[Task, ...]:
    """The most telling tasks of the prompt; none if it names none."""
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


def is_outbound(text: str) -> bool:
    """Whether the agent calls people, rather than being called."""
    return bool(_OUTBOUND.search(text))
