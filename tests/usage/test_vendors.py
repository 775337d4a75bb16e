"""The judge counts what a client can know."""

from __future__ import annotations

import asyncio
import json
import time

from tests.stand_ins.openai_wire import OpenAIWire, TokenBill, paced, says

TOKEN_SECONDS = 0.05


async def test_words_that_go_out_after_the_client_has_left_are_not_charged() -> None:
    bill = TokenBill()
    wire = OpenAIWire([paced(says("Good day"), TOKEN_SECONDS)], bill=bill, reasoning_tokens=12)
    async with wire.serving():
        port = int(wire.base_url.rsplit(":", 1)[1].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        messages = [{"role": "user", "content": "Hello"}]
        body = json.dumps({"model": "m", "stream": True, "messages": messages}).encode()
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await reader.readuntil(b'"role"')
        writer.close()
        # The next word is due now, and the server has not seen yet that the connection has ended.
        time.sleep(2 * TOKEN_SECONDS)  # noqa: ASYNC251 - nothing else may run meanwhile
        await writer.wait_closed()
        await asyncio.sleep(2 * TOKEN_SECONDS)
        assert bill.read > 0
        assert (bill.written, bill.reasoning) == (0, 0)
