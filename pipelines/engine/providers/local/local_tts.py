"""Makes a voice on this machine the engine's text-to-speech."""

from __future__ import annotations

import uuid

from livekit.agents import APIConnectionError, APIConnectOptions, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from pipelines.engine.providers.local.speech_models import ModelsAway, Voice
from pipelines.texts.utterance import parts

_BREATH_SECONDS = 0.1
_MOST_CHARACTERS = 400
"""The longest text that a voice gets at once. The models' memory grows with the square of a
sentence."""


class LocalTTS(tts.TTS[None]):
    """Speaks sentence by sentence; the engine splits a streamed answer into sentences."""

    def __init__(self, voice: Voice, *, model: str, locale: str) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False),
            sample_rate=voice.sample_rate,
            num_channels=1,
        )
        self._voice = voice
        self._model = model
        self._locale = locale

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return "local"

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        return _SpokenText(self, self._voice, self._locale, text, conn_options)


class _SpokenText(tts.ChunkedStream):
    def __init__(
        self,
        parent: LocalTTS,
        voice: Voice,
        locale: str,
        text: str,
        conn_options: APIConnectOptions,
    ) -> None:
        super().__init__(tts=parent, input_text=text, conn_options=conn_options)
        self._voice = voice
        self._locale = locale

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=uuid.uuid4().hex,
            sample_rate=self._voice.sample_rate,
            num_channels=1,
            mime_type="audio/pcm",
        )
        spoken = False
        try:
            for part in parts(self.input_text, _MOST_CHARACTERS):
                async for pcm in self._voice.speak(part, locale=self._locale):
                    if pcm:
                        output_emitter.push(pcm)
                        spoken = True
        except RuntimeError as error:
            is_temporary = isinstance(error, ModelsAway)
            raise APIConnectionError(
                f"{self._tts.model}: {error}", retryable=is_temporary
            ) from error
        if not spoken:
            # Text without sound ("…") becomes a breath: no audio would be a failure for the engine.
            output_emitter.push(bytes(2 * int(_BREATH_SECONDS * self._voice.sample_rate)))
        output_emitter.flush()
