"""What callers book, and the details that each kind of booking needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.agent_config import RequiredSlot
from control_plane.building.agent_builder.local.reading.known_details import (
    EMAIL,
    NAME,
    PARTY_SIZE,
    PHONE,
    slot,
)


@dataclass(frozen=True)
class Booking:
    noun: str
    """What is booked, for example ``table``."""
    needs: tuple[RequiredSlot, ...]
    """Details that every booking of this kind needs."""
    helps: tuple[RequiredSlot, ...] = ()
    """Details to ask for if the prompt lists none."""


_WHEN = (
    slot("day", "The day that suits the caller"),
    slot("time", "The time that suits the caller"),
)
_BOOKINGS: tuple[tuple[str, Booking], ...] = (
    (
        r"\btest drives?",
        Booking(
            "test drive", (*_WHEN, NAME), (slot("vehicle", "Which make and model is it?"), PHONE)
        ),
    ),
    (
        r"\bviewings?\b|\bproperty (?:tours?|visits?)|\b(?:real estate|realtor|letting)",
        Booking(
            "viewing",
            (*_WHEN, NAME),
            (slot("property", "Which property would you like to see?"), PHONE),
        ),
    ),
    (
        r"\b(?:hotel|hostel|inn|motel|guest ?house|resort|b&b|room (?:booking|reservation)s?)\b|"
        r"\bbook(?:s|ing)? (?:a |hotel )?rooms?\b",
        Booking(
            "room",
            (
                slot("check_in_date", "On which day do you arrive?"),
                slot("number_of_nights", "How many nights will you stay?"),
                NAME,
            ),
            (PARTY_SIZE, PHONE),
        ),
    ),
    (
        r"\btables?\b|\b(?:restaurant|bistro|trattoria|pizzeria|ristorante|steakhouse)\b",
        Booking("table", (PARTY_SIZE, *_WHEN, NAME), (PHONE,)),
    ),
    (r"\b(?:free |gym )?trials?\b|\bgym\b|\bfitness", Booking("trial", (*_WHEN, NAME), (PHONE,))),
    (
        r"\bdemos?\b",
        Booking("demo", (*_WHEN, NAME), (slot("company", "Which company are you with?"), EMAIL)),
    ),
    (
        r"\b(?:hair|barber|salon|nails?|beauty|spa|massage|haircuts?)\b",
        Booking(
            "appointment",
            (slot("service", "Which service would you like?"), *_WHEN, NAME),
            (PHONE,),
        ),
    ),
    (
        r"\bclass(?:es)?\b",
        Booking("class", (slot("class", "Which class would you like to join?"), *_WHEN, NAME)),
    ),
    (r"\bconsultations?\b", Booking("consultation", (*_WHEN, NAME), (PHONE,))),
    (r"\b(?:lesson|tutor|driving school)", Booking("lesson", (*_WHEN, NAME), (PHONE,))),
    (
        r"\b(?:discovery |sales |intro )?(?:meetings?|calls? with)\b",
        Booking("meeting", (*_WHEN, NAME), (EMAIL,)),
    ),
    (
        r"\b(?:clinic|dental|dentist|doctor|physio\w*|vet\b|veterinary|medical|therap\w+|patients?)\b",
        Booking(
            "appointment",
            (NAME, *_WHEN),
            (slot("reason", "What is the reason for your visit?"), PHONE),
        ),
    ),
)
_ANY = Booking("appointment", (NAME, *_WHEN), (PHONE,))


def booking_in(text: str) -> Booking:
    """The kind of booking that the prompt is about; an appointment if it does not say."""
    lowered = text.lower()
    return next((booking for pattern, booking in _BOOKINGS if re.search(pattern, lowered)), _ANY)
