"""The engine's text-to-speech of a call: several voices, of which one speaks.

When a voice fails, the next one goes on with the word at which it broke off. When none is left, the
engine gets an error, and ``synthesize`` gives words that were recorded in advance.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import structlog
from livekit import rtc
from livekit.agents import APIConnectionError, APIConnectOptions, tts
from livekit.agents.metrics import TTSMetrics
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from contracts.agent_config import Pronunciation
from pipelines.engine.channels.candidates import Candidates
from pipelines.engine.channels.reports import ChannelReports
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from pipelines.engine.channels.tts.reply_text import ReplyText, is_speakable
from pipelines.engine.channels.tts.speaking import NoVoiceLeft, Speaking, Voice, Voices
from pipelines.engine.channels.tts.speaking_place import SpeakingPlace
from pipelines.engine.channels.tts.spelling import Spelling
from pipelines.engine.channels.usage_rates import CharactersPerUnit, UsageRates
from pipelines.engine.providers.local.speech_models import Recogniser, Samples
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.settings import ProviderDeadlines
from pipelines.stack.phonetic_voices import notation_of
from pipelines.texts.language import primary_language

RATE_HZ = 24_000
"""Of all voices' sound: the engine's output takes one rate for the whole session."""
_BREATH_SECONDS = 0.1
_ONCE = APIConnectOptions(max_retry=0, timeout=DEFAULT_API_CONNECT_OPTIONS.timeout)

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LastResort:
    """What needs no network."""

    words: RecordedWords
    recogniser: Recogniser | None = None
    """Finds the word at which a voice broke off. It understands English."""


class SupervisedTTS(tts.TTS[Any]):
    """Owns its candidates: ``aclose`` closes them."""

    def __init__(
        self,
        candidates: Candidates[tts.TTS[Any]],
        deadlines: ProviderDeadlines,
        reports: ChannelReports,
        last_resort: LastResort,
        *,
        locale: str,
        pronunciations: Sequence[Pronunciation] = (),
        rates: UsageRates | None = None,
    ) -> None:
        """
        Args:
            pronunciations: of words that are marked in the text (``spelling``).
            rates: how fast the voices speak, by what the process's calls know.
        """
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=True),
            sample_rate=RATE_HZ,
            num_channels=1,
        )
        self._candidates = candidates
        self._reports = reports
        self._words = last_resort.words
        self._locale = locale
        self._followed: dict[Voice, tts.TTS[Any]] = {}
        self.is_exhausted = False
        self.estimated_seconds: dict[tuple[str, str], float] = defaultdict(float)
        """By provider and model: sound of texts that the voice had when it was
        interrupted or given up."""
        self._rates = UsageRates() if rates is None else rates
        is_english = primary_language(locale) == "en"
        self.voices = Voices(
            candidates,
            deadlines,
            reports,
            SpeakingPlace(last_resort.recogniser if is_english else None),
            RATE_HZ,
            self._model,
            lambda voice: Spelling(pronunciations, notation_of(voice.choice, locale)),
            self._used,
            self._rate,
        )

    @property
    def model(self) -> str:
        return self._candidates.primary.choice.model

    @property
    def provider(self) -> str:
        return self._candidates.primary.choice.provider

    @property
    def takes_phonemes(self) -> bool:
        """Whether one of its voices does."""
        choices = (voice.choice for voice in self._candidates.all)
        return any(notation_of(choice, self._locale) for choice in choices)

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = _ONCE
    ) -> tts.ChunkedStream:
        """Speak ``text``; the recorded words instead if every voice fails. Retries and limits of
        ``conn_options`` are not used."""
        return _SupervisedSentence(self, text)

    def stream(self, *, conn_options: APIConnectOptions = _ONCE) -> tts.SynthesizeStream:
        """Speak a text while it is written. Fails if every voice fails. Retries and limits of
        ``conn_options`` are not used."""
        return _SupervisedStream(self)

    def prewarm(self) -> None:
        try:
            self._model(self._candidates.primary).prewarm()
        except ProviderUnavailable as error:
            logger.warning("voice.unavailable", error=str(error))

    async def aclose(self) -> None:
        await self.voices.closing.aclose()
        await self._candidates.aclose()

    def recorded_words(self) -> rtc.AudioFrame:
        return self._words.frame(self._locale)

    def exhausted(self, why: str) -> None:
        """Every voice has failed. The call is told once."""
        if not self.is_exhausted:
            self.is_exhausted = True
            self._reports.exhausted("tts", why)

    def _model(self, voice: Voice) -> tts.TTS[Any]:
        model = self._candidates.model(voice)
        if self._followed.get(voice) is not model:
            self._followed[voice] = model

            def forward(metrics: TTSMetrics) -> None:
                # Only plugins know tokens. What they count of a request that ended early is
                # nothing, so we count the rest (``_used``).
                tokens = {"metadata": voice.metadata, "characters_count": 0, "audio_duration": 0.0}
                self.emit("metrics_collected", metrics.model_copy(update=tokens))

            model.on("metrics_collected", forward)
        return model

    def _rate(self, voice: Voice) -> CharactersPerUnit:
        choice = voice.choice
        return self._rates.speech(choice.provider, choice.model, choice.voice or "")

    def _used(
        self, voice: Voice, characters: int, seconds: float, estimated_seconds: float
    ) -> None:
        if not voice.is_our_own:
            choice = voice.choice
            self.estimated_seconds[choice.provider, choice.model] += estimated_seconds
        metrics = TTSMetrics(
            label=self._label,
            request_id="",
            timestamp=time.time(),
            ttfb=0.0,
            duration=0.0,
            audio_duration=seconds,
            cancelled=False,
            characters_count=characters,
            streamed=True,
            metadata=voice.metadata,
        )
        self.emit("metrics_collected", metrics)


class _SupervisedStream(tts.SynthesizeStream):
    _tts_request_span_name: ClassVar[str] = "tts_supervised"
    # Each request to a voice has a span of its own.
    _tts_attempt_span_name: ClassVar[str | None] = None

    def __init__(self, parent: SupervisedTTS) -> None:
        super().__init__(tts=parent, conn_options=_ONCE)
        self._parent = parent

    async def _metrics_monitor_task(self, event_aiter: AsyncIterable[tts.SynthesizedAudio]) -> None:
        """The voices measure themselves."""
        async for _ in event_aiter:
            pass

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=uuid.uuid4().hex,
            sample_rate=RATE_HZ,
            num_channels=1,
            mime_type="audio/pcm",
            stream=True,
        )
        output_emitter.start_segment(segment_id=uuid.uuid4().hex)
        text = ReplyText()
        speaking = Speaking(
            self._parent.voices, text, lambda samples: output_emitter.push_frame(_frame(samples))
        )
        reading = asyncio.create_task(self._read(text), name="supervised-tts-text")
        try:
            await speaking.run()
        except NoVoiceLeft as error:
            # What was spoken until now is heard, then the engine learns that the rest is not.
            output_emitter.end_input()
            await output_emitter.join()
            self._parent.exhausted(str(error))
            raise APIConnectionError(f"no voice works: {error}", retryable=False) from error
        finally:
            reading.cancel()
        if text.text.strip() and not is_speakable(text.text):
            # Text without sound ("…"): no audio would be a failure for the engine.
            output_emitter.push_frame(_breath())

    async def _read(self, text: ReplyText) -> None:
        async for piece in self._input_ch:
            if isinstance(piece, str):
                text.add(piece)
                if text.whole_until:
                    self._mark_started()
        if text.text:
            self._mark_started()
        text.complete()


class _SupervisedSentence(tts.ChunkedStream):
    _tts_request_span_name: ClassVar[str] = "tts_supervised"
    _tts_attempt_span_name: ClassVar[str | None] = None

    def __init__(self, parent: SupervisedTTS, text: str) -> None:
        super().__init__(tts=parent, input_text=text, conn_options=_ONCE)
        self._parent = parent

    async def _metrics_monitor_task(self, event_aiter: AsyncIterable[tts.SynthesizedAudio]) -> None:
        """The voices measure themselves."""
        async for _ in event_aiter:
            pass

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=uuid.uuid4().hex, sample_rate=RATE_HZ, num_channels=1, mime_type="audio/pcm"
        )
        text = ReplyText()
        text.add(self.input_text)
        text.complete()
        if self._parent.is_exhausted:
            output_emitter.push_frame(self._parent.recorded_words())
        elif not is_speakable(self.input_text):
            output_emitter.push_frame(_breath())
        else:
            speaking = Speaking(
                self._parent.voices,
                text,
                lambda samples: output_emitter.push_frame(_frame(samples)),
            )
            try:
                await speaking.run()
            except NoVoiceLeft as error:
                output_emitter.push_frame(self._parent.recorded_words())
                self._parent.exhausted(str(error))
        output_emitter.flush()


def _frame(samples: Samples) -> rtc.AudioFrame:
    return rtc.AudioFrame(samples.tobytes(), RATE_HZ, 1, samples.size)


def _breath() -> rtc.AudioFrame:
    return rtc.AudioFrame.create(RATE_HZ, 1, round(_BREATH_SECONDS * RATE_HZ))
