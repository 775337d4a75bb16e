"""The playbook engine's own sentences: short, and never the same twice in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.opening_hours import OpeningHours
from pipelines.playbook.read_back import part, statement
from pipelines.playbook.state import Value
from pipelines.playbook.values.slot_types import Field, Kind

_NOT_UNDERSTOOD = (
    "Sorry, I didn't catch that.",
    "I'm not sure I got that.",
    "Sorry, once more please.",
    "I didn't quite understand.",
)
_RESUMING = ("So,", "Now,", "Back to my question:", "Then,")
_GOT_IT = ("got it.", "noted.", "all right.", "very good.")
_THANKS = ("Thank you.", "Thanks.", "All right.", "I see.")
_ANYTHING_ELSE = (
    "Is there anything else I can help you with?",
    "Can I do anything else for you?",
    "Is there something else you need?",
    "Do you have any other question?",
)
_IS_THAT_RIGHT = ("Is that right?", "Is that correct?", "Did I get everything right?")
_CHANGE = (
    "What should I change?",
    "Which part is not right?",
    "Please tell me what to correct.",
)
_GO_ON = (
    "Shall we go on in the meantime?",
    "Would you like to go on with me for now?",
    "Do you want to continue with me meanwhile?",
)

_PERSONAL_NAMES = frozenset(
    {"name", "full name", "caller name", "your name", "customer name"}
    | {"patient name", "guest name", "contact name", "client name", "first and last name", "who"}
)
_MEETING_DAYS = frozenset(
    {"day", "date", "appointment day", "appointment date", "preferred day", "preferred date"}
    | {"visit day", "visit date", "booking date", "meeting day", "meeting date", "when"}
)
_MEETING_TIMES = frozenset(
    {"time", "appointment time", "preferred time", "visit time", "booking time", "meeting time"}
    | {"hour", "time of day"}
)
_PHONES = frozenset({"phone", "phone number", "telephone", "telephone number", "callback number"})
_PEOPLE = frozenset({"party size", "people", "number of people", "guests", "number of guests"})

_ASK: dict[Kind, tuple[str, ...]] = {
    Kind.NAME: (
        "May I have the {label}, please?",
        "What is the {label}?",
        "Please tell me the {label}.",
        "Could you say the {label} once more, slowly?",
    ),
    Kind.DATE: (
        "What is the {label}?",
        "Which day is the {label}, for example next Tuesday or the third of May?",
        "Could you give me the {label} as a day and a month?",
    ),
    Kind.TIME: (
        "What is the {label}?",
        "At what hour, for example at half past ten?",
        "Could you give me the {label} as an hour of the day?",
    ),
    Kind.PHONE: (
        "What is the {label}?",
        "Could you give me the {label}, digit by digit?",
        "Please say the {label} slowly, one digit after the other.",
    ),
    Kind.EMAIL: (
        "What is your email address?",
        "Could you say the email address slowly, with at and dot?",
        "Which email address may I write to, for example anna at example dot com?",
    ),
    Kind.NUMBER: (
        "What is the {label}?",
        "Could you give me the {label} as a number?",
        "Which number should I write down for the {label}?",
    ),
    Kind.AMOUNT: (
        "What is the {label}?",
        "About how much would that be, as an amount?",
        "Could you give me the {label} as a number?",
    ),
    Kind.YES_NO: (
        "{description}, yes or no?",
        "Just a yes or a no, please: {description}?",
        "Could you answer with yes or no: {description}?",
    ),
    Kind.CHOICE: (
        "What is the {label}?",
        "What is the {label}, for example {choices}?",
        "Which one fits: {choices}?",
    ),
    Kind.TEXT: (
        "What is the {label}?",
        "Could you tell me the {label}?",
        "In a few words, what is the {label}?",
    ),
}
_ASK_PERSONALLY: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (
        _PERSONAL_NAMES,
        (
            "May I have your name, please?",
            "What name should I put it under?",
            "Could you tell me your first and last name?",
            "Please say your name once more.",
        ),
    ),
    (
        _MEETING_DAYS,
        (
            "Which day suits you?",
            "What day would you like, for example next Tuesday?",
            "On which date would you like to come?",
            "Could you name a day of the week, or a date?",
        ),
    ),
    (
        _MEETING_TIMES,
        (
            "What time suits you?",
            "At what time, for example half past ten?",
            "Which hour of the day would you prefer?",
            "Would you rather come in the morning or in the afternoon?",
        ),
    ),
    (
        _PHONES,
        (
            "What is your phone number?",
            "Could you give me your phone number, digit by digit?",
            "On which number can we reach you?",
        ),
    ),
    (
        _PEOPLE,
        (
            "For how many people?",
            "How many people will you be?",
            "What number of people should I write down?",
        ),
    ),
)


_MOST_TIMES = 2
"""How often a question may be put in the same words."""
_ARTICLES = {Kind.NAME: "your {}", Kind.PHONE: "your {}", Kind.EMAIL: "your {}"} | {
    Kind.DATE: "a {}",
    Kind.TIME: "a {}",
}


def vary(wordings: Sequence[str], turn: int) -> str:
    return wordings[turn % len(wordings)]


def ask(
    field: Field, times_asked: int, known: Value | None = None, said: Mapping[str, int] = {}
) -> str:
    """The question for a field. ``times_asked`` selects its wording; what was ``said`` twice
    already is not said again as long as there are other words.

    ``known`` is a part of the day that the caller has said, if an hour is still missing.
    """
    if known and times_asked == 0 and field.kind is Kind.TIME and not field.question:
        return f"What time {known.spoken}?"
    wordings = _wordings(field)
    at = times_asked if field.question == "" else max(0, times_asked - _MOST_TIMES + 1)
    turned = (*wordings[at % len(wordings) :], *wordings[: at % len(wordings)])
    return next((text for text in turned if said.get(text, 0) < _MOST_TIMES), turned[0])


def is_worn_out(field: Field, said: Mapping[str, int]) -> bool:
    """Whether every wording of the question was said as often as it may be."""
    return all(said.get(text, 0) >= _MOST_TIMES for text in _wordings(field))


def _wordings(field: Field) -> tuple[str, ...]:
    if field.question:
        return (field.question, *_own_again(field))
    for labels, wordings in _ASK_PERSONALLY:
        if field.label in labels:
            return wordings
    return tuple(
        template.format(
            label=field.label,
            description=(field.description or field.label).rstrip(".?! "),
            choices=listed(field.choices, "or"),
        )
        for template in _ASK[field.kind]
    )


def _own_again(field: Field) -> tuple[str, ...]:
    """Other words for an owner's own question, which has only one wording."""
    stated = statement(field.question)
    if stated:
        return (
            f"Please tell me whether {stated}.",
            f"I would still like to know if {stated}; just say yes, no, or skip.",
        )
    if field.slot:
        return (
            f"Could you tell me the {field.label}?",
            f"I still need the {field.label}; you can also say skip.",
        )
    return (
        "Could you answer my last question in a few words?",
        "Please answer in your own words, or say skip.",
    )


def not_understood(turn: int) -> str:
    return vary(_NOT_UNDERSTOOD, turn)


def resumed(question: str, turn: int) -> str:
    """The same question, after talking about something else."""
    lead_in = vary(_RESUMING, turn)
    is_pronoun = question.startswith(("I ", "I'"))
    return f"{lead_in} {question if is_pronoun else question[:1].lower() + question[1:]}"


def implicit_confirmation(spoken: Sequence[str], turn: int) -> str:
    """``Tuesday the 24th of November at three in the afternoon, got it.``"""
    text = ", ".join(spoken).replace(", at ", " at ").replace(", in ", " in ")
    return f"{text[:1].upper()}{text[1:]}, {vary(_GOT_IT, turn)}"


def thanks(turn: int) -> str:
    return vary(_THANKS, turn)


def summary(named: Sequence[tuple[Field, Value]], turn: int) -> str:
    parts = [part(field, value) for field, value in named]
    return f"Let me repeat: {', '.join(parts)}. {vary(_IS_THAT_RIGHT, turn)}"


def recap(named: Sequence[tuple[Field, Value]]) -> str:
    if not named:
        return "I have not noted anything yet."
    return f"So far I have {', '.join(part(field, value) for field, value in named)}."


def anything_else(turn: int) -> str:
    return vary(_ANYTHING_ELSE, turn)


def what_to_change(turn: int) -> str:
    return vary(_CHANGE, turn)


def go_on_without_person(turn: int) -> str:
    return vary(_GO_ON, turn)


def waiting(turn: int) -> str:
    return vary(("Sure, take your time.", "Of course, I'll wait."), turn)


def dictation_goes_on(turn: int) -> str:
    return vary(("Yes, go on.", "And then?"), turn)


def identity(plan: DialoguePlan) -> str:
    at = f" from {plan.company}" if plan.company else ""
    return f"I'm {plan.agent_name}, an automated assistant{at}."


def not_a_person(plan: DialoguePlan) -> str:
    of = f" of {plan.company}" if plan.company else ""
    return f"I'm not a person. I'm {plan.agent_name}, an automated voice assistant{of}."


def capabilities(plan: DialoguePlan) -> str:
    slots = [_ARTICLES.get(field.kind, "the {}").format(field.label) for field in plan.slots]
    what = f"note {listed(slots[:4], 'and')}" if slots else "take your request"
    also = " and answer simple questions" if plan.knowledge or plan.objections else ""
    for_company = f" for {plan.company}" if plan.company else ""
    return f"I'm an automated assistant{for_company}. I can {what}{also}."


def escalation(plan: DialoguePlan) -> str:
    if plan.escalation_line:
        return plan.escalation_line
    if plan.transfer is not None:
        return "Of course. One moment, please."
    whom = f"at {plan.company} " if plan.company else ""
    return (
        "I understand. I can't put you through myself, "
        f"but I'm noting that somebody {whom}should get back to you."
    )


def cannot_connect() -> str:
    return "I'm sorry, I can't put you through just now. Shall we go on without a person?"


def matter(slots: Sequence[tuple[Field, Value]]) -> str:
    """What a person is told of a caller who is connected to them; empty if nothing is known."""
    # Not as the caller hears it, whose words would turn into "your".
    return " ".join(f"{field.label.capitalize()}: {value.spoken}." for field, value in slots)


def emergency() -> str:
    return (
        "If somebody is in danger, please hang up now and call your local emergency number. "
        "I can't send help myself."
    )


def only_english(in_their_language: str) -> str:
    english = "I'm sorry, I only understand English. I'm noting that somebody should call you back."
    return f"{in_their_language} {english}".strip()


def soothing(plan: DialoguePlan) -> str:
    whom = f"at {plan.company} " if plan.company else ""
    return (
        "I'm sorry that this is frustrating. I'm an automated assistant, and I'm noting that "
        f"somebody {whom}should call you back."
    )


def wrong_number() -> str:
    return "I'm sorry, then I have the wrong number."


def not_for_everybody() -> str:
    return "I'm sorry, I can only talk about this with the person that I asked for."


def accepted_refusal() -> str:
    return "All right, I won't keep you."


def closed_on(hours: OpeningHours, day: date) -> str:
    return f"I'm sorry, we are closed on {day.strftime('%A')}."


def closed_at(hours: OpeningHours, day: date | None) -> str:
    span = hours.on(day) if day else ""
    if day is None or not span:
        return "I'm sorry, we are not open at that time."
    return f"I'm sorry, on {day.strftime('%A')} we are open {span}."


def opening(hours: OpeningHours, day: date) -> str:
    """The answer to "Are you open on Sunday?"."""
    if hours.is_closed_on(day):
        return f"No, we are closed on {day.strftime('%A')}."
    span = hours.on(day)
    return f"Yes, on {day.strftime('%A')} we are open{f' {span}' if span else ''}."


def off_limits() -> str:
    return "I'm sorry, that is something I can't talk about."


def unknown_answer() -> str:
    return "I'm sorry, I can't answer that one."


def sign_off(plan: DialoguePlan) -> str:
    return plan.end_message or (
        "Thank you for calling. Goodbye." if plan.is_english else plan.opener
    )


def listed(items: Sequence[str], joiner: str) -> str:
    """``a, b or c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {joiner} {items[-1]}"
