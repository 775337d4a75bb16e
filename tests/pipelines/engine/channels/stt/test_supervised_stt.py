"""The whole channel in virtual time, with recognisers of beeps."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from livekit.agents import stt
from livekit.agents.metrics import STTMetrics
from livekit.agents.utils import AudioBuffer

from contracts.agent_config import Advanced
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.stt.supervised_stt import SupervisedSTT
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.engine.turn_handling import voice_activity
from pipelines.settings import ProviderDeadlines
from tests.faults.cells import MOST_WAIT_MS
from tests.pipelines.engine.channels.stt.beeps import (
    FINAL_SECONDS,
    HZ,
    NEVER,
    BeepSTT,
    Breaks,
    Heard,
    Kind,
    Reports,
    Samples,
    candidate,
    cough,
    detector,
    played,
    said,
    silence,
)
from tests.pipelines.engine.speech import spoken
from tests.runtime import virtual_time

WORDS = [f"w{word}" for word in range(1, 11)]
TWO_SENTENCES = np.concatenate(
    [silence(0.5), said(1, 2, 3, 4, 5, 6), silence(0.7), said(7, 8, 9, 10), silence(3.5)]
)
MOST_SECONDS = MOST_WAIT_MS / 1000
LAST_VOICE_AT = 0.5 + 6 * 0.4 - 0.1 + 0.7 + 4 * 0.4 - 0.1
DUE_AT = LAST_VOICE_AT + FINAL_SECONDS


@dataclass
class Channel:
    """What stands in for the rest of a call."""

    reports: Reports = field(default_factory=Reports)
    detectors: int = 0
    asked_again_at: list[float] = field(default_factory=list)
    metrics: list[STTMetrics] = field(default_factory=list)

    def stt(self, *candidates: Candidate[stt.STT[Any]]) -> SupervisedSTT:
        supervised = SupervisedSTT(
            Candidates(candidates),
            ProviderDeadlines(),
            self.reports,
            voice_activity(Advanced()),
            ask_again=self._ask_again,
            new_detector=self._new_detector,
            clock=asyncio.get_running_loop().time,
        )
        supervised.on("metrics_collected", self.metrics.append)
        return supervised

    def _ask_again(self) -> None:
        self.asked_again_at.append(asyncio.get_running_loop().time())

    def _new_detector(self) -> Any:
        self.detectors += 1
        return detector

    def seconds_of(self, provider: str) -> float:
        return sum(
            each.audio_duration
            for each in self.metrics
            if each.metadata and each.metadata.model_provider == provider
        )


def breaker() -> CircuitBreaker:
    return CircuitBreaker(asyncio.get_running_loop().time)


def run(test: Coroutine[Any, Any, None]) -> None:
    virtual_time.run(test)


def assert_starts_and_ends_come_in_turns(heard: Heard) -> None:
    told = heard.starts_and_ends()
    assert told[0::2] == [Kind.START_OF_SPEECH] * len(told[0::2])
    assert told[1::2] == [Kind.END_OF_SPEECH] * len(told[1::2])
    assert len(told) % 2 == 0


def test_a_recogniser_that_works_is_the_only_one_asked_and_no_voice_is_looked_for() -> None:
    async def call() -> None:
        channel, first, second = Channel(), BeepSTT(), BeepSTT()
        supervised = channel.stt(candidate("a", first, breaker()), candidate("b", second))
        heard = await played(supervised.stream(), TWO_SENTENCES)
        assert heard.finals() == WORDS
        assert heard.last_final_at() == pytest.approx(DUE_AT, abs=0.03)
        assert (len(first.streams), len(second.streams), channel.detectors) == (1, 0, 0)
        assert not channel.reports.switches
        assert_starts_and_ends_come_in_turns(heard)

    run(call())


@pytest.mark.parametrize("how", ["raises", "hangs", "ends"])
@pytest.mark.parametrize("tells_times", [True, False])
def test_wherever_a_recogniser_breaks_no_word_is_lost_and_none_doubled(
    how: Literal["raises", "hangs", "ends"], tells_times: bool
) -> None:
    async def call(after_seconds: float) -> None:
        channel = Channel()
        first = BeepSTT(Breaks(how, after_seconds), tells_times=tells_times)
        supervised = channel.stt(candidate("a", first, breaker()), candidate("b", BeepSTT()))
        heard = await played(supervised.stream(), TWO_SENTENCES)
        assert heard.finals() == WORDS
        assert heard.last_final_at() <= DUE_AT + 2.5
        assert [(each.failed, each.taken_over_by) for each in channel.reports.switches] == [
            ("a/m", "b/m")
        ]
        assert_starts_and_ends_come_in_turns(heard)
        assert not channel.reports.exhaustions

    # A hang in the silence at the end is nobody's loss.
    for after_seconds in np.arange(0, DUE_AT - 0.05, 0.47):
        run(call(float(after_seconds)))


def test_where_a_stream_began_is_not_where_its_words_end() -> None:
    async def call() -> None:
        slow = BeepSTT(Breaks("hangs", 5.17), tells_times=False, begins_late_seconds=0.02)
        supervised = Channel().stt(candidate("a", slow, breaker()), candidate("b", BeepSTT()))
        heard = await played(supervised.stream(), TWO_SENTENCES)
        assert heard.finals() == WORDS

    run(call())


@pytest.mark.parametrize("how", ["raises", "hangs"])
def test_words_that_are_final_while_the_caller_goes_on_are_not_heard_again(
    how: Literal["raises", "hangs"],
) -> None:
    async def call(after_seconds: float) -> None:
        first = BeepSTT(Breaks(how, after_seconds), final_seconds=0.05)
        supervised = Channel().stt(candidate("a", first, breaker()), candidate("b", BeepSTT()))
        assert (await played(supervised.stream(), TWO_SENTENCES)).finals() == WORDS

    for after_seconds in np.arange(0.7, DUE_AT - 0.05, 0.47):
        run(call(float(after_seconds)))


def test_replayed_sound_keeps_its_place_in_time() -> None:
    async def call() -> None:
        first = BeepSTT(Breaks("raises", 4.0))
        supervised = Channel().stt(candidate("a", first, breaker()), candidate("b", BeepSTT()))
        stream = supervised.stream()
        stream.start_time_offset = 100.0
        heard = await played(stream, TWO_SENTENCES)
        ends = [
            e.alternatives[0].end_time for _, e in heard.events if e.type is Kind.FINAL_TRANSCRIPT
        ]
        assert ends == pytest.approx([100.0 + 0.5 + 2.3, 100.0 + LAST_VOICE_AT], abs=0.02)

    run(call())


def test_sound_is_replayed_faster_than_it_was_said() -> None:
    async def call() -> None:
        first, second = BeepSTT(Breaks("raises", 2.9)), BeepSTT()
        supervised = Channel().stt(candidate("a", first, breaker()), candidate("b", second))
        heard = await played(
            supervised.stream(), np.concatenate([silence(0.5), said(*range(1, 7)), silence(1)])
        )
        began = next(
            at for at, e in heard.events if e.alternatives and e.alternatives[0].text == "w1"
        )
        assert began < 1.5
        assert heard.last_final_at() <= 2.8 + FINAL_SECONDS + 0.2

    run(call())


def test_when_the_second_fails_too_the_third_hears_every_word() -> None:
    async def call() -> None:
        channel = Channel()
        supervised = channel.stt(
            candidate("a", BeepSTT(Breaks("raises", 1.5)), breaker()),
            candidate("b", BeepSTT(Breaks("hangs", 0.5)), breaker()),
            candidate("c", BeepSTT()),
        )
        heard = await played(supervised.stream(), TWO_SENTENCES)
        assert heard.finals() == WORDS
        names = [(each.failed, each.taken_over_by) for each in channel.reports.switches]
        assert names == [("a/m", "b/m"), ("b/m", "c/m")]

    run(call())


def test_a_model_that_cannot_be_built_is_skipped_and_told() -> None:
    def unavailable() -> stt.STT[Any]:
        raise ProviderUnavailable("a has no key")

    async def call() -> None:
        channel, a_breaker = Channel(), breaker()
        primary = Candidate(candidate("a", BeepSTT()).choice, unavailable, a_breaker)
        supervised = channel.stt(primary, candidate("b", BeepSTT()))
        supervised.prewarm()
        assert (await played(supervised.stream(), TWO_SENTENCES)).finals() == WORDS
        (switch,) = channel.reports.switches
        assert switch.why == "cannot be used: a has no key"
        assert a_breaker.may_try()

    run(call())


def test_when_every_recogniser_has_failed_that_is_told_once_and_the_stream_goes_on() -> None:
    async def call() -> None:
        channel = Channel()
        supervised = channel.stt(
            candidate("a", BeepSTT(Breaks("raises")), breaker()),
            candidate("b", BeepSTT(Breaks("raises", 1.0))),
        )
        heard = await played(supervised.stream(), TWO_SENTENCES)
        assert heard.finals() == []
        assert_starts_and_ends_come_in_turns(heard)
        await played(supervised.stream(), TWO_SENTENCES)
        why = "b/m could not be reached, or the connection broke off"
        assert channel.reports.exhaustions == [("stt", why)]

    run(call())


def test_a_recogniser_that_worked_is_tried_again_when_nobody_else_is_left() -> None:
    async def call() -> None:
        channel = Channel()
        only = BeepSTT(Breaks("raises", 4.0), NEVER)
        heard = await played(channel.stt(candidate("a", only, breaker())).stream(), TWO_SENTENCES)
        assert heard.finals() == WORDS
        assert len(only.streams) == 2
        assert not channel.reports.exhaustions

    run(call())


@pytest.mark.parametrize("seconds", [0.3, 3.0])
def test_a_voice_without_words_is_nobodys_fault(seconds: float) -> None:
    async def call() -> None:
        channel, a_breaker = Channel(), breaker()
        first, second = BeepSTT(told_voice=False), BeepSTT(told_voice=False)
        supervised = channel.stt(candidate("a", first, a_breaker), candidate("b", second))
        sound = [silence(0.5), cough(seconds), silence(5), said(1, 2), silence(1)]
        heard = await played(supervised.stream(), np.concatenate(sound))
        assert heard.finals() == ["w1", "w2"]
        assert not channel.reports.switches
        assert not channel.reports.exhaustions
        assert a_breaker.may_try()
        assert len(first.streams) == 1
        assert second.streams
        assert all(stream.is_closed for stream in second.streams)

    run(call())


def test_noises_without_a_voice_ask_nobody() -> None:
    async def call() -> None:
        second = BeepSTT()
        supervised = Channel().stt(
            candidate("a", BeepSTT(told_voice=False), breaker()), candidate("b", second)
        )
        clicks = [piece for _ in range(5) for piece in (cough(0.04), silence(2))]
        await played(supervised.stream(), np.concatenate(clicks))
        assert not second.streams

    run(call())


def test_a_connection_that_says_nothing_is_made_again_when_there_is_no_other_recogniser() -> None:
    async def call() -> None:
        channel, only = Channel(), BeepSTT(Breaks("hangs"), NEVER)
        heard = await played(channel.stt(candidate("a", only, breaker())).stream(), TWO_SENTENCES)
        assert heard.finals() == WORDS

    run(call())


def test_the_only_recogniser_has_failed_when_it_answers_no_voice_twice() -> None:
    async def call() -> None:
        channel, only = Channel(), BeepSTT(Breaks("hangs"))
        sound = np.concatenate([silence(0.5), said(1, 2, 3), silence(4)] * 3)
        await played(channel.stt(candidate("a", only, breaker())).stream(), sound)
        assert [channel for channel, _ in channel.reports.exhaustions] == ["stt"]

    run(call())


def test_a_caller_whom_nobody_understands_is_asked_again_in_time_and_then_the_call_ends() -> None:
    async def call() -> None:
        channel, only = Channel(), BeepSTT(Breaks("hangs"))
        voice = said(1, 2, 3)
        began_at = asyncio.get_running_loop().time()
        first_ended_at = began_at + 0.5 + len(voice) / HZ
        stream = channel.stt(candidate("a", only, breaker())).stream()
        sound = np.concatenate([silence(0.5), voice, silence(4), voice, silence(MOST_SECONDS)])
        await played(stream, sound)
        [asked_at] = channel.asked_again_at
        assert asked_at - first_ended_at <= MOST_SECONDS
        assert [channel for channel, _ in channel.reports.exhaustions] == ["stt"]

    run(call())


def test_words_that_come_late_are_not_lost_though_the_caller_was_asked_again() -> None:
    async def call() -> None:
        channel, second = Channel(), BeepSTT(late_seconds=1.2)
        supervised = channel.stt(
            candidate("a", BeepSTT(Breaks("hangs")), breaker()), candidate("b", second, breaker())
        )
        sound = np.concatenate([silence(0.5), said(1), silence(4)])
        assert (await played(supervised.stream(), sound)).finals() == ["w1"]
        assert len(channel.asked_again_at) == 1

    run(call())


def test_two_that_hang_leave_our_own_model_time_to_answer() -> None:
    async def call() -> None:
        channel, voice = Channel(), said(1, 2, 3)
        supervised = channel.stt(
            candidate("a", BeepSTT(Breaks("hangs")), breaker()),
            candidate("b", BeepSTT(Breaks("hangs")), breaker()),
            candidate("local", BeepSTT()),
        )
        heard = await played(supervised.stream(), np.concatenate([silence(0.5), voice, silence(4)]))
        assert heard.finals() == ["w1", "w2", "w3"]
        assert heard.last_final_at() - 0.5 - len(voice) / HZ <= MOST_SECONDS
        assert channel.asked_again_at == []

    run(call())


@pytest.mark.parametrize("provider", ["deepgram", "custom"])
@pytest.mark.parametrize("words", [1, 4, 8, 16])
@pytest.mark.parametrize("told_voice", [True, False])
def test_a_recogniser_whose_texts_all_come_late_is_replaced_in_time(
    provider: str, words: int, told_voice: bool
) -> None:
    async def call() -> None:
        channel = Channel()
        slow = BeepSTT(late_seconds=3.0, told_voice=told_voice)
        supervised = channel.stt(
            candidate(provider, slow, breaker()), candidate("local", BeepSTT())
        )
        voice = said(*range(words))
        heard = await played(supervised.stream(), np.concatenate([silence(0.5), voice, silence(5)]))
        assert heard.finals() == [f"w{word}" for word in range(words)]
        assert heard.last_final_at() - 0.5 - len(voice) / HZ <= MOST_SECONDS
        assert [each.failed for each in channel.reports.switches] == [f"{provider}/m"]
        assert_starts_and_ends_come_in_turns(heard)

    run(call())


def test_our_own_model_is_waited_for() -> None:
    """With too much to do it is late, but nothing else would be sooner."""

    async def call() -> None:
        channel, ours = Channel(), BeepSTT(Breaks("hangs", 1.0))
        sound = np.concatenate([silence(0.5), said(1, 2, 3), silence(4)] * 3)
        await played(channel.stt(candidate("local", ours)).stream(), sound)
        assert not channel.reports.exhaustions
        assert len(ours.streams) == 1

    run(call())


def test_our_own_model_is_waited_for_while_it_works_on_a_voice() -> None:
    async def call() -> None:
        ours = BeepSTT(late_seconds=2.5)
        first = BeepSTT(Breaks("hangs"))
        supervised = Channel().stt(candidate("a", first, breaker()), candidate("local", ours))
        sound = np.concatenate([silence(0.5), said(1, 2, 3), silence(7)])
        assert (await played(supervised.stream(), sound)).finals() == ["w1", "w2", "w3"]

    run(call())


def test_the_end_of_a_call_is_no_fault() -> None:
    async def call() -> None:
        channel, a_breaker, first = Channel(), breaker(), BeepSTT()
        supervised = channel.stt(candidate("a", first, a_breaker), candidate("b", BeepSTT()))
        await played(supervised.stream(), TWO_SENTENCES[:16_000])
        await supervised.aclose()
        assert not channel.reports.switches
        assert a_breaker.may_try()
        assert first.is_closed
        assert all(stream.is_closed for stream in first.streams)

    run(call())


def test_the_next_call_starts_with_what_works() -> None:
    async def call() -> None:
        channel, a_breaker = Channel(), breaker()
        first = BeepSTT(Breaks("raises"), NEVER)
        candidates = (candidate("a", first, a_breaker), candidate("b", BeepSTT()))
        await played(channel.stt(*candidates).stream(), silence(1))
        await played(channel.stt(*candidates).stream(), silence(1))
        assert len(first.streams) == 1
        assert len(channel.reports.switches) == 1
        await asyncio.sleep(20)
        heard = await played(channel.stt(*candidates).stream(), TWO_SENTENCES)
        assert len(first.streams) == 2
        assert heard.finals() == WORDS
        assert a_breaker.may_try()

    run(call())


def test_what_was_used_is_told_under_the_plans_names_of_who_did_the_work() -> None:
    async def call() -> None:
        channel = Channel()
        first, second = BeepSTT(Breaks("raises", 2.0)), BeepSTT()
        supervised = channel.stt(candidate("a", first, breaker()), candidate("b", second))
        await played(supervised.stream(), TWO_SENTENCES)
        assert {each.metadata.model_name for each in channel.metrics if each.metadata} == {"m"}
        assert channel.seconds_of("a") == pytest.approx(first.streams[0].heard_seconds)
        # What is replayed counts for the one who heard it again.
        assert channel.seconds_of("b") == pytest.approx(second.streams[0].heard_seconds)
        assert channel.seconds_of("a") + channel.seconds_of("b") > len(TWO_SENTENCES) / 16_000 + 1

    run(call())


class WholeUtterances(stt.STT[None]):
    """Hears ``said`` in each utterance that it is given, or fails."""

    def __init__(self, is_broken: bool = False) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self._is_broken = is_broken

    async def _recognize_impl(self, buffer: AudioBuffer, **options: Any) -> stt.SpeechEvent:
        if self._is_broken:
            await asyncio.Event().wait()
        data = stt.SpeechData(language="en", text="heard", end_time=0.5)  # type: ignore[arg-type]
        return stt.SpeechEvent(Kind.FINAL_TRANSCRIPT, alternatives=[data])


def real_voice() -> Samples:
    return np.concatenate([silence(0.5), spoken("Good morning."), silence(4)])


def test_a_model_that_takes_only_whole_utterances_hears_each() -> None:
    async def call() -> None:
        channel = Channel()
        supervised = channel.stt(candidate("a", WholeUtterances(), breaker()))
        heard = await played(supervised.stream(), np.concatenate([real_voice(), real_voice()]))
        assert heard.finals() == ["heard", "heard"]
        assert not channel.reports.switches

    run(call())


def test_a_model_that_takes_only_whole_utterances_is_replaced_when_it_hangs() -> None:
    async def call() -> None:
        channel = Channel()
        supervised = channel.stt(
            candidate("a", WholeUtterances(is_broken=True), breaker()),
            candidate("b", WholeUtterances()),
        )
        heard = await played(supervised.stream(), real_voice())
        assert heard.finals() == ["heard"]
        assert len(channel.reports.switches) == 1

    run(call())


async def test_the_engine_sees_what_the_first_choice_can() -> None:
    primary = BeepSTT()
    primary._capabilities = stt.STTCapabilities(
        streaming=True, interim_results=True, keyterms=True, aligned_transcript="word"
    )
    supervised = Channel().stt(candidate("a", primary), candidate("b", BeepSTT()))
    assert supervised.capabilities.keyterms
    assert supervised.capabilities.aligned_transcript == "word"
    assert not supervised.capabilities.offline_recognize
    assert (supervised.provider, supervised.model) == ("a", "m")
