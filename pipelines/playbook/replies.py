"""How a reply is composed, and the state that it leaves.

A reply repeats what was understood, answers what the caller asked, and asks the next question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.playbook import wording
from pipelines.playbook.agenda import (
    is_incomplete,
    known_slots,
    next_question,
    reported_slots,
    tool_uses,
)
from pipelines.playbook.dialogue_plan import DialoguePlan
from pipelines.playbook.state import Question, Reply, State, Topic

_MISSES_UNTIL_MOVING_ON = 3


@dataclass(frozen=True, slots=True)
class Replies:
    plan: DialoguePlan

    def proceed(
        self, state: State, said_back: str, answered: str, note: str | None = None
    ) -> tuple[State, Reply]:
        """Repeat what was understood, answer, then ask the next open question."""
        question = next_question(self.plan, state)
        return self.put(state, question, [said_back, answered], is_aside=bool(answered), note=note)

    def put(
        self,
        state: State,
        question: Question,
        before: Sequence[str],
        *,
        is_aside: bool = False,
        note: str | None = None,
    ) -> tuple[State, Reply]:
        if question.topic is Topic.CLOSING:
            return self._close(state, before, note)
        is_same = question == state.pending
        if question.topic is Topic.FIELD and self._is_worn_out(state, question.key):
            return self._leave(state, question.key, before, note)
        text = self._question_text(state, question)
        said = {**state.said, text: state.said.get(text, 0) + 1}
        if is_same and is_aside and self.plan.is_english:
            text = wording.resumed(text, state.turn)
        times_asked = state.asked.get(question.key, 0)
        asked = {**state.asked, question.key: times_asked + 1} if question.key else state.asked
        put = replace(
            state,
            pending=question,
            asked=asked,
            said=said,
            misses=state.misses if is_same else 0,
            digits_so_far=state.digits_so_far if is_same else "",
            is_question_heard=True,
        )
        return self.say(put, " ".join(part for part in (*before, text) if part), note=note)

    def _is_worn_out(self, state: State, key: str) -> bool:
        return self.plan.is_english and wording.is_worn_out(self.plan.field(key), state.said)

    def _leave(
        self, state: State, key: str, before: Sequence[str], note: str | None
    ) -> tuple[State, Reply]:
        left = replace(state, skipped=state.skipped | {key}, misses=0)
        question = next_question(self.plan, left)
        return self.put(left, question, [*before, "Let's leave that for now."], note=note)

    def _question_text(self, state: State, question: Question) -> str:
        match question.topic:
            case Topic.FIELD:
                field = self.plan.field(question.key)
                times_asked = state.asked.get(question.key, 0)
                return wording.ask(field, times_asked, state.values.get(question.key), state.said)
            case Topic.CONFIRM:
                return wording.summary(known_slots(self.plan, state), state.turn)
            case Topic.CHANGE:
                return wording.what_to_change(state.turn)
            case Topic.GO_ON:
                return wording.go_on_without_person(state.turn)
            case Topic.CLOSING:
                return self.plan.closing
            case Topic.ANYTHING_ELSE | Topic.OPENER:
                if not self.plan.is_english:
                    return wording.sign_off(self.plan)
                return wording.anything_else(state.turn)

    def _close(self, state: State, before: Sequence[str], note: str | None) -> tuple[State, Reply]:
        if is_incomplete(self.plan, state):
            return self._close_with(self.plan.fallback or self.plan.closing, state, before, note)
        closed = self._close_with(self.plan.closing, state, before, note)
        if self.plan.closing.endswith("?"):
            # "Shall I book it?" decides about the tools.
            return closed
        failed = self._close_with(self.plan.failure, state, before, note)
        return self._after_tools(state, closed, failed)

    def agreed(self, state: State) -> tuple[State, Reply]:
        """The caller has said yes to a closing that is a question."""
        failed = self.end(state, self.plan.failure)
        return self._after_tools(state, self.end(state, "Great."), failed)

    def _after_tools(
        self, state: State, done: tuple[State, Reply], failed: tuple[State, Reply]
    ) -> tuple[State, Reply]:
        tools = tool_uses(self.plan, state)
        if not tools:
            return done
        after, reply = done
        return replace(after, if_failed=failed[0]), replace(reply, tools=tools, if_failed=failed[1])

    def _close_with(
        self, closing: str, state: State, before: Sequence[str], note: str | None
    ) -> tuple[State, Reply]:
        closed = replace(state, is_closing_said=True, is_question_heard=True, misses=0)
        spoken = " ".join(part for part in (*before, closing) if part)
        if closing.endswith("?"):
            return self.say(replace(closed, pending=Question(Topic.CLOSING)), spoken, note=note)
        if not self.plan.is_english:
            return self.end(closed, spoken, note=note)
        asking = replace(closed, pending=Question(Topic.ANYTHING_ELSE))
        return self.say(asking, f"{spoken} {wording.anything_else(0)}".strip(), note=note)

    def ask_again(self, state: State) -> tuple[State, Reply]:
        """The open question again, in other words, without counting a misunderstanding."""
        pending = state.pending
        if pending is None or pending.topic is Topic.OPENER:
            return self.proceed(state, "", "")
        return self.put(state, pending, [""], is_aside=True)

    def miss(self, state: State) -> tuple[State, Reply]:
        pending = state.pending
        assert pending is not None
        if not state.is_question_heard:
            return self.ask_again(state)
        misses = state.misses + 1
        if misses < _MISSES_UNTIL_MOVING_ON:
            missed = replace(state, misses=misses)
            lead_in = wording.not_understood(state.turn) if self.plan.is_english else ""
            return self.put(missed, pending, [lead_in])
        given_up = replace(state, misses=0)
        if pending.topic is Topic.FIELD:
            given_up = replace(given_up, skipped=state.skipped | {pending.key})
        elif pending.topic in (Topic.CONFIRM, Topic.CHANGE):
            given_up = replace(given_up, is_unconfirmable=True)
        elif pending.topic in (Topic.ANYTHING_ELSE, Topic.CLOSING):
            return self.end(state, "")
        return self.proceed(
            given_up, "Let's leave that for now." if self.plan.is_english else "", ""
        )

    def end(self, state: State, before: str, *, note: str | None = None) -> tuple[State, Reply]:
        text = " ".join(part for part in (before, wording.sign_off(self.plan)) if part)
        ended = replace(
            state, is_closing_said=True, is_ended=True, pending=Question(Topic.ANYTHING_ELSE)
        )
        return self.say(ended, text, end_call=True, note=note)

    def say(
        self, state: State, text: str, end_call: bool = False, note: str | None = None
    ) -> tuple[State, Reply]:
        spoken = text.strip() or self.plan.opener or self.plan.agent_name
        slots = reported_slots(self.plan, state)
        return replace(state, last_reply=spoken), Reply(spoken, slots, end_call, note)


def last_sentence(text: str) -> str:
    for end in range(len(text) - 2, 0, -1):
        if text[end] in ".!?" and text[end + 1] == " ":
            return text[end + 2 :]
    return text
