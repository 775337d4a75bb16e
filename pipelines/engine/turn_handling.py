"""``Advanced`` as the engine's turn-taking options.

Where each field of ``Advanced`` is used:

- here: ``smart_endpointing``, ``resume_after_interruption``, ``start_speaking_threshold``,
  ``stop_speaking_threshold``
- ``endpointing``: ``reply_delay_ms``, ``wait_after_sentence_ms``,
  ``wait_after_no_punctuation_ms``, ``wait_after_numbers_ms``
- ``call_agent``: ``max_turn_length_seconds``, ``stt_confidence_threshold``,
  ``stt_profanity_filter``, ``pronunciations``, ``prohibited_claims``
- ``prompt``: ``off_limits_topics``, ``prohibited_claims``, ``prompt_mode``,
  ``start_speaking_phrasing``
- recognisers that support them: ``stt_keywords``, ``stt_numeral_formatting`` (Deepgram does,
  Moonshine does not)
- the media worker, from the plan's limits: ``max_call_duration_seconds``,
  ``silence_prompt_delay_seconds``, ``post_silence_hangup_seconds``
- the media worker, while it listens for an answering machine: ``voicemail``
"""

from __future__ import annotations

from livekit.agents.voice.turn import TurnHandlingOptions

from contracts.agent_config import Advanced, AgentConfig
from pipelines.engine.endpointing import default_delays
from pipelines.engine.providers.local.speech_models import EndOfTurn
from pipelines.engine.speech_segments import SpeechThresholds
from pipelines.engine.turn_detector import TurnDetector
from pipelines.engine.voice_activity import VoiceActivity

_MIN_SPEECH_SECONDS = 0.05
_MIN_SILENCE_SECONDS = 0.25
"""The shortest silence that the end-of-turn model accepts."""
_ACTIVATION = 0.5
_DEACTIVATION_BELOW_ACTIVATION = 0.15
_LEAST_THRESHOLD = 0.05
_MOST_THRESHOLD = 0.95
_BARGE_IN_SECONDS = 0.06
"""Of speech with words in it (``barge_in``)."""
_FALSE_INTERRUPTION_SECONDS = 1.2


def voice_activity(advanced: Advanced) -> VoiceActivity:
    """Silero voice activity detection, on this machine.

    A sound counts as speech from the voice probability ``start_speaking_threshold`` on. Speech has
    stopped below the probability ``stop_speaking_threshold``.
    """
    activation = _clamped(
        _ACTIVATION
        if advanced.start_speaking_threshold is None
        else advanced.start_speaking_threshold
    )
    deactivation = _clamped(
        activation - _DEACTIVATION_BELOW_ACTIVATION
        if advanced.stop_speaking_threshold is None
        else min(advanced.stop_speaking_threshold, activation)
    )
    return VoiceActivity(
        SpeechThresholds(
            activation=activation,
            deactivation=deactivation,
            min_speech_seconds=_MIN_SPEECH_SECONDS,
            min_silence_seconds=_MIN_SILENCE_SECONDS,
        )
    )


def turn_handling(agent: AgentConfig, end_of_turn: EndOfTurn | None) -> TurnHandlingOptions:
    """Options of the agent's session. None of them uses a cloud service.

    Without the end-of-turn model, voice activity alone decides.
    """
    advanced = agent.advanced
    delays = default_delays(advanced)
    detector = TurnDetector(end_of_turn) if advanced.smart_endpointing and end_of_turn else None
    return TurnHandlingOptions(
        turn_detection=detector or "vad",
        endpointing={
            "mode": "fixed",
            "min_delay": delays.min_seconds,
            "max_delay": delays.max_seconds,
        },
        interruption={
            "enabled": agent.persona.voice_config.barge_in_enabled,
            "mode": "vad",
            "min_duration": _BARGE_IN_SECONDS,
            "min_words": 0,
            "resume_false_interruption": advanced.resume_after_interruption,
            "false_interruption_timeout": _FALSE_INTERRUPTION_SECONDS,
        },
        preemptive_generation={"enabled": True, "preemptive_tts": True},
    )


def _clamped(threshold: float) -> float:
    return min(max(threshold, _LEAST_THRESHOLD), _MOST_THRESHOLD)
