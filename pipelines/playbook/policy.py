"""The dialogue policy: takes what the caller says, returns the next state and the agent's reply.

A reply has up to three parts: it repeats what was understood, answers what the caller asked, and
asks the next open question. Pure and deterministic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from contracts.tool_bindings import Transfer
from pipelines.playbook import wording
from pipelines.playbook.agenda import (
    is_incomplete,
    known_slots,
    next_question,
)
from pipelines.playbook.closed_times import closed_value
from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.intents import Intent, intents
from pipelines.playbook.person_asked_for import asks_for_person, identified
from pipelines.playbook.replies import Replies, last_sentence
from pipelines.playbook.side_requests import Answer, side_answer
from pipelines.playbook.slot_tools import ToolUse
from pipelines.playbook.state import Question, Reply, State, Topic, Value
from pipelines.playbook.triggers import strongest
from pipelines.playbook.understanding import named_field, understand
from pipelines.playbook.urgent import urgent_answer
from pipelines.playbook.values.answers_in_words import asks_something
from pipelines.playbook.values.phone_numbers import as_dictated, dictated_digits
from pipelines.playbook.values.phrase import Phrase, phrase
from pipelines.playbook.values.recognition import Place
from pipelines.playbook.values.slot_types import Field, Kind
from pipelines.playbook.values.yes_no import yes_or_no

_SAME_QUESTION_SIMILARITY = 80
_DIGITS_OF_A_PIECE = 2
_WORDS_OF_COMING_BACK = 4
_WORDS_OF_AN_ANSWER = 2
"""From this length on, an unexpected answer to a yes-or-no question is accepted as it is."""
_LOOSE_KINDS = frozenset({Kind.TEXT, Kind.CHOICE, Kind.NAME})
_REFUSAL_STRENGTH = 0.5
_ASKS_FOR_VISIT = re.compile(
    r"\b(?:book\w*|appointments?|tables?|rooms?|slots?|availab\w+|openings?|reserv\w+|schedul\w+|order|"
    r"help|come|visit|see (?:a|the|somebody|someone))\b"
)
_GOOD_MOMENT = re.compile(
    r"\b(?:good|right|convenient|bad) (?:time|moment)\b|\bhave (?:a|one|two) (?:minute|moment|"
    r"second)"
)
_BACKCHANNELS = frozenset({Intent.GREETING, Intent.THANKS, Intent.HOW_ARE_YOU, Intent.STILL_HERE})


@dataclass(frozen=True, slots=True)
class Policy:
    plan: DialoguePlan
    place: Place

    @property
    def replies(self) -> Replies:
        return Replies(self.plan)

    def step(self, state: State, utterance: str) -> tuple[State, Reply]:
        """The answer to ``utterance`` in ``state``, and the state after it. Never raises."""
        said = phrase(utterance)
        wants = intents(said) if self.plan.is_english else frozenset()
        state = replace(state, turn=state.turn + 1, if_failed=None)
        if state.pending is None:
            state, opening = self._open(state), self.plan.opener
            if not said.words or (wants and wants <= _BACKCHANNELS):
                return self.replies.say(state, opening)
            answered, reply = self.step(state, utterance)
            return self.replies.say(answered, f"{opening} {reply.text}", reply.end_call, reply.note)
        if not said.words:
            return self.replies.ask_again(state)
        if (urgent := urgent_answer(self.plan, said, wants)) is not None:
            return self._after_side(replace(state, was_nudged=False), urgent)
        return self._conversation_control(state, said, wants) or self._answer(state, said, wants)

    def heard(self, state: State, spoken: str, *, is_interrupted: bool) -> State:
        """The state after the caller heard ``spoken``: a reply, perhaps cut off, or a sentence of
        the platform's own."""
        text = phrase(spoken).plain
        if state.pending is None:
            return replace(self._open(state), is_question_heard=not is_interrupted)
        reply = phrase(state.last_reply).plain
        if state.if_failed is not None:
            apology = phrase(state.if_failed.last_reply).plain
            if fuzz.ratio(apology[: len(text)], text) > fuzz.ratio(reply[: len(text)], text):
                return self.heard(state.if_failed, spoken, is_interrupted=is_interrupted)
        if reply.startswith(text) or fuzz.ratio(reply, text) >= _SAME_QUESTION_SIMILARITY:
            missing = len(reply.split()) - len(text.split())
            question = len(phrase(last_sentence(state.last_reply)).words)
            # A summary must be heard up to its values, any other reply up to half of its question.
            allowed = question if state.pending.topic is Topic.CONFIRM else question // 2
            return replace(state, is_question_heard=missing <= allowed)
        return replace(state, was_nudged=spoken.rstrip().endswith("?"))

    def _open(self, state: State) -> State:
        """The opener may itself be the first question of the qualification flow."""
        question = last_sentence(self.plan.opener)
        for field in self.plan.fields[:1]:
            if (
                question.endswith("?")
                and fuzz.token_set_ratio(question.lower(), field.question.lower())
                >= _SAME_QUESTION_SIMILARITY
            ):
                return replace(
                    state,
                    pending=Question(Topic.FIELD, field.key),
                    asked={field.key: 1},
                    last_reply=self.plan.opener,
                )
        return replace(state, pending=Question(Topic.OPENER), last_reply=self.plan.opener)

    # Intents about the conversation itself.

    def _conversation_control(
        self, state: State, said: Phrase, wants: frozenset[Intent]
    ) -> tuple[State, Reply] | None:
        if Intent.WRONG_NUMBER in wants and self._may_be_wrong_number(state, said):
            note = "The caller says that this is the wrong number."
            return self.replies.end(state, wording.wrong_number(), note=note)
        if Intent.NOT_INTERESTED in wants and self.plan.is_outbound:
            return self._refused(state, said)
        if Intent.DO_NOT_CALL in wants:
            note = "The caller asks not to be called again."
            return self.replies.end(state, "I'm sorry for the trouble. I'm noting that.", note=note)
        if Intent.GOODBYE in wants:
            unfinished = is_incomplete(self.plan, state) and not state.is_closing_said
            return self.replies.end(state, self.plan.fallback if unfinished else "")
        if Intent.REPEAT in wants:
            return self._repeat(state)
        return None

    def _may_be_wrong_number(self, state: State, said: Phrase) -> bool:
        """Once something is noted, "the wrong number" corrects it."""
        is_called = self.plan.is_outbound or "wrong number" in said.plain
        return is_called and not state.values

    def _refused(self, state: State, said: Phrase) -> tuple[State, Reply] | None:
        """The owner's answer to "not interested" is given once; then a no is a no."""
        has_answer = strongest(self.plan.objections, said, _REFUSAL_STRENGTH) is not None
        if has_answer and not state.has_declined:
            return self._answer(replace(state, has_declined=True), said, frozenset())
        note = "The caller is not interested."
        return self.replies.end(state, wording.accepted_refusal(), note=note)

    def _repeat(self, state: State) -> tuple[State, Reply]:
        before = state.last_reply.removeprefix("Sure. ").removeprefix("Of course. ")
        lead_in = "Sure." if state.turn % 2 else "Of course."
        repeated, reply = self.replies.say(state, f"{lead_in} {before}")
        return replace(repeated, is_question_heard=True), reply

    # Answers and questions about the matter.

    def _answer(self, state: State, said: Phrase, wants: frozenset[Intent]) -> tuple[State, Reply]:
        if state.pending == Question(Topic.OPENER) and asks_for_person(self.plan):
            return identified(self.replies, state, said, wants, self.place.today)
        state, was_nudged = replace(state, was_nudged=False), state.was_nudged
        is_short_yes = yes_or_no(said) is True and len(said.words) <= _WORDS_OF_COMING_BACK
        is_back = Intent.STILL_HERE in wants and len(said.words) <= _WORDS_OF_COMING_BACK
        if (is_back and state.pending != Question(Topic.GO_ON)) or (was_nudged and is_short_yes):
            return self.replies.ask_again(state)
        side = side_answer(self.plan, state, said, wants, self.place.today)
        if side is not None and side.outranks_answer:
            return self._after_side(state, side)
        is_correction = Intent.CORRECTION in wants and bool(state.values)
        dictated = self._continued_dictation(state, said)
        understood = understand(self.plan, state, dictated, self.place, is_correction=is_correction)
        values = understood.values
        if (side is not None or Intent.DECLINE in wants) and self._is_loose(state, values):
            values = {}
        if values and (refused := self._refused_by_hours(state, values)) is not None:
            return refused
        if values:
            return self._filled(state, values, side)
        for key in understood.rejected:
            return self._ask_field_again(state, self.plan.field(key))
        if side is not None:
            return self._after_side(state, side)
        return self._without_value(state, said, wants)

    def _refused_by_hours(
        self, state: State, values: Mapping[str, Value]
    ) -> tuple[State, Reply] | None:
        """What is said about a day or a time that the business is closed at; the rest is kept."""
        closed = closed_value(self.plan, {**state.values, **values})
        if closed is None or (closed.key not in values and closed.key not in state.values):
            return None
        kept = {
            key: value for key, value in {**state.values, **values}.items() if key != closed.key
        }
        cleared = replace(state, values=kept, misses=0, is_confirmed=False)
        return self.replies.put(cleared, Question(Topic.FIELD, closed.key), [closed.reason])

    def _is_loose(self, state: State, values: Mapping[str, Value]) -> bool:
        """Whether free text was taken as an answer that may be a question or an objection."""
        pending = state.pending
        if pending is None or pending.topic is not Topic.FIELD or set(values) != {pending.key}:
            return False
        return self.plan.field(pending.key).kind in _LOOSE_KINDS

    def _filled(
        self, state: State, values: Mapping[str, Value], side: Answer | None
    ) -> tuple[State, Reply]:
        kept = {key: value for key, value in state.values.items() if key not in values}
        filled = replace(
            state,
            values=kept | dict(values),
            misses=0,
            digits_so_far="",
            skipped=state.skipped - set(values),
            is_confirmed=state.is_confirmed and not any(self.plan.field(k).slot for k in values),
        )
        if self._is_bad_moment(values):
            return self.replies.end(filled, self.plan.fallback or "No problem.")
        said_back = self._said_back(filled, values)
        return self.replies.proceed(filled, said_back, side.text if side else "")

    def _is_bad_moment(self, values: Mapping[str, Value]) -> bool:
        """Whether the caller has no time now for a call that the agent has placed."""
        return self.plan.is_outbound and any(
            value.value == "no" and _GOOD_MOMENT.search(self.plan.field(key).question)
            for key, value in values.items()
        )

    def _said_back(self, state: State, values: Mapping[str, Value]) -> str:
        if not self.plan.is_english:
            return ""
        # The summary that follows repeats everything.
        if next_question(self.plan, state).topic is Topic.CONFIRM:
            return wording.thanks(state.turn)
        fields = [field for field in self.plan.fields if field.key in values]
        spoken = [
            values[field.key].spoken
            for field in fields
            if field.kind not in (Kind.YES_NO, Kind.TEXT, Kind.CHOICE)
        ]
        if spoken:
            return wording.implicit_confirmation(spoken, state.turn)
        if any(field.kind is Kind.YES_NO and values[field.key].value == "no" for field in fields):
            return "No problem."
        return wording.thanks(state.turn)

    def _without_value(
        self, state: State, said: Phrase, wants: frozenset[Intent]
    ) -> tuple[State, Reply]:
        pending = state.pending
        assert pending is not None
        if Intent.HOLD_ON in wants:
            return self.replies.say(state, wording.waiting(state.turn))
        if pending.topic is Topic.OPENER:
            return self._after_opener(state, said, wants)
        if pending.topic is Topic.FIELD:
            return self._unanswered_field(state, self.plan.field(pending.key), said, wants)
        answer = yes_or_no(said)
        match pending.topic:
            case Topic.CONFIRM | Topic.CHANGE:
                return self._about_summary(state, pending.topic, said, answer)
            case Topic.GO_ON:
                if answer is False:
                    return self.replies.end(state, "")
                if answer is True:
                    return self.replies.proceed(state, "Good.", "")
            case _:
                if (ended := self._about_ending(state, pending.topic, wants, answer)) is not None:
                    return ended
        if said.is_question:
            return self.replies.proceed(state, "", wording.unknown_answer())
        return self.replies.miss(state)

    def _after_opener(
        self, state: State, said: Phrase, wants: frozenset[Intent]
    ) -> tuple[State, Reply]:
        is_bad_moment = "?" in self.plan.opener and yes_or_no(said) is False
        if is_bad_moment and len(said.words) <= 4 and self.plan.is_english:
            return self.replies.end(state, self.plan.fallback or "No problem.")
        is_greeting = wants == {Intent.GREETING} and len(said.words) <= 3
        if asks_something(said) and not _ASKS_FOR_VISIT.search(said.plain) and self.plan.is_english:
            return self.replies.proceed(state, "", wording.unknown_answer())
        lead_in = "Hello." if is_greeting else "Sure."
        return self.replies.proceed(state, lead_in if self.plan.is_english else "", "")

    def _unanswered_field(
        self, state: State, field: Field, said: Phrase, wants: frozenset[Intent]
    ) -> tuple[State, Reply]:
        if Intent.DECLINE in wants or (field.is_qualification and Intent.DO_NOT_KNOW in wants):
            skipped = replace(state, skipped=state.skipped | {field.key}, misses=0)
            return self.replies.proceed(skipped, "No problem.", "")
        if wants and wants <= _BACKCHANNELS:
            return self.replies.ask_again(state)
        if field.kind is Kind.PHONE and (dictating := self._dictating(state, field, said)):
            return dictating
        named = named_field(self.plan, said) if Intent.CORRECTION in wants else None
        if named is not None and named.key in state.values and named is not field:
            return self._ask_field_again(state, named)
        if said.is_question:
            return self.replies.proceed(state, "", wording.unknown_answer())
        is_answer = len(said.words) >= _WORDS_OF_AN_ANSWER or state.misses
        if field.is_qualification and is_answer and state.is_question_heard:
            return self._filled(state, {field.key: Value(said.plain, said.plain)}, None)
        return self.replies.miss(state)

    def _continued_dictation(self, state: State, said: Phrase) -> Phrase:
        """``said``, after the digits so far. People pause while they dictate a phone number."""
        if state.digits_so_far and dictated_digits(said):
            return phrase(f"{state.digits_so_far} {said.plain}")
        return said

    def _dictating(self, state: State, field: Field, said: Phrase) -> tuple[State, Reply] | None:
        digits = dictated_digits(self._continued_dictation(state, said))
        if digits != state.digits_so_far and len(digits) >= _DIGITS_OF_A_PIECE:
            going_on = replace(state, digits_so_far=digits, misses=0)
            return self.replies.say(going_on, wording.dictation_goes_on(state.turn))
        number = as_dictated(state.digits_so_far, self.place.region)
        if number is None:
            return None
        return self._filled(state, {field.key: Value(number.value, number.spoken)}, None)

    def _ask_field_again(self, state: State, field: Field) -> tuple[State, Reply]:
        values = {key: value for key, value in state.values.items() if key != field.key}
        cleared = replace(state, values=values, misses=0, is_confirmed=False)
        question = Question(Topic.FIELD, field.key)
        return self.replies.put(cleared, question, ["No problem."])

    def _about_summary(
        self, state: State, topic: Topic, said: Phrase, answer: bool | None
    ) -> tuple[State, Reply]:
        named = named_field(self.plan, said)
        if named is not None and answer is not True and named.key in state.values:
            return self._ask_field_again(state, named)
        if answer is True and not state.is_question_heard:
            return self.replies.ask_again(state)
        if answer is True or (topic is Topic.CHANGE and answer is False):
            return self.replies.proceed(replace(state, is_confirmed=True, misses=0), "Great.", "")
        if answer is False:
            return self.replies.put(
                replace(state, misses=0), Question(Topic.CHANGE), ["Sorry about that."]
            )
        return self.replies.miss(state)

    def _about_ending(
        self, state: State, topic: Topic, wants: frozenset[Intent], answer: bool | None
    ) -> tuple[State, Reply] | None:
        if state.is_ended:
            return self.replies.end(state, "")
        if topic is Topic.CLOSING:
            if answer is True:
                return self.replies.agreed(state)
            if answer is False:
                return self.replies.end(state, self.plan.fallback or "All right.")
            return None
        if answer is False or wants & {Intent.ALL_DONE, Intent.THANKS}:
            return self.replies.end(state, "")
        if answer is True:
            return self.replies.say(state, "Sure, what is it?")
        return None

    def _after_side(self, state: State, side: Answer) -> tuple[State, Reply]:
        if side.transfers and self.plan.transfer is not None:
            return self._transferred(state, side, self.plan.transfer)
        if side.is_final:
            return self.replies.say(state, side.text, note=side.note)
        if side.question is not None:
            return self.replies.put(state, side.question, [side.text], note=side.note)
        return self.replies.proceed(state, "", side.text, note=side.note)

    def _transferred(self, state: State, side: Answer, transfer: Transfer) -> tuple[State, Reply]:
        """If nobody is reached, the caller is asked whether to go on without a person."""
        waiting = replace(state, pending=Question(Topic.GO_ON), misses=0)
        state, reply = self.replies.say(waiting, side.text, note=side.note)
        arguments = {"summary": wording.matter(known_slots(self.plan, state))}
        refused = Reply(wording.cannot_connect(), reply.slots, note=reply.note)
        use = ToolUse(transfer.name, arguments if transfer.mode == "warm" else {})
        return state, replace(reply, transfer=use, if_failed=refused)
