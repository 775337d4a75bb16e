"""One reply, spoken by one voice after the other until all of it was heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import structlog
from livekit.agents import APIConnectOptions, tts

from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.closing_streams import ClosingStreams
from pipelines.engine.channels.reports import ChannelReports, ChannelSwitch
from pipelines.engine.channels.time_left import time_left
from pipelines.engine.channels.tts.hand_over import HandOver
from pipelines.engine.channels.tts.reply_text import ReplyText, is_speakable
from pipelines.engine.channels.tts.speaking_place import (
    DEFAULT_CHARACTERS_PER_SECOND,
    BrokenSpeech,
    SpeakingPlace,
)
from pipelines.engine.channels.tts.spelling import Spelling, without_marks
from pipelines.engine.channels.tts.voice_deadline import VoiceDeadline
from pipelines.engine.channels.tts.voice_failure import VoiceFailed
from pipelines.engine.channels.tts.voice_request import SpeechStream, VoiceRequest
from pipelines.engine.channels.usage_rates import CharactersPerUnit
from pipelines.engine.providers.local.speech_models import Samples
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.settings import ProviderDeadlines

Voice = Candidate[tts.TTS[Any]]

FASTEST_CHARACTERS_PER_SECOND = 35.0
_TOLERATED_SECONDS = 1.0
"""A voice whose sound is shorter than any speech of its text, by more than that, broke off."""
_PATIENCE_WITH_OUR_OWN = 4.0
"""A voice on this machine is slow when the machine is busy, and nothing better comes after it."""
_LAST_RESORT_SECONDS = 0.4
"""That a voice of our own takes for its first sound."""
_AT_ONCE_SECONDS = 0.5
"""A voice that failed so soon is asked once more if no other works."""
_STREAM_TIMEOUT_SECONDS = 60.0
"""Our own deadlines are shorter. Plugins measure from other moments, for instance from a word that
they cannot speak before its sentence is complete."""

logger = structlog.get_logger(__name__)


class NoVoiceLeft(Exception):
    """Every voice has failed. The message says why the last one did."""


@dataclass(frozen=True)
class Voices:
    """What all replies of a call share."""

    candidates: Candidates[tts.TTS[Any]]
    deadlines: ProviderDeadlines
    reports: ChannelReports
    place: SpeakingPlace
    rate_hz: int
    model: Callable[[Voice], tts.TTS[Any]]
    """Raises ``ProviderUnavailable``."""
    spelling: Callable[[Voice], Spelling]
    """A new one for each request."""
    used: Callable[[Voice, int, float, float], None]
    """Is told after each request how many characters the voice got, how many seconds of sound came,
    and how many more it makes of them."""
    rate: Callable[[Voice], CharactersPerUnit]
    """How many characters of whole requests each second of its sound is."""
    closing: ClosingStreams = field(default_factory=ClosingStreams)
    characters_per_second: dict[str, float] = field(default_factory=dict)
    """How fast each voice has spoken."""


@dataclass(frozen=True)
class _Failure:
    voice: Voice
    why: str
    since: float
    """When it last said something, or was asked (loop's time)."""
    is_quick: bool


class Speaking:
    def __init__(self, voices: Voices, text: ReplyText, hand_on: Callable[[Samples], None]) -> None:
        """
        Args:
            hand_on: gets mono sound at ``voices.rate_hz``.
        """
        self._voices = voices
        self._text = text
        self._hand_on = hand_on
        self._plays_until = 0.0
        self._waits_since: float | None = None
        """Since when the caller has waited, if a voice has failed and no sound came since."""
        self._loop = asyncio.get_running_loop()

    async def run(self) -> None:
        """Returns when the text is complete and spoken.

        Raises:
            NoVoiceLeft: some of it cannot be spoken.
        """
        last: _Failure | None = None
        quick: set[Voice] = set()
        for is_second_try in (False, True):
            for voice in self._voices.candidates.attempts():
                if is_second_try and voice not in quick:
                    continue
                failure = await self._try(voice, last)
                if failure is None:
                    return
                last = failure
                if failure.is_quick:
                    quick.add(voice)
        assert last is not None
        self._report_switch(last, "recorded words")
        raise NoVoiceLeft(f"{last.voice.name}: {last.why}")

    async def _try(self, voice: Voice, last: _Failure | None) -> _Failure | None:
        """Let ``voice`` speak what is left. Returns why it failed, ``None`` if it did not."""
        asked_at = self._loop.time()
        try:
            model = self._voices.model(voice)
        except ProviderUnavailable as error:
            logger.warning("voice.unavailable", voice=voice.name, error=str(error))
            return _Failure(voice, "cannot run here", last.since if last else asked_at, False)
        if last is not None:
            self._report_switch(last, voice.name)
        deadline = self._deadline(voice, asked_at)
        try:
            if model.capabilities.streaming and model.capabilities.aligned_transcript:
                await self._stream(voice, model, deadline)
            else:
                await self._speak_sentences(voice, model, deadline)
        except VoiceFailed as failure:
            if voice.breaker is not None and not (deadline.is_shortened and failure.is_silence):
                voice.breaker.failed()
            if failure.is_silence and not voice.is_our_own:
                self._give_up(voice)
            if self._text.is_complete and not is_speakable(self._text.rest):
                return None
            since = deadline.waits_since or asked_at
            if self._waits_since is None or deadline.has_sounded:
                self._waits_since = max(since, self._plays_until)
            is_quick = deadline.has_sounded or self._loop.time() - since < _AT_ONCE_SECONDS
            return _Failure(voice, str(failure), since, is_quick)
        return None

    def _give_up(self, voice: Voice) -> None:
        """Plugins keep a connection open for the call. On one that hangs, the voice would be silent
        in each later answer, too."""
        model = self._voices.candidates.give_up(voice)
        if model is not None:
            self._voices.closing.close(model)

    def _deadline(self, voice: Voice, now: float) -> VoiceDeadline:
        deadlines = self._voices.deadlines
        if voice.is_our_own:
            return VoiceDeadline(deadlines, _PATIENCE_WITH_OUR_OWN)
        if self._waits_since is None:
            return VoiceDeadline(deadlines)
        waited_seconds = max(0.0, now - self._waits_since)
        shortened_seconds = time_left(
            deadlines.tts_first_audio_seconds, waited_seconds, _LAST_RESORT_SECONDS
        )
        return VoiceDeadline(deadlines, shortened_seconds=shortened_seconds)

    def _report_switch(self, failure: _Failure, taken_over_by: str) -> None:
        lost_ms = round((self._loop.time() - failure.since) * 1000)
        self._voices.reports.switched(
            ChannelSwitch("tts", failure.voice.name, taken_over_by, failure.why, lost_ms)
        )

    async def _speak_sentences(
        self, voice: Voice, model: tts.TTS[Any], deadline: VoiceDeadline
    ) -> None:
        """A request for each sentence."""
        text = self._text
        while (sentence := await text.next_sentence()) is not None:
            if not is_speakable(sentence):
                text.spoken += len(sentence)
                continue
            deadline.owes_nothing()
            deadline.owes(self._loop.time())
            written = self._voices.spelling(voice).whole(sentence).strip()
            request = self._request(self._sentence_stream(model, written), deadline)
            request.characters = len(written)
            await self._hear(voice, request, len(sentence), lambda: None)

    def _sentence_stream(self, model: tts.TTS[Any], sentence: str) -> SpeechStream:
        if not model.capabilities.streaming:
            connect_seconds = self._voices.deadlines.connect_seconds
            options = APIConnectOptions(max_retry=0, timeout=connect_seconds)
            return model.synthesize(sentence, conn_options=options)
        stream = model.stream(conn_options=_stream_options())
        stream.push_text(sentence)
        stream.end_input()
        return stream

    async def _stream(self, voice: Voice, model: tts.TTS[Any], deadline: VoiceDeadline) -> None:
        """One request, which gets the text as it is written."""
        text, begin = self._text, self._text.spoken
        stream = model.stream(conn_options=_stream_options())
        request = self._request(stream, deadline)
        spelling = self._voices.spelling(voice)
        counted_until = begin

        def note_what_it_owes() -> None:
            given = without_marks(text.text[begin : text.whole_until])
            is_all = request.timed.may_be_all(given) if request.timed else False
            if text.is_complete or (is_speakable(given) and not is_all):
                deadline.owes(self._loop.time())
            else:
                deadline.owes_nothing()

        def sentence_came() -> None:
            nonlocal counted_until
            # Plugins keep a sentence to themselves until all of it has come.
            request.characters += len(spelling.whole(text.text[counted_until : text.whole_until]))
            counted_until = max(counted_until, text.whole_until)
            if text.is_complete and not is_speakable(text.rest):
                request.abandon()
            elif text.is_complete:
                stream.push_text(spelling.rest())
                stream.end_input()
            note_what_it_owes()
            request.deadline_moved()

        text.on_text = lambda piece: stream.push_text(spelling.more(piece))
        text.on_sentence = sentence_came
        try:
            stream.push_text(spelling.more(text.rest))
            if text.rest or text.is_complete:
                sentence_came()
            await self._hear(voice, request, None, note_what_it_owes)
        finally:
            text.on_text = text.on_sentence = None

    def _request(self, stream: SpeechStream, deadline: VoiceDeadline) -> VoiceRequest:
        rate_hz = self._voices.rate_hz
        hand_over = HandOver(rate_hz, self._plays_until)
        return VoiceRequest(stream, deadline, hand_over, self._hand_on, rate_hz)

    async def _hear(
        self,
        voice: Voice,
        request: VoiceRequest,
        length: int | None,
        on_sound: Callable[[], None],
    ) -> None:
        """Hand on the sound of the request and move the text to what comes after it.

        Args:
            length: of the request's text; ``None`` for all that is left.
        """
        text = self._text
        is_charged = True
        unheard_seconds = 0.0
        try:
            await request.hear(on_sound)
            given = text.rest if length is None else text.rest[:length]
            if not request.is_abandoned:
                _check(request, given, is_complete=length is not None or text.is_complete)
        except VoiceFailed as failure:
            is_charged = failure.is_silence or bool(request.received_seconds)
            if failure.is_silence:
                unheard_seconds = self._unheard_seconds(voice, request)
            self._voices.closing.close(request.stream)
            given = text.rest if length is None else text.rest[:length]
            await self._break_off(voice, request, given)
            raise
        except asyncio.CancelledError:
            unheard_seconds = self._unheard_seconds(voice, request)
            request.drop()
            self._voices.closing.close(request.stream)
            if request.is_audible and voice.breaker is not None:
                voice.breaker.succeeded()
            raise
        finally:
            self._plays_until = request.hand_over.plays_until
            if is_charged:
                self._voices.used(
                    voice, request.characters, request.received_seconds, unheard_seconds
                )
        text.spoken += len(given)
        if request.is_abandoned:
            self._voices.closing.close(request.stream)
            return
        request.finish()
        self._plays_until = request.hand_over.plays_until
        await request.stream.aclose()
        if voice.breaker is not None:
            voice.breaker.succeeded()
        self._voices.characters_per_second[voice.name] = len(given) / request.received_seconds
        self._voices.rate(voice).add(request.characters, request.received_seconds)

    def _unheard_seconds(self, voice: Voice, request: VoiceRequest) -> float:
        """What nobody waits for any more. A voice makes its sound faster than it is heard, and
        learns nothing of an interruption once it has the text. One that is late may still make it.
        """
        rate = self._voices.rate(voice).rate or DEFAULT_CHARACTERS_PER_SECOND
        return max(0.0, request.characters / rate - request.received_seconds)

    async def _break_off(self, voice: Voice, request: VoiceRequest, given: str) -> None:
        """End what is heard of ``given`` with a whole word, and move the text there."""
        hand_over, rate_hz = request.hand_over, self._voices.rate_hz
        rate = self._voices.characters_per_second.get(voice.name, DEFAULT_CHARACTERS_PER_SECOND)
        if not request.timed:
            if not hand_over.handed_samples:
                # Nothing of it was heard, so nothing has to be guessed: the next voice says it all.
                request.break_off(0)
                return
            # The caller goes on hearing while we look for the place.
            request.hand_on_all_but_the_last_words()
        place = await self._voices.place.find(
            BrokenSpeech(given, hand_over.handed, hand_over.held, rate_hz, rate, request.timed)
        )
        request.break_off(place.cut)
        self._text.spoken += place.rest


def _check(request: VoiceRequest, given: str, *, is_complete: bool) -> None:
    """Raises ``VoiceFailed`` if what came cannot be all of ``given``."""
    if not request.is_audible:
        raise VoiceFailed("no sound came")
    least_seconds = len(given.strip()) / FASTEST_CHARACTERS_PER_SECOND - _TOLERATED_SECONDS
    if not is_complete or request.received_seconds < least_seconds:
        raise VoiceFailed("its sound ended before the text")


def _stream_options() -> APIConnectOptions:
    return APIConnectOptions(max_retry=0, timeout=_STREAM_TIMEOUT_SECONDS)
