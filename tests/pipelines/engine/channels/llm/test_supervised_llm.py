"""Whatever a vendor of language models does, the caller hears a whole answer, once and soon.

Real plugin and SDK against servers on this machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pipelines.engine.channels.circuit_breaker import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS
from pipelines.engine.channels.serving_model import RECORDED_WORDS
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderDeadlines
from tests.faults.cells import MOST_WAIT_MS, HowLong, note
from tests.pipelines.engine.channels.llm.two_vendors import (
    SENTENCE,
    SOON,
    Heard,
    calling,
    goes_on,
)
from tests.stand_ins.openai_wire import (
    Answer,
    OpenAIWire,
    breaks,
    calls,
    fails,
    hangs,
    paced,
    says,
    sends,
    slowly,
)

pytestmark = pytest.mark.usefixtures("spare_vendor")

FIRST, SECOND, PLAYBOOK = "openai/first", "spare/second", "local/playbook"
FAULTS = {
    "401": fails(401),
    "429": fails(429),
    "500": fails(500),
    "hang first": hangs(),
    "hang mid": breaks(says(SENTENCE), "hangs", 5),
    "disconnect mid": breaks(says(SENTENCE), "disconnects", 5),
    "garbage": sends(b"<html>What?</html>", "text/html"),
    "garbage mid": breaks(says(SENTENCE), "sends_garbage", 5),
    "error mid": breaks(says(SENTENCE), "reports_an_error", 5),
    "end mid": breaks(says(SENTENCE), "ends", 5),
    "empty": says(""),
    "slow x 10": slowly(paced(says(SENTENCE), 0.2), 5.0),
    "refused": says(SENTENCE),
}
AFTER_A_DEADLINE = ("hang first", "hang mid", "slow x 10")
MOST_WAIT_SECONDS = 1.2
"""Without a deadline to wait for, on a busy machine; much less than any time limit of the engine,
the plugin and the SDK."""


@pytest.mark.latency
@pytest.mark.parametrize("how_long", ["once", "for ever"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_fault_is_answered_whole_and_soon_and_the_next_turn_starts_with_what_works(
    warm_models: WarmModels,
    record_property: Callable[[str, object], None],
    fault: str,
    how_long: HowLong,
) -> None:
    answers = [FAULTS[fault], *([says(SENTENCE)] if how_long == "once" else [])]
    primary = OpenAIWire(answers)
    is_refused = fault == "refused"
    deadlines = ProviderDeadlines()
    most_seconds = MOST_WAIT_MS / 1000 if fault in AFTER_A_DEADLINE else MOST_WAIT_SECONDS
    async with calling(
        warm_models, primary, deadlines=deadlines, is_refused=lambda: is_refused
    ) as call:
        heard = await call.turn()
        note(record_property, "llm", fault, how_long, heard.longest_wait_seconds)
        assert heard.text == SENTENCE
        assert heard.longest_wait_seconds < most_seconds
        assert call.switches == [(FIRST, SECOND)]
        switch = call.reports.switches[0]
        assert switch.channel == "llm"
        assert 0 <= switch.lost_ms <= heard.longest_wait_seconds * 1000 + 100
        assert len(primary.requests) == (not is_refused)

        asked = len(primary.requests)
        assert (await call.turn()).text == SENTENCE
        if fault != "empty":
            assert len(primary.requests) == asked, "the model that failed was asked first again"

        call.clock.now += FIRST_PAUSE_SECONDS
        is_refused = is_refused and how_long == "for ever"
        heard = await call.turn()
        assert heard.text == SENTENCE
        assert heard.longest_wait_seconds < most_seconds
        assert call.supervised.provider == ("openai" if how_long == "once" else "spare")
        assert call.reports.exhaustions == []


async def test_a_model_that_is_slow_within_its_deadlines_is_heard_out(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([slowly(paced(says("One two three."), 0.1), 0.1)])
    async with calling(warm_models, primary) as call:
        assert (await call.turn()).text == "One two three."
        assert call.switches == []


async def test_the_next_model_gets_the_words_that_were_given_as_the_beginning_of_its_answer(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([breaks(says(SENTENCE), "disconnects", 5)])
    async with calling(warm_models, primary) as call:
        await call.turn()
        system, question, beginning, instruction = call.spare.requests[0]["messages"]
        assert (system["role"], question["role"]) == ("system", "user")
        # "Monday" was the last that came. It may have been the first half of a word.
        assert beginning == {"role": "assistant", "content": "We are open from"}
        assert instruction["role"] == "system"
        assert [message.role for message in call.history.messages()] == [
            *("system", "user", "assistant")
        ]


async def test_a_model_that_failed_before_its_first_word_leaves_no_trace_in_the_next_request(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([fails(500)])
    async with calling(warm_models, primary) as call:
        await call.turn()
        [failed], [taken_over] = primary.requests, call.spare.requests
        assert failed | {"model": "second"} == taken_over


@pytest.mark.parametrize(
    "repeats",
    [
        SENTENCE,
        "from Monday to Friday, from eight until six, and on Saturdays until noon.",
        "We are open from Monday to Friday, from eight until six, and on Saturdays until noon.",
    ],
)
async def test_what_the_next_model_repeats_is_cut(warm_models: WarmModels, repeats: str) -> None:
    primary = OpenAIWire([breaks(says(SENTENCE), "disconnects", 5)])
    spare = OpenAIWire([says(repeats)])
    async with calling(warm_models, primary, spare) as call:
        assert (await call.turn()).text == SENTENCE


async def test_an_answer_that_breaks_off_twice_is_finished_by_the_playbook_in_its_own_words(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([breaks(says(SENTENCE), "disconnects", 3)])

    def goes_on_and_breaks(asked: dict[str, Any]) -> Answer:
        return breaks(goes_on(asked), "disconnects", 3)

    spare = OpenAIWire(answer_to=goes_on_and_breaks)
    async with calling(warm_models, primary, spare) as call:
        heard = await call.turn()
        beginning, _, playbook = heard.text.partition("… ")
        assert beginning == "We are open from "
        assert playbook[-1] in ".?!"
        assert call.switches == [(FIRST, SECOND), (SECOND, PLAYBOOK)]


async def test_a_tool_call_that_has_gone_out_is_not_made_again(warm_models: WarmModels) -> None:
    two_calls = Answer(
        "Goodbye then.",
        tool_calls=(("end_call", "{}"), ("end_call", '{"a": 1}')),
        finish_reason="tool_calls",
    )
    # Two words, the whole first call, and the second without the end of its arguments.
    primary = OpenAIWire([breaks(two_calls, "disconnects", 7)])
    async with calling(warm_models, primary) as call:
        heard = await call.turn()
        assert heard == Heard("Goodbye then.", [("end_call", "{}")], heard.longest_wait_seconds)
        assert call.spare.requests == []
        assert call.switches == []


async def test_a_tool_call_that_broke_off_is_made_by_the_next_model(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([breaks(calls("end_call", '{"a": 1}'), "disconnects", 2)])
    spare = OpenAIWire([calls("end_call")])
    async with calling(warm_models, primary, spare) as call:
        assert (await call.turn()).tools == [("end_call", "{}")]
        assert call.switches == [(FIRST, SECOND)]


@pytest.mark.parametrize(
    "broken",
    [
        '{"a": ',
        "[]",
        '{"a": "\\ud800"}',
        '{"a": ' + "9" * 5_000 + "}",
        '{"a":' * 300 + "1" + "}" * 300,
    ],
    ids=["cut off", "a list", "half of a character", "a number of 5,000 digits", "300 levels"],
)
async def test_a_tool_call_with_broken_arguments_is_made_by_the_next_model(
    warm_models: WarmModels, broken: str
) -> None:
    primary = OpenAIWire([calls("end_call", broken)])
    spare = OpenAIWire([calls("end_call")])
    async with calling(warm_models, primary, spare) as call:
        assert (await call.turn()).tools == [("end_call", "{}")]


async def test_words_before_a_tool_call_come_before_it(warm_models: WarmModels) -> None:
    primary = OpenAIWire([calls("end_call", after_saying="Goodbye, Anna")])
    async with calling(warm_models, primary) as call:
        heard = await call.turn()
        assert heard.text == "Goodbye, Anna"
        assert heard.tools == [("end_call", "{}")]


async def test_without_any_vendor_the_playbook_answers(warm_models: WarmModels) -> None:
    async with calling(warm_models, OpenAIWire([fails(500)]), OpenAIWire([fails(429)])) as call:
        for _ in range(4):
            assert (await call.turn("I would like to book a table.")).text[-1] in ".?!"
        assert call.switches[:2] == [(FIRST, SECOND), (SECOND, PLAYBOOK)]
        assert call.reports.exhaustions == []


@pytest.mark.latency
@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
async def test_two_vendors_that_hang_take_no_longer_than_one(
    warm_models: WarmModels, locale: str
) -> None:
    async with calling(
        *(warm_models, OpenAIWire([hangs()]), OpenAIWire([hangs()])),
        deadlines=ProviderDeadlines(),
        locale=locale,
    ) as call:
        for _ in range(2):
            heard = await call.turn()
            assert heard.text
            assert heard.longest_wait_seconds < MOST_WAIT_MS / 1000
            if locale != "en-US":
                break
        last = PLAYBOOK if locale == "en-US" else RECORDED_WORDS
        assert call.switches[:2] == [(FIRST, SECOND), (SECOND, last)]


async def test_too_little_time_is_no_failure_of_the_second_model(warm_models: WarmModels) -> None:
    async with calling(
        warm_models, OpenAIWire([hangs()]), OpenAIWire([hangs()]), deadlines=ProviderDeadlines()
    ) as call:
        await call.turn()
        first, *_ = call.supervised.usable()
        assert first.name == SECOND


async def test_without_any_model_the_caller_is_asked_again_and_the_second_time_the_call_ends(
    warm_models: WarmModels,
) -> None:
    async with calling(
        warm_models, OpenAIWire([fails(500)]), OpenAIWire([fails(429)]), locale="de-DE"
    ) as call:
        said = (await call.turn()).text
        assert said == "Entschuldigung, könnten Sie das bitte noch einmal sagen?"
        assert call.switches == [(FIRST, SECOND), (SECOND, RECORDED_WORDS)]
        assert call.reports.exhaustions == []
        assert (await call.turn()).text == ""
        await call.turn()
        [(channel, why)] = call.reports.exhaustions
        assert channel == "llm"
        assert "two turns" in why
        assert "status" in why


async def test_early_requests_of_one_turn_count_once(warm_models: WarmModels) -> None:
    async with calling(
        warm_models, OpenAIWire([fails(500)]), OpenAIWire([fails(500)]), locale="de-DE"
    ) as call:
        call.history.add_message(role="user", content="Hallo")
        await call.ask()
        await call.ask()
        assert call.reports.exhaustions == []


async def test_an_answer_between_two_unanswered_turns_saves_the_call(
    warm_models: WarmModels,
) -> None:
    broken = fails(400)
    async with calling(
        warm_models,
        OpenAIWire([broken, says("Ja."), broken]),
        OpenAIWire([broken]),
        locale="de-DE",
    ) as call:
        answers = [(await call.turn()).text for _ in range(3)]
        assert answers[1] == "Ja."
        assert answers[0] == answers[2]
        assert call.reports.exhaustions == []


async def test_a_request_that_a_vendor_rejects_tells_nothing_about_other_calls(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([fails(400), says("Yes.")])
    async with calling(warm_models, primary) as call:
        assert (await call.turn()).text == SENTENCE
        assert (await call.turn()).text == "Yes."


async def test_a_call_that_starts_with_the_fallback_says_so_once(warm_models: WarmModels) -> None:
    primary = OpenAIWire([fails(500)])
    async with calling(warm_models, primary) as call:
        primary_candidate = next(call.supervised.usable())
        assert primary_candidate.breaker is not None
        primary_candidate.breaker.failed()
        await call.turn()
        await call.turn()
        [switch] = call.reports.switches
        assert (switch.failed, switch.taken_over_by, switch.lost_ms) == (FIRST, SECOND, 0)
        assert not switch.was_asked
        assert primary.requests == []


async def test_the_pause_of_a_model_that_keeps_failing_grows(warm_models: WarmModels) -> None:
    primary = OpenAIWire([fails(500)])
    async with calling(warm_models, primary) as call:
        for _ in range(20):
            await call.turn()
            call.clock.now += FIRST_PAUSE_SECONDS
        assert len(primary.requests) == 5, LONGEST_PAUSE_SECONDS


async def test_an_answer_that_the_engine_cancels_is_no_failure(warm_models: WarmModels) -> None:
    primary = OpenAIWire([hangs(), breaks(says(SENTENCE), "hangs", 5), says("Yes.")])
    slow = SOON.model_copy(update={"llm_first_token_seconds": 30.0, "idle_seconds": 30.0})
    async with calling(warm_models, primary, deadlines=slow) as call:
        for _ in range(2):
            primary.is_asked.clear()
            call.history.add_message(role="user", content="Hello")
            asking = asyncio.create_task(call.ask())
            await primary.is_asked.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
        assert (await call.turn()).text == "Yes."
        assert call.switches == []
        assert call.spare.requests == []


async def test_usage_is_counted_for_the_model_that_did_the_work_under_the_plan_s_names(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([says("Yes."), fails(500)])
    async with calling(warm_models, primary) as call:
        await call.turn()
        await call.turn()
        named = [
            (each.metadata.model_provider, each.metadata.model_name, each.total_tokens)
            for each in call.metrics
            if each.metadata is not None and each.total_tokens
        ]
        assert named == [("openai", "first", 18), ("spare", "second", 18)]


async def test_an_answer_that_was_whole_before_all_of_it_was_read_is_counted_once(
    warm_models: WarmModels,
) -> None:
    """The engine reads on when it has the sound of what it has read. A caller may cut in before."""
    async with calling(warm_models, OpenAIWire([says(SENTENCE)])) as call:
        is_whole = asyncio.Event()
        call.supervised.on("metrics_collected", lambda _: is_whole.set())
        call.history.add_message(role="user", content="Hello")
        async with call.supervised.chat(chat_ctx=call.history) as stream:
            await anext(stream)
            await asyncio.wait_for(is_whole.wait(), 5)
        assert [each.total_tokens for each in call.metrics if each.total_tokens] == [18]
        estimated = call.supervised.estimated["openai", "first"]
        assert (estimated.input_tokens, estimated.output_tokens) == (0, 0)


async def test_a_request_that_was_given_up_before_it_was_sent_is_not_counted(
    warm_models: WarmModels,
) -> None:
    primary = OpenAIWire([says(SENTENCE)])
    async with calling(warm_models, primary) as call:
        call.history.add_message(role="user", content="Hello")
        asking = asyncio.create_task(call.ask())
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert primary.requests == []
        assert ("openai", "first") not in call.supervised.estimated


async def test_a_request_that_hangs_is_counted(warm_models: WarmModels) -> None:
    async with calling(warm_models, OpenAIWire([hangs()])) as call:
        await call.turn()
        assert call.supervised.estimated["openai", "first"].input_tokens > 0


async def test_the_primary_is_warmed_up(warm_models: WarmModels) -> None:
    primary = OpenAIWire([says("Yes.")])
    async with calling(warm_models, primary) as call:
        call.supervised.prewarm()
        await asyncio.wait_for(primary.has_listed.wait(), 5)
        assert primary.requests == call.spare.authorizations == []
