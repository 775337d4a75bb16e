"""What a connection to the Live API begins with: who the model is, and what was said before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from google.genai import types
from livekit.agents import NOT_GIVEN, llm
from livekit.plugins.google.utils import create_tools_config

Turns = list[types.Content | types.ContentDict]
_ROLES = {"user": "user", "assistant": "model"}
_OLDER = "gemini-2.5-"
"""They think before they answer, unless they are told not to."""
_GOES_ON_BESIDE_TOOLS = "gemini-3.8-"
"""Unless it is told to wait for a tool's result."""


def connect_config(
    model: str, voice: str, instructions: str, tools: llm.ToolContext, handle: str | None
) -> types.LiveConnectConfig:
    """
    Args:
        handle: resumes the conversation of an earlier connection. What it knows is not told again.
    """
    goes_on = model.startswith(_GOES_ON_BESIDE_TOOLS)
    waits = types.Behavior.BLOCKING if goes_on else NOT_GIVEN
    declared, _ = create_tools_config(tools, tool_behavior=waits, use_parameters_json_schema=False)
    spoken = types.PrebuiltVoiceConfig(voice_name=voice)
    thinks = model.startswith(_OLDER)
    return types.LiveConnectConfig(
        response_modalities=[types.Modality.AUDIO],
        system_instruction=_content("user", instructions) if instructions else None,
        tools=list(declared) or None,
        speech_config=types.SpeechConfig(
            voice_config=types.VoiceConfig(prebuilt_voice_config=spoken)
        ),
        input_audio_transcription=types.AudioTranscriptionConfig(),
        output_audio_transcription=types.AudioTranscriptionConfig(),
        realtime_input_config=types.RealtimeInputConfig(
            automatic_activity_detection=types.AutomaticActivityDetection(disabled=True)
        ),
        session_resumption=types.SessionResumptionConfig(handle=handle),
        # Without it a call of sound ends after a quarter of an hour.
        context_window_compression=types.ContextWindowCompressionConfig(
            sliding_window=types.SlidingWindow()
        ),
        # Thinking would be silence.
        thinking_config=types.ThinkingConfig(thinking_budget=0) if thinks else None,
    )


def as_turns(items: Iterable[llm.ChatItem]) -> Turns:
    """A conversation, as the model reads it. Tools' results are told in words: a model takes them
    as such only for its own calls of the same connection."""
    return list(_turns(items))


def _turns(items: Iterable[llm.ChatItem]) -> Iterator[types.Content]:
    for item in items:
        if isinstance(item, llm.ChatMessage) and item.role in _ROLES and item.text_content:
            yield _content(_ROLES[item.role], item.text_content)
        elif isinstance(item, llm.FunctionCallOutput):
            yield _content("user", f"(The tool {item.name} returned: {item.output})")


def as_request(instructions: str) -> types.Content:
    """Has to be told as the caller's: the model would continue words of its own."""
    return _content("user", f"(Instructions for your next answer: {instructions})")


def empty_request(model: str) -> Turns:
    """For an answer to what the model knows already. Older models want the caller to have the last
    word; the others answer a word that says nothing with nothing."""
    return [_content("user", ".")] if model.startswith(_OLDER) else []


def _content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])
