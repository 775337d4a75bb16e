"""A language model that answers by repeating, at once."""

from __future__ import annotations

from typing import Any

from livekit.agents import APIConnectOptions, NotGivenOr, llm
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN


class EchoLLM(llm.LLM[None]):
    """Says ``answer`` (``{heard}`` is the caller's text); calls ``end_call`` on "goodbye"."""

    def __init__(self, answer: str = "You said: {heard}") -> None:
        super().__init__()
        self._answer = answer

    @property
    def model(self) -> str:
        return "echo"

    @property
    def provider(self) -> str:
        return "test"

    def chat(
        self,
        *,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool] | None = None,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
        parallel_tool_calls: NotGivenOr[bool] = NOT_GIVEN,
        tool_choice: NotGivenOr[llm.ToolChoice] = NOT_GIVEN,
        extra_kwargs: NotGivenOr[dict[str, Any]] = NOT_GIVEN,
    ) -> llm.LLMStream:
        heard = next(
            (m.text_content or "" for m in reversed(chat_ctx.messages()) if m.role == "user"), ""
        )
        return _EchoStream(
            self,
            text=self._answer.format(heard=heard),
            ends="goodbye" in heard.lower(),
            chat_ctx=chat_ctx,
            tools=tools or [],
            conn_options=conn_options,
        )


class _EchoStream(llm.LLMStream):
    def __init__(self, parent: EchoLLM, *, text: str, ends: bool, **options: Any) -> None:
        super().__init__(parent, **options)
        self._text = text
        self._ends = ends

    async def _run(self) -> None:
        for word in self._text.split(" "):
            self._send(llm.ChoiceDelta(role="assistant", content=f"{word} "))
        if self._ends:
            call = llm.FunctionToolCall(name="end_call", arguments="{}", call_id="call_1")
            self._send(llm.ChoiceDelta(role="assistant", tool_calls=[call]))

    def _send(self, delta: llm.ChoiceDelta) -> None:
        self._event_ch.send_nowait(llm.ChatChunk(id="echo", delta=delta))
