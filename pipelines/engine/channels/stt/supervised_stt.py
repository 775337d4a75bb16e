"""The engine's recogniser for a call: several models, of which the caller notices only one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import structlog
from livekit.agents import APIConnectOptions, NotGivenOr, stt, utils, vad
from livekit.agents.metrics import STTMetrics
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN
from livekit.local_inference import VAD

from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.reports import ChannelReports
from pipelines.engine.channels.stt.supervised_stream import SupervisedStream
from pipelines.engine.channels.stt.voice_analysis import VoiceDetector
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.settings import ProviderDeadlines

if TYPE_CHECKING:
    from livekit.agents.voice.events import ConversationItemAddedEvent

log = structlog.get_logger(__name__)


def _silero() -> VoiceDetector:
    return VAD().predict


class SupervisedSTT(stt.STT[None]):
    """Gives what is heard to the first recogniser that works. When it fails, the next one gets the
    sound whose words are not final, and then what follows.

    A call stays with the recogniser that took over, as long as it works. The first choice is tried
    again by the next stream, which the next call opens (``CircuitBreaker``).
    """

    def __init__(
        self,
        candidates: Candidates[stt.STT[Any]],
        deadlines: ProviderDeadlines,
        reports: ChannelReports,
        voice_activity: vad.VAD,
        *,
        ask_again: Callable[[], None] = lambda: None,
        new_detector: Callable[[], VoiceDetector] = _silero,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            candidates: closed with this.
            voice_activity: cuts utterances out for models that take only whole ones.
            ask_again: no recogniser has answered in time: asks the caller to say it again.
            new_detector: finds voices when a recogniser is silent.
            clock: monotonic, in seconds.
        """
        self._candidates = candidates
        self._deadlines = deadlines
        self._reports = reports
        self._voice_activity = voice_activity
        self.ask_again = ask_again
        self._new_detector = new_detector
        self._clock = clock
        self._ready: dict[Candidate[stt.STT[Any]], stt.STT[Any]] = {}
        self._is_exhausted = False
        super().__init__(capabilities=self._capabilities_of_primary())

    @property
    def model(self) -> str:
        """The first choice's, under the plan's name. Metrics name the one that did the work."""
        return self._candidates.primary.choice.model

    @property
    def provider(self) -> str:
        return self._candidates.primary.choice.provider

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> SupervisedStream:
        """``conn_options`` count for nothing: the deadlines do, and nothing is tried twice."""
        return SupervisedStream(
            self,
            self._candidates,
            self._deadlines,
            self._reports,
            language=language,
            new_detector=self._new_detector,
            clock=self._clock,
        )

    def prewarm(self) -> None:
        try:
            self.ready(self._candidates.primary).prewarm()
        except ProviderUnavailable as error:
            log.info("recogniser.unavailable", why=str(error))

    async def aclose(self) -> None:
        for model in self._ready.values():
            if isinstance(model, stt.StreamAdapter):
                await model.aclose()
        self._ready.clear()
        await self._candidates.aclose()

    def ready(self, candidate: Candidate[stt.STT[Any]]) -> stt.STT[Any]:
        """The candidate's model as one that streams.

        Raises ``ProviderUnavailable`` if this process cannot run it.
        """
        if candidate not in self._ready:
            model = self._candidates.model(candidate)
            if not model.capabilities.streaming:
                model = stt.StreamAdapter(stt=model, vad=self._voice_activity)
            model.on("metrics_collected", self._forwarding(candidate, model))
            self._ready[candidate] = model
        return self._ready[candidate]

    def exhausted(self, why: str) -> None:
        """No recogniser works. Told once in a call."""
        if not self._is_exhausted:
            self._is_exhausted = True
            self._reports.exhausted("stt", why)

    async def _recognize_impl(
        self,
        buffer: utils.AudioBuffer,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions,
    ) -> stt.SpeechEvent:
        raise NotImplementedError("a call hears through a stream")

    def _capabilities_of_primary(self) -> stt.STTCapabilities:
        try:
            primary = self.ready(self._candidates.primary).capabilities
        except ProviderUnavailable:
            return stt.STTCapabilities(
                streaming=True, interim_results=True, offline_recognize=False
            )
        return stt.STTCapabilities(
            streaming=True,
            interim_results=True,
            diarization=primary.diarization,
            aligned_transcript=primary.aligned_transcript,
            offline_recognize=False,
            keyterms=primary.keyterms,
            chat_context=primary.chat_context,
            manual_flush=primary.manual_flush,
        )

    def _forwarding(
        self, candidate: Candidate[stt.STT[Any]], model: stt.STT[Any]
    ) -> Callable[[STTMetrics], None]:
        is_counted_here = is_always_heard(model)

        def forward(metrics: STTMetrics) -> None:
            told: dict[str, object] = {"metadata": candidate.metadata}
            if is_counted_here:
                # Of a stream that broke off a plugin tells nothing, of others too late.
                told["audio_duration"] = 0.0
            self.emit("metrics_collected", metrics.model_copy(update=told))

        return forward

    def heard(self, candidate: Candidate[stt.STT[Any]], seconds: float) -> None:
        """The recogniser was given so much more sound."""
        if not is_always_heard(self.ready(candidate)):
            return
        metrics = STTMetrics(
            label=self._label,
            request_id="",
            timestamp=time.time(),
            duration=0.0,
            audio_duration=seconds,
            streamed=True,
            metadata=candidate.metadata,
        )
        self.emit("metrics_collected", metrics)

    def _update_session_keyterms(self, keyterms: list[str]) -> None:
        for model in self._ready.values():
            if model.capabilities.keyterms:
                model._update_session_keyterms(keyterms)

    def _push_conversation_item(self, event: ConversationItemAddedEvent) -> None:
        for model in self._ready.values():
            if model.capabilities.chat_context:
                model._push_conversation_item(event)


def is_always_heard(model: stt.STT[Any]) -> bool:
    """Whether it gets all sound. The others get what the detector of voices takes for speech."""
    return not isinstance(model, stt.StreamAdapter)
