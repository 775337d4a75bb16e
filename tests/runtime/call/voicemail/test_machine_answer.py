"""What becomes of the call when a machine answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, cast

import pytest

from contracts.agent_config import Voicemail
from contracts.end_reasons import EndReason
from runtime.call.end_cause import Ending
from runtime.call.voicemail.machine_answer import NO_MESSAGE, MachineAnswer
from runtime.conversation.conversation import Conversation


class Speaker:
    """As much of a conversation as a machine gets."""

    def __init__(self, *, is_heard: bool = True) -> None:
        self.said: list[str] = []
        self.listens = True
        self._is_heard = is_heard

    async def announce(self, text: str) -> bool:
        self.said.append(text)
        return self._is_heard

    def stop_listening(self) -> None:
        self.listens = False

    async def stop_speaking(self) -> None:
        """It says nothing yet."""


class Call:
    def __init__(self, speaker: Speaker | None) -> None:
        self.conversation = cast(Conversation | None, speaker)
        self.endings: list[Ending] = []
        self.tasks: list[asyncio.Task[None]] = []

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.create_task(work))

    def end(self, ending: Ending) -> None:
        self.endings.append(ending)

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        """Its silence is counted elsewhere."""


async def answered(call: Call, action: str) -> None:
    settings = Voicemail.model_validate({"action": action, "message": "Please call us back."})
    machine = MachineAnswer(settings, "Please call us back.", call, lambda: 0.0)
    machine.reported(records=True)
    await asyncio.gather(*call.tasks)


async def test_a_message_that_was_said_is_left() -> None:
    call = Call(speaker := Speaker())
    await answered(call, "leave_message")
    assert (speaker.said, speaker.listens) == (["Please call us back."], False)
    assert [each.reason for each in call.endings] == [EndReason.VOICEMAIL_LEFT]


async def test_a_message_whose_voice_failed_is_not_told_as_left() -> None:
    call = Call(Speaker(is_heard=False))
    await answered(call, "leave_message")
    assert [(each.reason, each.detail) for each in call.endings] == [
        (EndReason.VOICEMAIL_DETECTED, NO_MESSAGE)
    ]


@pytest.mark.parametrize("action", ["hang_up", "leave_message"])
async def test_without_a_conversation_no_message_is_left_and_none_is_told_of(action: str) -> None:
    call = Call(None)
    await answered(call, action)
    assert [each.reason for each in call.endings] == [EndReason.VOICEMAIL_DETECTED]
    assert call.endings[0].detail == (NO_MESSAGE if action == "leave_message" else None)
