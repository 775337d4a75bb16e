"""Turns the engine's events into facts of the call and live messages.

The engine calls its handlers synchronously. It swallows most of their exceptions, but a
``TypeError`` reaches its own loops. So we wrap each handler: a failure is logged and stops nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import structlog
from livekit.agents import (
    AgentSession,
    AgentStateChangedEvent,
    CloseEvent,
    CloseReason,
    ConversationItemAddedEvent,
    ErrorEvent,
    UserInputTranscribedEvent,
    UserStateChangedEvent,
)
from livekit.agents.llm import ChatMessage, LLMError, MetricsReport
from livekit.agents.stt import STTError
from livekit.agents.tts import TTSError
from livekit.agents.voice import ToolExecutionUpdatedEvent
from livekit.agents.voice.events import EventTypes
from livekit.agents.voice.io import TextOutput

from contracts.events import Logged, TurnMeasured, UsageReported
from contracts.live_messages import AgentStateChanged, TurnLatency, UserStateChanged
from pipelines.texts.keypad import HiddenKeys
from runtime.call.end_cause import CallFailure, ProvidersFailed
from runtime.conversation.conversation import CallRecord
from runtime.conversation.failed_answers import FailedAnswers
from runtime.conversation.tool_outcomes import ToolOutcomes
from runtime.conversation.transcript import RecordedTurn, Transcript
from runtime.conversation.turn_trace import trace_turn
from telemetry import tracing
from telemetry.metrics import (
    CHANNELS,
    OTHER,
    PROVIDER_ERRORS,
    PROVIDERS,
    TURN_STAGES,
    VOICE_TO_VOICE,
    listed,
)

logger = structlog.get_logger(__name__)

_STAGES = {
    "transcription_delay_ms": "transcription",
    "end_of_turn_delay_ms": "end_of_turn",
    "llm_first_token_ms": "llm_first_token",
    "tts_first_byte_ms": "tts_first_byte",
}
"""The metric's stages, by the fact's fields."""


class SessionObserver:
    def __init__(
        self,
        session: AgentSession[Any],
        record: CallRecord,
        *,
        keep_transcript: bool,
        hide_keys: bool = False,
        agent_audible_until: Callable[[], float | None] = lambda: None,
        tool_duration_ms: Callable[[str], int | None] = lambda _: None,
        usage: Callable[[], Iterable[UsageReported]] = tuple,
    ) -> None:
        """
        Args:
            hide_keys: keep what callers enter on the keypad out of the transcript.
            agent_audible_until: when the agent was last audible (``time.time()``).
            tool_duration_ms: how long one use of a tool took, by the model's name for it.
            usage: what each model has used until now.
        """
        self._session = session
        self._agent_audible_until = agent_audible_until
        self._usage = usage
        self._record = record
        self._tools = ToolOutcomes(record.fact, tool_duration_ms)
        self._transcript = Transcript(record, keep=keep_transcript)
        self._keys = HiddenKeys(hides=hide_keys)
        self._user_metrics: MetricsReport = {}
        self._agent_silent_since: float | None = None
        self._reported_usage: dict[tuple[str, str, str], UsageReported] = {}
        self._is_turn_open = False
        """The caller has spoken, and nothing of the agent was heard since."""
        self._closing = False
        self._trace = tracing.here()

    def attach(self) -> None:
        """Follow the session from now on."""
        handlers: dict[EventTypes, Callable[[Any], None]] = {
            "agent_state_changed": self._agent_state_changed,
            "user_state_changed": self._user_state_changed,
            "user_input_transcribed": self._user_input_transcribed,
            "conversation_item_added": self._conversation_item_added,
            "function_tools_executed": self._tools.executed,
            "tool_execution_updated": self._tool_updated,
            "speech_created": FailedAnswers(self._record).speech_created,
            "error": self._error,
            "close": self._close,
        }
        for name, handler in handlers.items():
            self._session.on(name, self._wrapped(handler))

    def expect_close(self) -> None:
        """We are about to close the session, so its close is not a failure."""
        self._closing = True

    def finish(self) -> None:
        """Record the last words, tools that have not answered, and what was used since the last
        turn."""
        self._tools.finish()
        self._transcript.close(self._record.position_ms())
        self._report_usage()

    def live_text(self) -> LiveText:
        """The text output that receives the agent's words as they are played."""
        return LiveText(
            lambda text: self._transcript.agent_words(
                self._keys.shown(text), at_ms=self._record.position_ms()
            )
        )

    def _wrapped(self, handler: Callable[[Any], None]) -> Callable[[Any], None]:
        @functools.wraps(handler)
        def wrapped(event: Any) -> None:
            try:
                handler(event)
            except Exception:
                logger.exception("observer.handler_failed", type=event.type)

        return wrapped

    def _agent_state_changed(self, event: AgentStateChangedEvent) -> None:
        self._note_activity()
        if event.old_state == "speaking":
            self._agent_silent_since = event.created_at
        if event.new_state not in ("initializing", "idle"):
            self._record.live(AgentStateChanged(state=event.new_state))

    def _user_state_changed(self, event: UserStateChangedEvent) -> None:
        self._note_activity()
        if event.new_state == "speaking":
            self._transcript.user_started(self._record.position_ms(event.created_at))
        self._record.live(UserStateChanged(state=event.new_state))

    def _tool_updated(self, event: ToolExecutionUpdatedEvent) -> None:
        self._tools.updated(event)
        self._note_activity()

    def _note_activity(self) -> None:
        is_busy = self._session.agent_state in ("thinking", "speaking")
        self._record.activity(
            user_speaking=self._session.user_state == "speaking",
            # A caller who waits for a tool is not asked whether anybody is there.
            agent_active=is_busy or self._tools.is_any_late,
        )

    def _user_input_transcribed(self, event: UserInputTranscribedEvent) -> None:
        self._transcript.user_words(
            self._keys.shown(event.transcript),
            is_final=event.is_final,
            at_ms=self._record.position_ms(),
        )

    def _conversation_item_added(self, event: ConversationItemAddedEvent) -> None:
        message = event.item
        if not isinstance(message, ChatMessage):
            return
        metrics, text = message.metrics, self._keys.shown(message.text_content or "")
        started_at_ms = self._position_ms(metrics.get("started_speaking_at"))
        ended_at_ms = self._position_ms(self._stopped_speaking_at(message))
        now_ms = self._record.position_ms()
        if message.role == "user":
            self._user_metrics = metrics
            self._transcript.user_turn(
                text, started_at_ms=started_at_ms, ended_at_ms=ended_at_ms, now_ms=now_ms
            )
            if self._is_turn_open:
                # Nobody heard the answer to the turn before, but it may have been paid for.
                self._report_usage()
            self._is_turn_open = True
        elif message.role == "assistant":
            spoken = self._transcript.agent_turn(
                text,
                started_at_ms=started_at_ms,
                ended_at_ms=ended_at_ms,
                interrupted=message.interrupted,
                now_ms=now_ms,
            )
            if spoken is not None:
                self._measure(spoken, metrics)
            self._report_usage()
            self._is_turn_open = False

    def _report_usage(self) -> None:
        """Record the totals of the models that did something since the last report."""
        for report in self._usage():
            model = (report.channel, report.provider, report.model)
            if self._reported_usage.get(model) != report:
                self._reported_usage[model] = report
                self._record.fact(report)

    def _stopped_speaking_at(self, message: ChatMessage) -> float | None:
        """When the speaker really stopped, which is earlier than the engine says.

        The engine takes the time at which the voice's last sample was played, but most voices end
        with silence. An interruption silences the agent at once, but the engine takes the time at
        which it had heard enough of the caller to be sure.
        """
        stopped_at = message.metrics.get("stopped_speaking_at")
        if message.role != "assistant" or stopped_at is None:
            return stopped_at
        started_at = message.metrics.get("started_speaking_at", stopped_at)
        audible_until = self._agent_audible_until()
        if audible_until is not None and started_at < audible_until < stopped_at:
            return audible_until
        if not message.interrupted:
            return stopped_at
        silent_since = self._agent_silent_since
        return silent_since if silent_since and silent_since > started_at else stopped_at

    def _position_ms(self, at: float | None) -> int | None:
        return None if at is None else self._record.position_ms(at)

    def _measure(self, spoken: RecordedTurn, metrics: MetricsReport) -> None:
        user, self._user_metrics = self._user_metrics, {}
        latencies = {
            "transcription_delay_ms": _ms(user.get("transcription_delay")),
            "end_of_turn_delay_ms": _ms(user.get("end_of_turn_delay")),
            "llm_first_token_ms": _ms(metrics.get("llm_node_ttft")),
            "tts_first_byte_ms": _ms(metrics.get("tts_node_ttfb")),
            "end_to_end_ms": _ms(metrics.get("e2e_latency")),
        }
        _observe(latencies)
        if (started_speaking_at := metrics.get("started_speaking_at")) is not None:
            trace_turn(self._trace, started_speaking_at, latencies)
        if any(latency is not None for latency in latencies.values()):
            self._record.fact(TurnMeasured(sequence=spoken.sequence, **latencies))
        if (end_to_end_ms := latencies["end_to_end_ms"]) is not None:
            self._record.live(
                TurnLatency(
                    utterance=spoken.utterance,
                    sequence=spoken.sequence,
                    end_to_end_ms=end_to_end_ms,
                )
            )

    def _error(self, event: ErrorEvent) -> None:
        error = event.error
        recoverable = bool(getattr(error, "recoverable", False))
        cause = getattr(error, "error", error)
        PROVIDER_ERRORS.labels(
            _provider_of(str(getattr(error, "label", ""))), _channel_of(error)
        ).inc()
        message = f"{getattr(error, 'label', 'engine')}: {type(cause).__name__}: {cause}"
        self._record.fact(Logged(level="warning" if recoverable else "error", message=message))

    def _close(self, event: CloseEvent) -> None:
        if self._closing:
            return
        error = event.error
        if isinstance(error, LLMError | STTError | TTSError):
            self._record.failed(ProvidersFailed(f"{error.type}: {error.error}"))
        elif event.reason is CloseReason.ERROR:
            self._record.failed(CallFailure(f"the engine closed: {error}"))
        else:
            self._record.failed(CallFailure(f"the engine closed by itself: {event.reason.value}"))


class LiveText(TextOutput):
    """Receives the agent's words in step with the audio that is played."""

    def __init__(self, on_words: Callable[[str], None]) -> None:
        super().__init__(label="LiveText", next_in_chain=None)
        self._on_words = on_words

    async def capture_text(self, text: str) -> None:
        self._on_words(text)

    def flush(self) -> None:
        """Nothing to do: the engine's conversation item marks the end of the segment."""


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


def _observe(latencies: Mapping[str, int | None]) -> None:
    for name, latency_ms in latencies.items():
        if latency_ms is None:
            continue
        stage = _STAGES.get(name)
        metric = VOICE_TO_VOICE if stage is None else TURN_STAGES.labels(stage)
        metric.observe(latency_ms / 1000)


def _channel_of(error: object) -> str:
    kind = str(getattr(error, "type", "")).removesuffix("_error")
    return listed(kind, CHANNELS)


def _provider_of(label: str) -> str:
    """The provider whose module an engine's label names (``livekit.plugins.openai.llm.LLM``)."""
    modules = label.split(".")
    return next((provider for provider in PROVIDERS if provider in modules), OTHER)
