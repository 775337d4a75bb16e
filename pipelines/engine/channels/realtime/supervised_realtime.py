"""The realtime model of a call, as the engine sees it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from livekit import rtc
from livekit.agents import llm
from livekit.agents.metrics import RealtimeModelMetrics, STTMetrics

from pipelines.engine.channels.candidates import Candidate
from pipelines.engine.channels.closing_streams import ClosingStreams
from pipelines.engine.channels.realtime.supervised_session import SupervisedSession, Unfinished
from pipelines.engine.channels.realtime.unreported_tokens import Tokens
from pipelines.settings import ProviderDeadlines

Hear = Callable[[Sequence[rtc.AudioFrame]], Coroutine[Any, Any, str]]


class SupervisedRealtime(llm.RealtimeModel):
    """When the model fails, the call goes on without it: no other takes its place here.

    Args:
        candidate: of ``model``, which is closed with this.
        hear: finds out what a caller has said in a turn.
    """

    def __init__(
        self,
        candidate: Candidate[llm.RealtimeModel],
        model: llm.RealtimeModel,
        deadlines: ProviderDeadlines,
        hear: Hear,
    ) -> None:
        super().__init__(capabilities=model.capabilities)
        self.deadlines = deadlines
        self.hear = hear
        self.closing = ClosingStreams()
        self.estimated = Tokens()
        """Those of which the vendor has told nothing."""
        self.is_wanted: Callable[[], bool] = lambda: True
        """Whether an answer is to be heard now. If not, none is asked for."""
        self._candidate = candidate
        self._model = model
        self._on_failure: Callable[[Unfinished], None] = lambda unfinished: None
        self._on_usage: Callable[[RealtimeModelMetrics | STTMetrics], None] = lambda metrics: None

    @property
    def model(self) -> str:
        return self._candidate.choice.model

    @property
    def provider(self) -> str:
        return self._candidate.choice.provider

    @property
    def name(self) -> str:
        return self._candidate.name

    def on_failure(self, act: Callable[[Unfinished], None]) -> None:
        """``act`` is called once when a session of the model fails."""
        self._on_failure = act

    def on_usage(self, count: Callable[[RealtimeModelMetrics | STTMetrics], None]) -> None:
        """``count`` is called with what each answer, and each turn written down, has used."""
        self._on_usage = count

    def session(self, *, turn_detection_disabled: bool = False) -> SupervisedSession:
        session = self._model.session(turn_detection_disabled=turn_detection_disabled)
        return SupervisedSession(self, session, self.failed)

    async def aclose(self) -> None:
        await self.closing.aclose()
        await self._model.aclose()

    def answered(self) -> None:
        if self._candidate.breaker is not None:
            self._candidate.breaker.succeeded()

    def used(self, metrics: RealtimeModelMetrics | STTMetrics) -> None:
        """The model's tokens are reported under the plan's names, those of the model that writes
        the caller's words down under its own."""
        names: Any = self._candidate.metadata
        if isinstance(metrics, STTMetrics) and metrics.metadata is not None:
            names = names.model_copy(update={"model_name": metrics.metadata.model_name})
        self._on_usage(metrics.model_copy(update={"metadata": names}))

    def unreported(self, tokens: Tokens) -> None:
        """An answer has ended before the vendor has told its tokens."""
        self.estimated += tokens

    def failed(self, unfinished: Unfinished) -> None:
        """A session has."""
        if unfinished.failure.concerns_others and self._candidate.breaker is not None:
            self._candidate.breaker.failed()
        self._on_failure(unfinished)
