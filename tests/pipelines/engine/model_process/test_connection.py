"""A worker whose model process is replaced, or does not come back."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from pipelines.engine.model_process.connection import (
    ModelConnection,
    ModelsNotStarted,
    Patience,
)
from pipelines.engine.model_process.frames import LONGEST_HEADER_BYTES, Frame, encoded
from pipelines.engine.model_process.messages import Hello, Transcribe
from pipelines.engine.model_process.remote_models import RemoteModels
from pipelines.engine.model_process.socket_path import SocketRefused
from pipelines.engine.providers.local.speech_models import ModelError, ModelsAway
from tests.pipelines.engine.model_process.fake_models import (
    FakeProcess,
    samples,
    sound_of,
)
from tests.runtime.until import until

AT_ONCE = Patience(away=0.0, first_pause=0.001, longest_pause=0.01)


async def replace(process: FakeProcess) -> None:
    """What the dead process had begun stays undone: its gates are not asked again."""
    await process.die()
    for gate in (process.recogniser, process.end_of_turn, process.hibari):
        gate.open()
    await process.start()


async def test_a_transcription_in_flight_is_asked_again(
    process: FakeProcess, worker: RemoteModels
) -> None:
    assert worker.moonshine is not None
    process.recogniser.close()
    asked = asyncio.create_task(worker.moonshine.transcribe(samples(7)))
    await process.recogniser.begun.get()
    await replace(process)
    assert await asked == "7 samples"


async def test_so_is_a_prediction(process: FakeProcess, worker: RemoteModels) -> None:
    assert worker.end_of_turn is not None
    process.end_of_turn.close()
    asked = asyncio.create_task(worker.end_of_turn.predict(samples(9_600)))
    await process.end_of_turn.begun.get()
    await replace(process)
    assert await asked == 0.5


async def test_speech_goes_on_after_the_last_whole_sentence(
    process: FakeProcess, worker: RemoteModels
) -> None:
    assert worker.hibari is not None
    process.hibari.close("Two.")
    async with aclosing(worker.hibari.speak("One. Two. Three.", locale="en")) as speech:
        heard = [await anext(speech)]
        begun = [await process.hibari.begun.get() for _ in range(2)]
        await replace(process)
        heard += [pcm async for pcm in speech]
    begun += [process.hibari.begun.get_nowait() for _ in range(2)]
    assert heard == [sound_of("One."), sound_of("Two."), sound_of("Three.")]
    assert begun == ["One.", "Two.", "Two.", "Three."]


async def test_what_is_asked_while_the_process_is_away_is_answered_when_it_is_back(
    process: FakeProcess, worker: RemoteModels
) -> None:
    assert worker.moonshine is not None
    await process.die()
    asked = asyncio.create_task(worker.moonshine.transcribe(samples(3)))
    await asyncio.sleep(0)
    await process.start()
    assert await asked == "3 samples"


async def test_an_interim_transcription_does_not_wait_for_a_process_that_is_away(
    process: FakeProcess,
) -> None:
    models = await RemoteModels.connect(process.socket_path, AT_ONCE)
    assert models.moonshine is not None
    await process.die()
    with pytest.raises(ModelsAway):
        await models.moonshine.transcribe(samples(1))
    assert await models.moonshine.transcribe_if_idle(samples(2)) is None
    await models.aclose()


async def test_a_process_that_stays_away_is_a_failure_and_a_new_one_serves_again(
    process: FakeProcess,
) -> None:
    models = await RemoteModels.connect(process.socket_path, AT_ONCE)
    assert models.moonshine is not None
    process.recogniser.close()
    asked = asyncio.create_task(models.moonshine.transcribe(samples(1)))
    await process.recogniser.begun.get()
    await process.die()
    with pytest.raises(ModelsAway, match="was away for 0 s"):
        await asked
    process.recogniser.open()
    await process.start()
    moonshine = models.moonshine
    await until(lambda: moonshine.transcribe_if_idle(samples(2)))
    await models.aclose()


async def test_a_request_on_which_the_process_dies_again_and_again_ends(
    process: FakeProcess,
) -> None:
    patience = Patience(away=0.2, first_pause=0.001, longest_pause=0.001)
    models = await RemoteModels.connect(process.socket_path, patience)
    assert models.moonshine is not None
    process.recogniser.close()
    asked = asyncio.create_task(models.moonshine.transcribe(samples(1)))
    deaths = 0
    while not asked.done():
        begun = asyncio.create_task(process.recogniser.begun.get())
        await asyncio.wait({asked, begun}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        await process.die()
        await process.start()
        deaths += 1
    with pytest.raises(ModelsAway):
        await asked
    assert deaths > 1
    await models.aclose()


async def test_a_process_that_is_there_and_does_not_answer_is_a_failure(
    process: FakeProcess,
) -> None:
    models = await RemoteModels.connect(process.socket_path, Patience(answer=0.0))
    assert models.moonshine is not None
    process.recogniser.close()
    with pytest.raises(ModelsAway, match="did not answer within 0 s"):
        await models.moonshine.transcribe(samples(1))
    await models.aclose()


async def test_the_age_of_the_oldest_request_can_be_read(process: FakeProcess) -> None:
    seconds = [10.0]
    connection = ModelConnection(process.socket_path, Patience(), lambda: seconds[0])
    models = RemoteModels(connection, await connection.hello())
    assert models.hibari is not None
    assert models.oldest_request_seconds == 0
    async with aclosing(models.hibari.speak("One. Two.", locale="en")) as speech:
        process.hibari.close("Two.")
        await anext(speech)
        seconds[0] = 12.0
        assert models.oldest_request_seconds == 2
        process.hibari.open()
        await anext(speech)
        assert models.oldest_request_seconds == 0, "a sentence has come"
    assert models.oldest_request_seconds == 0
    await models.aclose()


async def test_more_than_a_frame_holds_is_refused(worker: RemoteModels) -> None:
    assert worker.espeak is not None
    with pytest.raises(ModelError, match="too much"):
        async with aclosing(worker.espeak.speak("a" * LONGEST_HEADER_BYTES, locale="en")) as speech:
            await anext(speech)
    assert worker.oldest_request_seconds == 0


async def test_more_than_a_frame_holds_harms_nobody_while_the_process_is_away(
    process: FakeProcess,
) -> None:
    connection = await ModelConnection.open(process.socket_path)
    models = RemoteModels(connection, await connection.hello())
    assert models.espeak is not None
    assert models.moonshine is not None
    await process.die()
    await until(lambda: not connection.can_transcribe_now)
    async with aclosing(models.espeak.speak("a" * LONGEST_HEADER_BYTES, locale="en")) as speech:
        spoken = asyncio.create_task(anext(speech))
        heard = asyncio.create_task(models.moonshine.transcribe(samples(3)))
        await asyncio.sleep(0)
        await process.start()
        with pytest.raises(ModelError, match="too much"):
            await spoken
    assert await heard == "3 samples"
    await models.aclose()


async def test_a_worker_does_not_wait_for_ever_for_the_first_hello(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelsNotStarted, match=r"at none\.sock within 0\.05 s: .*No such file"):
        await RemoteModels.connect(Path("none.sock"), Patience(start=0.05))
    with pytest.raises(SocketRefused):
        await RemoteModels.connect(Path("/" + "a" * 200))


async def test_it_says_if_the_process_speaks_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(encoded(Hello(version=2, sample_rates={}).frame()))
        writer.close()

    monkeypatch.chdir(tmp_path)
    async with await asyncio.start_unix_server(greet, "models.sock"):
        with pytest.raises(ModelsNotStarted, match="speaks version 2"):
            await RemoteModels.connect(Path("models.sock"), Patience(start=0.2))


async def test_an_answer_that_is_no_message_is_a_lost_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request is asked again on a new one."""
    answers = [encoded(Frame(b"{}")), encoded(Frame(b'{"type": "text", "id": 1, "text": "yes"}'))]
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(encoded(Hello(sample_rates={"moonshine": 16_000}).frame()))
        request = encoded(Transcribe(id=1).frame(b"ab"))
        asked.append(await reader.readexactly(len(request)))
        writer.write(answers.pop(0))
        await reader.read()
        writer.close()

    monkeypatch.chdir(tmp_path)
    async with await asyncio.start_unix_server(answer, "models.sock"):
        models = await RemoteModels.connect(Path("models.sock"), Patience(first_pause=0.001))
        assert models.moonshine is not None
        assert await models.moonshine.transcribe(samples(1)) == "yes"
        assert len(asked) == 2
        await models.aclose()
