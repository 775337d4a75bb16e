"""A server that speaks OpenAI's wire: chat completions, streamed or whole, and the list of models.

It answers with what it is told, in order, and can be slow, hang, fail, hang up in the middle of a
body or send anything at all::

    async with OpenAIWire([says("Hello"), fails(500), hangs()]).serving() as wire:
        client = AsyncOpenAI(api_key="any", base_url=wire.base_url)
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import ssl
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Literal

from aiohttp import web

_TOKEN = re.compile(r"\w{1,5}|[^\w\s]")
StreamFault = Literal["hangs", "disconnects", "sends_garbage", "reports_an_error", "ends"]
"""``ends``: the body ends as if it were complete."""


@dataclass(frozen=True)
class Answer:
    """What one request gets."""

    content: str = ""
    """The assistant's words, inside a completion that is otherwise as it should be."""
    status: int = 200
    body: bytes | None = None
    """Sent as it is instead of a completion or an error document."""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    finish_reason: str = "stop"
    refusal: str | None = None
    delay_seconds: float = 0.0
    is_hanging: bool = False
    is_cut_off: bool = False
    """The connection is dropped after half of the body."""
    tool_calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments."""
    token_seconds: float = 0.0
    """Before each event of a stream."""
    fault: StreamFault | None = None
    fault_after: int = 0
    """How many events of the answer a stream has before its fault. A word is one event, a tool call
    is three: its name, and two halves of its arguments."""


def says(content: str) -> Answer:
    return Answer(content)


def calls(name: str, arguments: str = "{}", *, after_saying: str = "") -> Answer:
    return Answer(after_saying, tool_calls=((name, arguments),), finish_reason="tool_calls")


def breaks(answer: Answer, fault: StreamFault, after: int) -> Answer:
    """A stream with a fault after that many events."""
    return replace(answer, fault=fault, fault_after=after)


def paced(answer: Answer, token_seconds: float) -> Answer:
    return replace(answer, token_seconds=token_seconds)


def says_json(value: object) -> Answer:
    return Answer(json.dumps(value))


def refuses(reason: str) -> Answer:
    return Answer(refusal=reason)


def fails(status: int, **headers: str) -> Answer:
    """For example ``fails(429, Retry_After="1")``."""
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Answer(status=status, headers=pairs)


def sends(body: bytes, content_type: str = "application/json") -> Answer:
    """Any bytes at all in place of a completion."""
    return Answer(body=body, content_type=content_type)


def hangs() -> Answer:
    return Answer(is_hanging=True)


def slowly(answer: Answer, seconds: float) -> Answer:
    return replace(answer, delay_seconds=seconds)


def cut_off(answer: Answer) -> Answer:
    return replace(answer, is_cut_off=True)


@dataclass
class TokenBill:
    """What the vendor charges for: also requests that the client has left."""

    read: int = 0
    written: int = 0
    cached: int = 0
    """The part of ``read`` that clients have been told of. Of a request that they leave, nobody
    tells it."""
    reasoning: int = 0
    """The part of ``written`` that came before the first word of an answer, and was not sent."""


_TAKEN_STEPS = 5
"""Of the loop, in which a client there reads an event."""
_CACHED_FROM_TOKENS = 1024
_CACHED_STEP_TOKENS = 128
"""Source: https://platform.openai.com/docs/guides/prompt-caching"""


def tokens_in(text: str) -> int:
    return len(_TOKEN.findall(text))


def tokens_read(asked: dict[str, Any]) -> int:
    """Of the messages and the tools."""
    messages = sum(4 + tokens_in(str(each.get("content") or "")) for each in asked["messages"])
    return messages + tokens_in(json.dumps(asked.get("tools") or ""))


def _chunk_of(event: bytes) -> dict[str, Any]:
    document = event.decode().removeprefix("data: ").strip()
    chunk: dict[str, Any] = {} if document == "[DONE]" else json.loads(document)
    return chunk


def _words_of(chunk: dict[str, Any]) -> str:
    return "".join(each["delta"].get("content") or "" for each in chunk.get("choices", []))


@dataclass
class OpenAIWire:
    """``answers`` are given one after the other, the last one for ever."""

    answers: Iterable[Answer] = (Answer("Hello."),)
    models: Collection[str] = ("gpt-4.1-mini",)
    valid_keys: Collection[str] | None = None
    """``None`` takes any key; others get a 401."""
    answer_to: Callable[[dict[str, Any]], Answer] | None = None
    """Answers by what is asked, instead of ``answers``."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the chat requests, as they came."""
    authorizations: list[str] = field(default_factory=list)
    bill: TokenBill | None = None
    """Counts tokens, and tells each whole answer's; else they are always the same."""
    reasoning_tokens: int = 0
    """Before each answer, if there is a ``bill``."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Of the chat requests, with names in lower case."""
    paths: list[str] = field(default_factory=list)
    """Of the chat requests, with their queries."""
    tls: ssl.SSLContext | None = None
    port: int = 0
    """0 takes a free one."""
    base_url: str = ""

    def __post_init__(self) -> None:
        self._answers = list(self.answers)
        self._stopping = asyncio.Event()
        self.is_asked = asyncio.Event()
        """Set with the first chat request."""
        self.has_listed = asyncio.Event()
        """Set when the models have been asked for."""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[OpenAIWire]:
        """Listens on 127.0.0.1 at ``base_url``, which ends with ``/v1``."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._list_models)
        runner = web.AppRunner(app, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", self.port, ssl_context=self.tls).start()
            scheme = "https" if self.tls else "http"
            self.base_url = f"{scheme}://127.0.0.1:{runner.addresses[0][1]}/v1"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _list_models(self, request: web.Request) -> web.StreamResponse:
        self.has_listed.set()
        if refused := self._unauthorized(request):
            return refused
        rows = [
            {"id": name, "object": "model", "created": 0, "owned_by": "stand-in"}
            for name in self.models
        ]
        return web.json_response({"object": "list", "data": rows})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        if refused := self._unauthorized(request):
            return refused
        asked: dict[str, Any] = await request.json()
        self.requests.append(asked)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.paths.append(request.path_qs)
        self.is_asked.set()
        answer = self._next_answer(asked)
        if self.bill is not None and answer.status == 200:
            self.bill.read += tokens_read(asked)
        if answer.is_hanging:
            await self._stopping.wait()
        if answer.delay_seconds:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), answer.delay_seconds)
        is_stream = bool(asked.get("stream")) and answer.status == 200 and answer.body is None
        if not is_stream:
            return await send_answer(request, answer, _body(asked, answer), answer.content_type)
        events = _events(asked, answer, self._usage(asked, answer))
        sent = self._sent()
        if answer.fault is None and not answer.token_seconds:
            for event in events:
                sent(event)
            return await send_answer(request, answer, b"".join(events), "text/event-stream")
        return await send_events(request, answer, events, self._stopping, _error(500), sent)

    def _usage(self, asked: dict[str, Any], answer: Answer) -> dict[str, Any]:
        if self.bill is None:
            return _USAGE
        read = tokens_read(asked)
        written = self.reasoning_tokens + tokens_in(answer.content)
        return {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": self._cached(asked), "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning_tokens},
        }

    def _cached(self, asked: dict[str, Any]) -> int:
        """Of the beginning that it shares with an earlier request."""
        shared = 0
        for earlier in self.requests:
            if earlier is not asked and earlier.get("tools") == asked.get("tools"):
                pairs = zip(earlier["messages"], asked["messages"], strict=False)
                same = [one for one, other in takewhile(lambda pair: pair[0] == pair[1], pairs)]
                shared = max(shared, tokens_read(asked | {"messages": same}))
        return shared - shared % _CACHED_STEP_TOKENS if shared >= _CACHED_FROM_TOKENS else 0

    def _sent(self) -> Callable[[bytes], None]:
        """To be called with each event that the client has got."""

        has_begun = False

        def sent(event: bytes) -> None:
            nonlocal has_begun
            if self.bill is None:
                return
            chunk = _chunk_of(event)
            words = _words_of(chunk)
            if words and not has_begun:
                has_begun = True
                self.bill.written += self.reasoning_tokens
                self.bill.reasoning += self.reasoning_tokens
            self.bill.written += tokens_in(words)
            if (usage := chunk.get("usage")) is not None:
                self.bill.cached += usage["prompt_tokens_details"]["cached_tokens"]

        return sent

    def _next_answer(self, asked: dict[str, Any]) -> Answer:
        if self.answer_to is not None:
            return self.answer_to(asked)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def _unauthorized(self, request: web.Request) -> web.Response | None:
        authorization = request.headers.get("Authorization", "")
        self.authorizations.append(authorization)
        if self.valid_keys is None or authorization.removeprefix("Bearer ") in self.valid_keys:
            return None
        return web.Response(status=401, body=_error(401), content_type="application/json")


async def send_answer(
    request: web.Request, answer: Answer, body: bytes, content_type: str
) -> web.StreamResponse:
    """Send ``body`` as ``answer`` says, whole or cut off."""
    response = web.StreamResponse(status=answer.status, headers=dict(answer.headers))
    response.content_type = content_type
    response.content_length = len(body)
    await response.prepare(request)
    if answer.is_cut_off:
        await response.write(body[: len(body) // 2])
        assert request.transport is not None
        request.transport.abort()
        return response
    await response.write(body)
    await response.write_eof()
    return response


async def send_events(
    request: web.Request,
    answer: Answer,
    events: list[bytes],
    stopping: asyncio.Event,
    error: bytes,
    sent: Callable[[bytes], None] = lambda event: None,
) -> web.StreamResponse:
    """Send server-sent events one by one, with the pace and the fault of ``answer``.

    Args:
        events: the first one is sent before any fault.
        stopping: set when the server ends, for streams that hang.
        error: the vendor's error document.
    """
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    # The client leaves when it has waited for long enough.
    with contextlib.suppress(ConnectionError):
        await response.prepare(request)
        for number, event in enumerate(events):
            if answer.fault is not None and number == answer.fault_after + 1:
                match answer.fault:
                    case "hangs":
                        await stopping.wait()
                    case "disconnects":
                        assert request.transport is not None
                        request.transport.abort()
                    case "sends_garbage":
                        await response.write(b"data: [}\n\n")
                    case "reports_an_error":
                        await response.write(b"data: " + error + b"\n\n")
                    case "ends":
                        pass
                break
            if answer.token_seconds:
                await asyncio.sleep(answer.token_seconds)
            await response.write(event)
            if not await _is_taken(request):
                break
            sent(event)
    return response


async def _is_taken(request: web.Request) -> bool:
    """Whether the client was there for what was just written. Of what goes out after it has left,
    it can report nothing; a write does not tell, until the loop has seen the connection end."""
    for _ in range(_TAKEN_STEPS):
        await asyncio.sleep(0)
    return request.transport is not None and not request.transport.is_closing()


def _body(asked: dict[str, Any], answer: Answer) -> bytes:
    if answer.body is not None:
        return answer.body
    if answer.status != 200:
        return _error(answer.status)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": answer.content,
        "refusal": answer.refusal,
    }
    if answer.tool_calls:
        message["tool_calls"] = [
            {
                "id": f"call_{index}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for index, (name, arguments) in enumerate(answer.tool_calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    return json.dumps(_envelope(asked, "chat.completion", choice) | {"usage": _USAGE}).encode()


_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def _envelope(asked: dict[str, Any], kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    model = asked.get("model", "unknown")
    return {"id": "1", "object": kind, "created": 0, "model": model, "choices": [choice]}


def _error(status: int) -> bytes:
    return json.dumps(
        {"error": {"message": f"stand-in says {status}", "type": "stand_in", "code": None}}
    ).encode()


def _events(asked: dict[str, Any], answer: Answer, usage: dict[str, Any]) -> list[bytes]:
    """Word by word, as server-sent events: the role, the words, the tool calls, the end."""
    words = answer.content.split(" ") if answer.content else []
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word if i == 0 else f" {word}"} for i, word in enumerate(words)]
    for index, (name, arguments) in enumerate(answer.tool_calls):
        half = len(arguments) // 2
        head = {"index": index, "id": f"call_{index}", "type": "function"}
        deltas.append({"tool_calls": [head | {"function": {"name": name, "arguments": ""}}]})
        for part in (arguments[:half], arguments[half:]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": answer.finish_reason})
    chunks = [_envelope(asked, "chat.completion.chunk", choice) for choice in choices]
    if (asked.get("stream_options") or {}).get("include_usage"):
        chunks.append(chunks[0] | {"choices": [], "usage": usage})
    documents = [json.dumps(chunk) for chunk in chunks] + ["[DONE]"]
    return [f"data: {document}\n\n".encode() for document in documents]
