"""A caller whom no recogniser understands is asked to say it again, in the agent's voice."""

from __future__ import annotations

from pipelines.engine.shared_models import WarmModels
from pipelines.texts.phrases import say_again
from tests.pipelines.conversations import conversation
from tests.pipelines.plans import call_plan


async def test_the_agent_asks_unless_it_speaks(warm_models: WarmModels) -> None:
    plan = call_plan()
    async with conversation(plan, warm_models) as call:
        ask_again = call.conversation.agents.present.stt.ask_again  # type: ignore[attr-defined]
        ask_again()
        await call.audio.agent_starts(0.0)
        ask_again()
        assert await call.messages("assistant", 1) == [say_again(plan)]
        await call.audio.silence(0.3)
