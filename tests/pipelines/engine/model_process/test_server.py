"""Several workers, one model process: who is served, in which order, and who is dropped."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from pipelines.engine.model_process.frames import Frame, encoded, read_frame
from pipelines.engine.model_process.messages import (
    Cancel,
    Speak,
    Text,
    Transcribe,
    read_answer,
    read_hello,
)
from pipelines.engine.model_process.remote_models import RemoteModels, RemoteVoice
from pipelines.engine.providers.local.speech_models import ModelError, ModelsAway
from tests.pipelines.engine.model_process.fake_models import (
    BROKEN,
    FORBIDDEN,
    FakeProcess,
    samples,
    sound_of,
)


async def spoken(voice: RemoteVoice | None, text: str) -> list[bytes]:
    assert voice is not None
    return [pcm async for pcm in voice.speak(text, locale="en-US")]


async def transcribed(models: RemoteModels, count: int) -> str:
    assert models.moonshine is not None
    return await models.moonshine.transcribe(samples(count))


async def test_each_model_answers(worker: RemoteModels) -> None:
    assert await transcribed(worker, 320) == "320 samples"
    assert worker.end_of_turn is not None
    assert await worker.end_of_turn.predict(samples(9_600)) == 0.5
    assert await spoken(worker.hibari, "One. Two.") == [sound_of("One."), sound_of("Two.")]
    assert worker.hibari is not None
    assert worker.hibari.sample_rate == 8_000


async def test_workers_are_served_in_the_order_in_which_they_asked(
    process: FakeProcess, worker: RemoteModels, other_worker: RemoteModels
) -> None:
    process.recogniser.close()
    asked = []
    for models, count in ((worker, 1), (other_worker, 2), (worker, 3), (other_worker, 4)):
        asked.append(asyncio.create_task(transcribed(models, count)))
        # Answered by the same connection after it, so the transcription is in the queue.
        assert models.end_of_turn is not None
        await models.end_of_turn.predict(samples(0))
    process.recogniser.open()
    await asyncio.gather(*asked)
    assert process.recogniser.done == [1, 2, 3, 4]


async def test_models_do_not_wait_for_each_other(
    process: FakeProcess, worker: RemoteModels
) -> None:
    process.recogniser.close()
    slow = asyncio.create_task(transcribed(worker, 1))
    await process.recogniser.begun.get()
    assert await spoken(worker.hibari, "One.") == [sound_of("One.")]
    assert not slow.done()
    process.recogniser.open()
    await slow


async def test_a_transcription_if_idle_is_skipped_while_this_worker_has_one(
    process: FakeProcess, worker: RemoteModels
) -> None:
    assert worker.moonshine is not None
    process.recogniser.close()
    running = asyncio.create_task(transcribed(worker, 1))
    await process.recogniser.begun.get()
    assert await worker.moonshine.transcribe_if_idle(samples(2)) is None
    process.recogniser.open()
    await running
    assert await worker.moonshine.transcribe_if_idle(samples(3)) == "3 samples"


async def test_and_while_another_worker_has_one(
    process: FakeProcess, worker: RemoteModels, other_worker: RemoteModels
) -> None:
    assert other_worker.moonshine is not None
    process.recogniser.close()
    running = asyncio.create_task(transcribed(worker, 1))
    await process.recogniser.begun.get()
    assert await other_worker.moonshine.transcribe_if_idle(samples(2)) is None
    process.recogniser.open()
    await running
    assert process.recogniser.done == [1]


async def test_long_answers_of_two_calls_take_turns_sentence_by_sentence(
    process: FakeProcess, worker: RemoteModels, other_worker: RemoteModels
) -> None:
    process.hibari.close()
    first = asyncio.create_task(spoken(worker.hibari, "A1. A2. A3."))
    assert await process.hibari.begun.get() == "A1."
    second = asyncio.create_task(spoken(other_worker.hibari, "B1. B2."))
    assert other_worker.end_of_turn is not None
    await other_worker.end_of_turn.predict(samples(0))
    process.hibari.open()
    await asyncio.gather(first, second)
    assert process.hibari.done == ["A1.", "B1.", "A2.", "B2.", "A3."]


async def test_a_call_that_is_interrupted_gets_no_further_sentences(
    process: FakeProcess, worker: RemoteModels
) -> None:
    assert worker.hibari is not None
    process.hibari.close("Two.")
    async with aclosing(worker.hibari.speak("One. Two. Three.", locale="en")) as speech:
        assert await anext(speech) == sound_of("One.")
        await process.hibari.begun.get()
        await process.hibari.begun.get()
    assert await transcribed(worker, 1) == "1 samples"  # The process has read the cancellation.
    process.hibari.open()
    await spoken(worker.hibari, "Next.")
    assert process.hibari.done == ["One.", "Two.", "Next."]


async def test_a_worker_that_leaves_takes_its_waiting_work_with_it(
    process: FakeProcess, worker: RemoteModels
) -> None:
    leaving = await RemoteModels.connect(process.socket_path)
    process.recogniser.close()
    first = asyncio.create_task(transcribed(worker, 1))
    await process.recogniser.begun.get()
    dropped = asyncio.create_task(transcribed(leaving, 2))
    assert leaving.end_of_turn is not None
    await leaving.end_of_turn.predict(samples(0))
    await leaving.aclose()
    last = asyncio.create_task(transcribed(worker, 3))
    assert worker.end_of_turn is not None
    await worker.end_of_turn.predict(samples(0))
    process.recogniser.open()
    await asyncio.gather(first, last)
    assert process.recogniser.done == [1, 3]
    dropped.cancel()


async def test_what_a_model_refuses_is_told_with_its_reason(worker: RemoteModels) -> None:
    with pytest.raises(ModelError, match="this is not said") as refused:
        await spoken(worker.espeak, FORBIDDEN)
    assert not isinstance(refused.value, ModelsAway)


async def test_a_model_that_fails_is_a_failure_of_that_request_alone(
    worker: RemoteModels,
) -> None:
    with pytest.raises(ModelError, match="ValueError in the model process"):
        await spoken(worker.espeak, BROKEN)
    assert await spoken(worker.espeak, "One.") == [sound_of("One.")]


async def test_a_worker_sees_which_models_are_installed(process: FakeProcess) -> None:
    await process.die()
    await process.start(hibari=None, moonshine=None)
    models = await RemoteModels.connect(process.socket_path)
    assert models.hibari is None
    assert models.moonshine is None
    assert models.espeak is not None
    await models.aclose()


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        encoded(Frame(b"{}")),
        encoded(Frame(b"not json")),
        encoded(Transcribe(id=1).frame()) * 2,
        b"\x00\x00\xff\xff" * 2,
    ],
    ids=["another protocol", "no type", "no JSON", "an id twice", "a giant"],
)
async def test_a_bad_frame_ends_its_connection_and_no_other(
    sent: bytes, process: FakeProcess, worker: RemoteModels
) -> None:
    process.recogniser.close()
    reader, writer = await asyncio.open_unix_connection(process.socket_path)
    hello = await read_frame(reader)
    assert hello is not None
    read_hello(hello.header)
    writer.write(sent)
    assert await reader.read() == b""
    writer.close()
    process.recogniser.open()
    assert await transcribed(worker, 5) == "5 samples"


async def test_a_request_for_a_model_that_is_not_loaded_fails(process: FakeProcess) -> None:
    await process.die()
    await process.start(hibari=None)
    reader, writer = await asyncio.open_unix_connection(process.socket_path)
    await read_frame(reader)
    writer.write(encoded(Speak(id=1, voice="hibari", text="One.", locale="en").frame()))
    frame = await read_frame(reader)
    assert frame is not None
    answer = read_answer(frame.header)
    assert answer.type == "failed"
    assert "hibari" in answer.reason
    writer.close()


async def test_cancelling_what_is_not_there_changes_nothing(process: FakeProcess) -> None:
    reader, writer = await asyncio.open_unix_connection(process.socket_path)
    await read_frame(reader)
    writer.write(encoded(Cancel(id=7).frame()) + encoded(Transcribe(id=7).frame(b"ab")))
    frame = await read_frame(reader)
    assert frame is not None
    assert read_answer(frame.header) == Text(id=7, text="1 samples")
    writer.close()
