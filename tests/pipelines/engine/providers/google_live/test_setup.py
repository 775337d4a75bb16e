"""What Google's server is told at first."""

from __future__ import annotations

from google.genai import types
from livekit.agents import llm

from pipelines.engine.providers.google_live.setup import as_turns, connect_config, empty_request

NEW, OLD = "gemini-3.8-live", "gemini-2.5-flash-native-audio-preview-12-2025"


@llm.function_tool
async def find_slot(day: str) -> str:
    """Finds a free slot."""
    return day


def config(model: str, tools: llm.ToolContext | None = None) -> types.LiveConnectConfig:
    return connect_config(model, "Puck", "Be brief.", tools or llm.ToolContext.empty(), "handle")


def test_we_mark_the_turns_and_both_sides_are_written_down() -> None:
    told = config(NEW)
    assert told.realtime_input_config is not None
    detection = told.realtime_input_config.automatic_activity_detection
    assert detection is not None
    assert detection.disabled
    assert told.input_audio_transcription is not None
    assert told.output_audio_transcription is not None
    assert told.session_resumption == types.SessionResumptionConfig(handle="handle")


def test_no_model_thinks_and_none_goes_on_while_a_tool_runs() -> None:
    tools = llm.ToolContext([find_slot])
    for model, budget, behaviour in ((NEW, None, types.Behavior.BLOCKING), (OLD, 0, None)):
        told = config(model, tools)
        thinking = told.thinking_config
        assert (thinking and thinking.thinking_budget) == budget
        [tool] = told.tools or []
        assert isinstance(tool, types.Tool)
        [declared] = tool.function_declarations or []
        assert (declared.name, declared.behavior) == ("find_slot", behaviour)


def test_a_conversation_is_told_in_turns_and_tools_results_in_words() -> None:
    context = llm.ChatContext.empty()
    context.add_message(role="system", content="Be brief.")
    context.add_message(role="user", content="Tomorrow?")
    context.items.append(llm.FunctionCall(call_id="1", name="find_slot", arguments="{}"))
    context.items.append(
        llm.FunctionCallOutput(call_id="1", name="find_slot", output="at nine", is_error=False)
    )
    context.add_message(role="assistant", content="At nine.")
    told = [(turn.role, (turn.parts or [])[0].text) for turn in as_turns(context.items)]
    assert told == [
        ("user", "Tomorrow?"),
        ("user", "(The tool find_slot returned: at nine)"),
        ("model", "At nine."),
    ]


def test_only_older_models_want_a_word_of_the_caller_before_they_speak() -> None:
    assert empty_request(NEW) == []
    assert len(empty_request(OLD)) == 1
