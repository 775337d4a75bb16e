from __future__ import annotations

from livekit.agents.metrics import RealtimeModelMetrics

from pipelines.engine.channels.realtime.unreported_tokens import Tokens, UnreportedTokens


def told(read: int, read_audio: int, written: int, written_audio: int) -> RealtimeModelMetrics:
    return RealtimeModelMetrics(
        request_id="",
        timestamp=0.0,
        input_tokens=read,
        output_tokens=written,
        input_token_details=RealtimeModelMetrics.InputTokenDetails(audio_tokens=read_audio),
        output_token_details=RealtimeModelMetrics.OutputTokenDetails(audio_tokens=written_audio),
    )


def test_the_first_answer_has_read_the_prompt_and_the_caller_s_turn() -> None:
    tokens = UnreportedTokens("openai")
    tokens.prompt(400)
    tokens.heard(3.0)
    assert tokens.unreported(40, 2.0) == Tokens(130, 50, 30, 40)


def test_a_later_one_has_read_all_that_was_told_before() -> None:
    tokens = UnreportedTokens("google")
    tokens.prompt(400)
    tokens.heard(3.0)
    tokens.reported(told(200, 80, 60, 50))
    tokens.heard(2.0)
    assert tokens.unreported(0, 0.0) == Tokens(310, 0, 180, 0)
